// Known labels and attributes beside the communities: overall scores, which explains which community, and tables.

const SHOWN_VALUES = 12;

function showAttributes(payload) {
  const { attributes } = payload;
  if (!attributes) {
    hideSection("attributes");
    return;
  }
  place(
    "attributes-body",
    attributes.scores ? scoresOfLabels(attributes.scores) : null,
    overallTable(attributes.columns),
    payload.tree ? null : standingOut(attributes.tests, payload.communities),
    payload.tree ? null : attributes.columns.filter((column) => column.counts).map((column) => countsTable(column, payload.communities)),
  );
}

function scoresOfLabels({ f1, nmi, omega, labels }) {
  return element(
    "div", { class: "trio" },
    measure(digits(f1), "F1 with the labels", `How alike the communities and the ${plural(labels, "label", "labels")} are, each with its best match: 1 is the same.`),
    measure(digits(nmi), "normalized mutual information", "How much one tells about the other: 1 is all, 0 nothing."),
    measure(digits(omega), "omega", "Agreement on which pairs of nodes are together, beyond chance: 1 is full agreement, 0 is chance."),
  );
}

function pInWords(p) {
  return p < 0.0001 ? "< 0.0001" : digits(p, 2);
}

function overallTable(columns) {
  const why = (column) => (column.values && column.values.length < 2 ? "the same for all" : "too many different values");
  return element("div", {}, element("h3", {}, "Does it go with the communities?"), table(
    "Each attribute and the main communities of all nodes",
    [
      { title: "attribute", text: true, cell: (column) => named(column.name, 60) },
      { title: "nodes", cell: (column) => count(column.known) },
      { title: "test", text: true, cell: (column) => (column.overall ? column.overall.test : why(column)) },
      { title: "effect", cell: (column) => (column.overall ? `${column.overall.measure} ${digits(column.overall.effect, 2)}` : "–") },
      { title: "p", cell: (column) => (column.overall ? pInWords(column.overall.p) : "–") },
    ],
    columns,
  ), element("p", { class: "small" }, "The effect is between 0 (no relation) and 1 (the communities determine the value)."));
}

function standingOut(tests, communities) {
  const title = element("h3", {}, "Which attribute explains which community?");
  if (!tests.length) return element("div", {}, title, element("p", {}, "No community stands out by any of them."));
  const place = new Map(communities.map(({ name }, i) => [name, i]));
  const rows = [...tests].sort((a, b) => place.get(a.community) - place.get(b.community) || a.p - b.p);
  return element("div", {}, title, table(
    "What members have more often than others, or larger or smaller",
    [
      { title: "community", text: true, cell: (test) => element("a", { href: `#community-${test.community}` }, test.community) },
      { title: "stands out by", text: true, cell: (test) => element("bdi", {}, cut(test.words, 200)) },
      { title: "p", cell: (test) => pInWords(test.p) },
    ],
    rows,
  ), element("p", { class: "small" }, "Categories: hypergeometric test; numbers: Mann-Whitney test. Every p is corrected for all tests of this page (Holm); only those below 0.01 are listed."));
}

/** Communities by values: counts of members, the largest of each line marked; or quartiles of numbers. */
function countsTable(column, communities) {
  const rows = communities.map((community, i) => ({ community, counts: column.counts[i] }));
  const first = { title: "community", text: true, cell: ({ community }) => community.name };
  const title = element("h3", {}, named(column.name, 80), " by community");
  if (!column.values) {
    const words = ["smallest", "lower quarter", "median", "upper quarter", "largest"];
    const columns = words.map((word, q) => ({ title: word, cell: ({ counts }) => (counts.length ? digits(counts[q], 4) : "–") }));
    return element("div", {}, title, table(`${column.name} of the members of each community`, [first, ...columns], rows));
  }
  const values = column.values.slice(0, SHOWN_VALUES);
  const heads = [...values, ...(column.values.length > values.length ? ["others"] : []), ...(column.counts.some((counts) => counts.at(-1)) ? ["unknown"] : [])];
  const cell = (counts, i) => {
    const value = countOf(counts, i, values.length, heads[i]);
    const best = Math.max(...counts.slice(0, values.length));
    const mark = i < values.length && value > 0 && value === best;
    return element("span", { class: mark ? "strongest-cell" : null }, value ? count(value) : "");
  };
  const columns = heads.map((value, i) => ({ title: cut(value, 18), cell: ({ counts }) => cell(counts, i) }));
  return element("div", {}, title, table(`Members with each value of ${column.name}`, [first, ...columns], rows));
}

/** Counts end with those of other values and of unknown ones. */
function countOf(counts, i, values, head) {
  if (i < values) return counts[i];
  return head === "unknown" ? counts.at(-1) : counts.at(-2);
}
