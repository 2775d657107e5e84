// Real tables with captions; some can be sorted by their columns.

/**
 * A table. A column is { title, cell(row), value(row)?, text? }: `cell` gives what is shown, `value` the sort key,
 * `text` aligns it to the left. A table wider than the page scrolls on its own.
 */
function table(caption, columns, rows) {
  const heading = (c) => element("th", { scope: "col", class: c.text ? null : "number" }, c.title);
  const head = element("tr", {}, columns.map(heading));
  const body = element("tbody", {}, rows.map((row) => tableRow(columns, row)));
  const made = element(
    "table", {},
    element("caption", {}, caption), element("thead", {}, head), body,
  );
  const kind = rows.length > 20 ? "scroll long" : "scroll";
  return element("div", { class: kind, tabindex: "0", role: "region", "aria-label": caption }, made);
}

function tableRow(columns, row) {
  const cells = columns.map((column, i) => {
    const attributes = { class: column.text ? null : "number" };
    if (i === 0) return element("th", { scope: "row", ...attributes }, column.cell(row));
    return element("td", attributes, column.cell(row));
  });
  return element("tr", {}, cells);
}

/** The same table with a button in every heading that has a value to sort by. */
function sortableTable(caption, columns, rows) {
  const made = table(caption, columns, rows);
  const headings = [...made.querySelectorAll("thead th")];
  const body = made.querySelector("tbody");
  const shown = rows.map((row, i) => ({ row, line: body.children[i] }));
  columns.forEach((column, i) => {
    if (!column.value) return;
    headings[i].replaceChildren(element("button", { type: "button", click: () => sortBy(i) }, column.title));
  });

  function sortBy(i) {
    // Numbers start with the largest, words with the first letter; a second press reverses the order.
    const first = columns[i].text ? "ascending" : "descending";
    const other = first === "ascending" ? "descending" : "ascending";
    const order = headings[i].getAttribute("aria-sort") === first ? other : first;
    const turn = order === "ascending" ? 1 : -1;
    const keyed = shown.map((entry) => ({ ...entry, key: columns[i].value(entry.row) }));
    keyed.sort((a, b) => compare(a.key, b.key, turn));
    body.append(...keyed.map((entry) => entry.line));
    headings.forEach((heading) => heading.removeAttribute("aria-sort"));
    headings[i].setAttribute("aria-sort", order);
  }
  return made;
}

const byLetters = new Intl.Collator("en", { numeric: true });

/** Missing values come last in either order. */
function compare(a, b, turn) {
  if (a === null || b === null) return (a === null) - (b === null);
  return turn * (typeof a === "string" ? byLetters.compare(a, b) : a - b);
}
