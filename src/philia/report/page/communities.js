// The section about communities: cards, a sortable table, levels and overlaps.

const FIRST_CARDS = window.innerWidth < 500 ? 4 : 12;

/** Puts all cards on the page, if only the first are there; showCards says how. */
let showAllCards = () => {};

function showCommunities(payload, network, open, page) {
  const { communities, overlap, levels } = payload;
  if (payload.tree) {
    showTree(payload, open, page);
    return;
  }
  if (!communities.length) {
    const finer = payload.finer ? " and from finer structure that is not read as communities" : "";
    const none = `The model found no communities: its predictions come from the popularity of each node${finer}.`;
    place("communities-body", element("p", { class: "lede" }, none));
    return;
  }
  place("communities-words", wordsAboutTheRest(payload));
  showCards(communities, network, open);
  place("communities-table", communitiesTable(communities));
  place("communities-saves", communitiesButton(communities), membersButton(communities, network), namedPageButton(page));
  showLevels(levels);
  document.getElementById("of-links").hidden = !communities.some((community) => community.shares);
  const shared = communities.some((community) => community.overlaps.length);
  document.getElementById("overlap-title").hidden = !shared;
  place("overlap", shared ? overlapFigure(communities, overlap) : null);
}

function communitiesButton(communities) {
  const header = ["community", "kind", "title", "members", "links", "pairs", "expected_links_ratio", "label", "z"];
  return csvButton("CSV of communities", "communities", header, () => communities.map((c) => [
    c.name, c.kind, knownAs(c), c.size, c.inside.links, c.inside.pairs, c.inside.ratio, c.label?.name, c.significance?.z,
  ]));
}

function membersButton(communities, network) {
  const lines = () => communities.flatMap(({ name, kind }) => (
    network.membersOf(name).map(({ row, value }) => [network.names[row], name, kind, digits(value, 6).replaceAll(",", "")])
  ));
  return csvButton("CSV of members", "members", ["node", "community", "kind", "membership"], lines);
}

function wordsAboutTheRest({ rule, in_none, finer, graph }) {
  const left = `${plural(in_none, "node is", "nodes are")} in none of them (${percent(in_none / graph.nodes)}).`;
  const more = finer
    ? ` Finer structure, in ${plural(finer, "more column", "more columns")} of the model, only sharpens predictions.`
    : "";
  return `${in_none ? left : "Every node is in at least one."} Who belongs is decided by: ${rule}.${more}`;
}

function showCards(communities, network, open) {
  const cards = communities.map((community) => communityCard(community, network, open));
  place("cards", cards.slice(0, FIRST_CARDS));
  const more = document.getElementById("all-cards");
  more.hidden = cards.length <= FIRST_CARDS;
  more.textContent = `Show all ${count(cards.length)} communities`;
  showAllCards = () => {
    if (more.hidden) return;
    place("cards", cards);
    more.hidden = true;
  };
  more.addEventListener("click", () => {
    showAllCards();
    const next = cards[FIRST_CARDS];
    next.tabIndex = -1;
    next.focus({ preventScroll: true });
  });
}

function orDash(value, shown) {
  return value === null ? "–" : shown(value);
}

function communitiesTable(communities) {
  const labeled = communities.some((community) => community.label);
  const refitted = communities.some((community) => community.stability);
  const columns = [
    { title: "community", text: true, cell: (c) => element("a", { href: `#community-${c.name}` }, c.name), value: (c) => c.name },
    { title: "known by", text: true, cell: (c) => knownName(c, 60), value: (c) => knownAs(c) },
    { title: "kind", text: true, cell: (c) => kindMark(c.kind), value: (c) => c.kind },
    { title: "members", cell: (c) => count(c.size), value: (c) => c.size },
    { title: "links inside", cell: (c) => count(c.inside.links), value: (c) => c.inside.links },
    { title: "linked pairs", cell: (c) => percent(c.inside.density), value: (c) => c.inside.density },
    { title: "expected", cell: (c) => percent(c.inside.expected), value: (c) => c.inside.expected },
    { title: "times expected", cell: (c) => orDash(c.inside.ratio, digits), value: (c) => c.inside.ratio },
  ];
  if (labeled) {
    columns.push(
      {
        title: "label", text: true,
        cell: (c) => orDash(c.label, (label) => named(label.name, 60)), value: (c) => c.label?.name ?? null,
      },
      { title: "F1", cell: (c) => orDash(c.label, (label) => digits(label.f1)), value: (c) => c.label?.f1 ?? null },
    );
  }
  if (refitted) {
    columns.push({
      title: "stability",
      cell: (c) => orDash(c.stability, ({ score }) => digits(score, 2)), value: (c) => c.stability?.score ?? null,
    });
  }
  if (communities.some((community) => community.significance)) {
    columns.push({
      title: "z",
      cell: (c) => orDash(c.significance, ({ z }) => z.toFixed(1)), value: (c) => c.significance?.z ?? null,
    });
  }
  return sortableTable("Communities; select a heading to sort", columns, communities);
}
