// The explorer: a node with its communities, neighbours and likeliest missing links, and a pair with its reasons.

const SHOWN_NEIGHBOURS = 30;
const SHOWN_MEMBERSHIPS = 12;

/** Builds the explorer and returns `open(row)`, for buttons elsewhere in the page. */
function startExplorer(explorer) {
  const network = explorer.sparse ? new SparseNetwork(explorer) : new Network(explorer);
  const index = new NameIndex(network.names, network.size);
  const view = { node: null, other: null };
  const find = (text) => index.find(text);
  const nameOf = (row) => network.names[row];
  const first = combobox({ label: "A node", find, nameOf, pick: (row) => show(row, null) });
  const second = combobox({
    label: "Second node (to explain the pair)", find, nameOf, pick: (row) => show(view.node, row),
  });
  const about = element("div", { class: "about" });
  const pair = element("div", { class: "reasons" });
  // Screen readers hear one sentence about the result instead of the whole panel.
  const heard = element("p", { class: "unseen", role: "status", "aria-live": "polite" });
  place("explorer-words", prose(explorer.words));
  const missing = element("p", { class: "note", role: "alert", hidden: true });
  place("explorer-body", missing, element("div", { class: "fields" }, first.field, second.field), heard, about, pair);

  function show(node, other) {
    const partner = other === null || other === node ? firstPartner(network, node) : other;
    missing.hidden = true;
    writeAddress(network, node, partner);
    render(node, partner);
  }

  function render(node, other) {
    if (node === view.node && other === view.other) return;
    if (node !== view.node) about.replaceChildren(...aboutNode(network, node, show));
    Object.assign(view, { node, other });
    first.show(nameOf(node));
    second.show(other === null ? "" : nameOf(other));
    if (other === null) {
      pair.replaceChildren(element("p", {}, "There is no second node."));
      return;
    }
    pair.replaceChildren(...pairPanel(network, node, other, show));
    const probability = percent(sigmoid(network.logit(node, other)));
    heard.textContent = `${cut(nameOf(node), 60)} and ${cut(nameOf(other), 60)}: probability of a link ${probability}`;
  }

  function followAddress() {
    const there = readAddress(network);
    const strangers = unknownInAddress(network);
    missing.hidden = !strangers.length;
    missing.textContent = strangers.map((name) => `No node on this page is called “${cut(name, 80)}”.`).join(" ");
    if (there) render(there.node, there.other ?? firstPartner(network, there.node));
    return there !== null;
  }

  window.addEventListener("hashchange", followAddress);
  if (!followAddress() && network.size) render(network.bestLinked(), firstPartner(network, network.bestLinked()));
  const open = (row) => {
    show(row, null);
    const section = document.getElementById("explorer");
    section.scrollIntoView();
    section.querySelector("input").focus({ preventScroll: true });
  };
  return { network, open };
}

/** The first partner shown for a node: its likeliest missing link, or a neighbour if none is missing. */
function firstPartner(network, node) {
  const candidates = [...network.likeliest(node, 10).map((link) => link.row), ...network.neighbours(node)];
  return candidates.find((row) => network.knows(row) && row !== node) ?? null;
}

function aboutNode(network, node, show) {
  const degree = network.degrees[node];
  const links = element("span", { class: "faint" }, ` · ${plural(degree, "link", "links")}`);
  return [
    element("h3", {}, named(network.names[node], 200), links),
    element(
      "div", { class: "trio" },
      element("div", { class: "card" }, membershipsOf(network, node)),
      element("div", { class: "card" }, element("h4", {}, "Likeliest missing links"), missingOf(network, node, show)),
      element("div", { class: "card" }, element("h4", {}, "Neighbours"), neighboursOf(network, node, show)),
    ),
  ];
}

function nodeButton(network, node, row, show) {
  const name = named(network.names[row], 60);
  if (!network.knows(row)) return element("span", { class: "chip" }, name);
  return element("button", { type: "button", class: "chip", click: () => show(node, row) }, name);
}

function membershipsOf(network, node) {
  const all = network.memberships(node).filter((one) => one.value > 0).sort((a, b) => b.value - a.value);
  const title = element("h4", {}, "Memberships");
  const sign = (kind) => element("span", { class: kind }, SIGNS[kind]);
  if (!all.length) return [title, element("p", {}, "This node is in no community.")];
  const shown = all.slice(0, SHOWN_MEMBERSHIPS);
  const rest = all.length - shown.length;
  return [
    title,
    table(
      all.some((one) => one.shares) ? sharesInWords(all) : "From 0 (none) to 1 (strongest)",
      [
        { title: "community", text: true, cell: (one) => [sign(one.kind), " ", communityName(one)] },
        { title: "", text: true, cell: (one) => bar(one.value, one.kind) },
        { title: "membership", cell: (one) => membershipInWords(one.value, one.shares) },
      ],
      shown,
    ),
    rest ? element("p", { class: "small" }, `and ${count(rest)} smaller`) : null,
  ].filter((part) => part !== null);
}

function sharesInWords(memberships) {
  const kinds = new Set(memberships.map((one) => one.kind));
  if (kinds.size === 2) return "Share of its links that lead there (▲), or are missing because of it (▼)";
  return kinds.has("attracts") ? "Share of its links that lead there" : "Share of its links that are missing because of it";
}

/** Among thousands of communities, a button that leads to this one. */
function communityName({ name, community }) {
  if (community === undefined) return name;
  return element("button", { type: "button", class: "chip", click: () => goToCommunity(community) }, name);
}

function missingOf(network, node, show) {
  const links = network.likeliest(node);
  if (network.searched && !links.length) return element("p", {}, wordsAboutNone(network, node));
  if (!links.length) return element("p", {}, "It is linked with every other node.");
  return table(
    "Not linked in the data; select a name for the reasons",
    [
      { title: "node", text: true, cell: (link) => nodeButton(network, node, link.row, show) },
      { title: "probability", cell: (link) => percent(link.probability) },
    ],
    links,
  );
}

function neighboursOf(network, node, show) {
  const rows = [...network.neighbours(node).slice(0, SHOWN_NEIGHBOURS)];
  const rest = network.degrees[node] - rows.length;
  if (!network.degrees[node]) return element("p", {}, "It has no links.");
  return [
    element("ul", { class: "chips" }, rows.map((row) => element("li", {}, nodeButton(network, node, row, show)))),
    rest > 0 ? element("p", { class: "small" }, `and ${count(rest)} more`) : null,
  ];
}
