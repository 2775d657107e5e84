// All nodes of the page in a table that can be filtered and sorted, and as CSV.

const ROWS_AT_ONCE = 50;

function showNodes(network, payload, open) {
  const { names, size } = network;
  const own = (row) => network.memberships(row).filter((one) => one.value > 0).sort((a, b) => b.value - a.value);
  const attributes = payload.attributes?.columns.filter((column) => column.colors) ?? [];
  const values = new Colorings(payload.attributes, size);
  let order = { by: "links", up: false };
  let shown = ROWS_AT_ONCE;
  const known = payload.tree ? [] : payload.communities.map(({ name }) => name);
  const filter = element("input", { type: "search", id: "node-filter", autocomplete: "off", input: () => again() });
  const only = element("select", { id: "node-community", change: () => again() }, element("option", { value: "" }, "all nodes"),
    element("option", { value: "-" }, "in no community"), known.map((name) => element("option", { value: name }, `members of ${name}`)));
  const body = element("div", {});
  const heard = element("p", { class: "small", role: "status", "aria-live": "polite" });
  const more = element("button", { type: "button", class: "wide", click: () => again(shown + ROWS_AT_ONCE) }, "Show more");
  const where = Array.from({ length: size }, () => null);
  const inside = (row) => (where[row] ??= own(row));
  const text = (row) => inside(row).slice(0, 4).map((one) => `${one.name}\u00a0${membershipInWords(one.value, one.shares)}`).join(", ");
  const columns = [
    { key: "name", title: "node", text: true, value: (row) => names[row] },
    { key: "links", title: "links", value: (row) => network.degrees[row], cell: (row) => count(network.degrees[row]) },
    { key: "communities", title: "communities", text: true, value: (row) => inside(row)[0]?.name ?? null, cell: text },
    ...values.attributes.map((column, a) => ({
      key: `a${a}`, title: column.name, text: Boolean(column.values),
      value: (row) => (column.values ? values.valueOf(a, row) : values.values[a][row]), cell: (row) => cut(values.valueOf(a, row), 40),
    })),
  ];

  function matching() {
    const wanted = fold(filter.value.trim());
    const of = only.value;
    const fits = (row) => (!wanted || fold(names[row]).includes(wanted))
      && (!of || (of === "-" ? !inside(row).length : inside(row).some((one) => one.name === of)));
    const column = columns.find(({ key }) => key === order.by);
    const keyed = range(0, size).filter(fits).map((row) => ({ row, key: column.value(row) }));
    return keyed.sort((a, b) => compare(a.key, b.key, order.up ? 1 : -1) || a.row - b.row).map(({ row }) => row);
  }

  function heading({ key, title, text: words }) {
    const sorted = order.by === key ? (order.up ? "ascending" : "descending") : null;
    const press = () => {
      order = { by: key, up: order.by === key ? !order.up : Boolean(words) };
      again();
    };
    return element("th", { scope: "col", class: words ? null : "number", "aria-sort": sorted }, element("button", { type: "button", click: press }, cut(title, 30)));
  }

  function line(row) {
    const name = element("button", { type: "button", class: "chip", click: () => open(row) }, named(names[row], 60));
    const cells = columns.slice(1).map((column) => element("td", { class: column.text ? null : "number" }, column.cell(row)));
    return element("tr", {}, element("th", { scope: "row" }, name), cells);
  }

  function again(most = ROWS_AT_ONCE) {
    shown = most;
    const rows = matching();
    const caption = "Nodes; select a heading to sort, a name to look it up";
    const made = element(
      "table", {}, element("caption", {}, caption), element("thead", {}, element("tr", {}, columns.map(heading))),
      element("tbody", {}, rows.slice(0, shown).map(line)),
    );
    body.replaceChildren(element("div", { class: "scroll long", tabindex: "0", role: "region", "aria-label": caption }, made));
    heard.textContent = `${plural(rows.length, "node", "nodes")}${rows.length > shown ? `, the first ${shown} shown` : ""}.`;
    more.hidden = rows.length <= shown;
  }

  const header = ["node", "links", "community", "kind", "membership", ...values.attributes.map(({ name }) => name)];
  const facts = (row) => values.attributes.map((_, a) => (values.valueOf(a, row) === "–" ? "" : values.valueOf(a, row)));
  const lines = () => matching().flatMap((row) => {
    const all = inside(row);
    const first = [names[row], network.degrees[row]];
    if (!all.length) return [[...first, "", "", "", ...facts(row)]];
    return all.map((one) => [...first, one.name, one.kind, digits(one.value, 6), ...facts(row)]);
  });
  const part = payload.explorer.nodes < payload.explorer.of ? ` ${payload.explorer.words}` : "";
  place(
    "nodes",
    element(
      "div", { class: "fields" },
      element("div", { class: "combobox" }, element("label", { for: "node-filter" }, "Names that contain"), filter),
      known.length ? element("div", { class: "combobox" }, element("label", { for: "node-community" }, "Community"), only) : null,
    ),
    heard, body, element("p", {}, more), element("p", { class: "saves" }, csvButton("CSV of these nodes", "nodes", header, lines), predictionsButton(network, matching), part),
  );
  again();
}

const PREDICTED = 1000;

/** The likeliest missing links of the nodes that are listed, each pair once. */
function predictionsButton(network, matching) {
  const lines = () => {
    const found = new Map();
    for (const row of matching().slice(0, PREDICTED)) {
      for (const { row: other, probability } of network.likeliest(row, 10)) {
        const pair = [Math.min(row, other), Math.max(row, other)];
        found.set(pair.join(" "), [network.names[pair[0]], network.names[pair[1]], probability]);
      }
    }
    return [...found.values()].sort((a, b) => b[2] - a[2]).map(([u, v, p]) => [u, v, p.toPrecision(6)]);
  };
  return csvButton("CSV of their likeliest missing links", "predictions", ["node", "other", "probability"], lines);
}
