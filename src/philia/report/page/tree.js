// Thousands of communities: the page opens at the top of their tree, and every part can be opened.

const MOST_PARTS = 24;

/** The tree: leaves are communities, and part t >= leaves joins two earlier ones. */
class CommunityTree {
  constructor(tree, names, lookedUp) {
    const { leaves, communities, named, labels } = tree;
    Object.assign(this, { leaves, communities, named, labels, names, lookedUp });
    this.merges = unpack(tree.merges);
    this.leafOf = tree.leaf_of && unpack(tree.leaf_of);
    for (const field of ["sizes", "counts", "largest", "inside", "links", "expected", "strengths", "members", "shares", "known"]) {
      this[field] = unpack(tree[field]);
    }
    this.top = this.sizes.length - 1;
    this.above = new Uint32Array(this.sizes.length);
    this.merges.forEach((part, at) => { this.above[part] = leaves + (at >> 1); });
  }

  isLeaf(part) {
    return part < this.leaves;
  }

  /** The leaf that holds a community, given by its number from 0. */
  leafWith(community) {
    return this.leafOf ? this.leafOf[community] : community;
  }

  /** The parts of a part: what its latest merges joined, at most 24, the largest first. */
  parts(part) {
    const found = [part];
    while (found.length < MOST_PARTS) {
      const latest = found.reduce((best, one) => (one > best ? one : best), 0);
      if (this.isLeaf(latest)) break;
      const at = 2 * (latest - this.leaves);
      found.splice(found.indexOf(latest), 1, this.merges[at], this.merges[at + 1]);
    }
    return found.sort((a, b) => this.sizes[b] - this.sizes[a] || a - b);
  }

  /** The parts to open one after the other, from the top, until one shows this part. */
  wayTo(part) {
    const holders = new Set([part]);
    for (let at = part; at !== this.top; holders.add(at)) at = this.above[at];
    const way = [this.top];
    for (;;) {
      const next = this.parts(way.at(-1)).find((one) => holders.has(one));
      if (next === part || next === undefined || this.isLeaf(next)) return way;
      way.push(next);
    }
  }

  /** The community of a leaf, or the largest one of a part. */
  community(part) {
    return { name: `B${this.largest[part] + 1}` };
  }

  nameOf(part) {
    const first = nameInDrawing(this.community(part));
    const more = this.counts[part] - 1;
    return more ? `${first} and ${count(more)} more` : first;
  }

  /** Names with shares of links, and the row in the explorer or null: the strongest members of a leaf. */
  membersOf(leaf) {
    return this.rowsOf(this.members, leaf, this.named).map(([at, i]) => [...at, this.shares[i]]);
  }

  /** The best-connected members of a part that is no leaf. */
  knownOf(part) {
    const each = this.known.length / Math.max(1, this.top + 1 - this.leaves);
    return this.rowsOf(this.known, part - this.leaves, each).map(([at]) => at);
  }

  rowsOf(array, line, each) {
    const places = range(line * each, (line + 1) * each).filter((i) => array[i] > 0);
    const row = (i) => array[i] - 1;
    return places.map((i) => [[this.names[row(i)], row(i) < this.lookedUp ? row(i) : null], i]);
  }
}

/** Shows a community, given by its number from 0; showTree says how. */
let goToCommunity = () => {};

/** The part that an address leads to, as "part=100" or "community-B5" do, null if there is none; showTree says how. */
let partInAddress = () => null;

function showTree(payload, open, page) {
  const tree = new CommunityTree(payload.tree, payload.explorer.names, payload.explorer.nodes);
  goToCommunity = (community) => goTo(tree.leafWith(community));
  partInAddress = (asked) => {
    const [, number] = asked.match(/^community-B(\d+)$/) ?? [];
    if (number) return number > 0 && number <= tree.communities ? tree.leafWith(number - 1) : null;
    const said = new URLSearchParams(asked).get("part");
    const part = said === null ? NaN : Number(said);
    return Number.isInteger(part) && part >= 0 && part <= tree.top ? part : null;
  };
  const view = element("div", { id: "tree" });
  const heard = element("p", { class: "unseen", role: "status", "aria-live": "polite" });
  const field = communityField(tree);
  let shown = tree.top;
  place(
    "communities-body",
    treeReading(), element("p", {}, wordsAboutTheTree(payload, tree)),
    element("div", { class: "fields" }, field), heard, view, namedPageButton(page),
    element("h3", {}, "Fewer communities"), levelsFigure(payload.levels),
  );

  function follow() {
    const part = partInAddress(window.location.hash.slice(1));
    if (part === null && view.childElementCount) return;
    shown = part ?? tree.top;
    view.replaceChildren(...treeView(tree, shown, open));
    if (part === null) return;
    heard.textContent = `${tree.nameOf(shown)}: ${plural(tree.sizes[shown], "member", "members")}`;
    (document.getElementById(`part-${shown}`) ?? view.querySelector("nav")).scrollIntoView();
  }

  window.addEventListener("hashchange", follow);
  follow();
  // The cards stay, as one of them has the focus.
  renamedListeners.push(() => view.querySelector("nav").replaceWith(treeWay(tree, shown)));
}

function treeReading() {
  return element(
    "div", { class: "reading" },
    element("h3", {}, "How to read this"),
    element(
      "p", {},
      "A community is a group of nodes with more links among themselves than their popularity would explain. A node ",
      "may be in several. There are too many to list, so those with the most links between them are put together: ",
      "open a part to see what it is made of, down to single communities.",
    ),
    element(
      "p", {},
      "“50 times as many links as expected” compares the links between members with the number there would be if ",
      "everybody had as many links as now, but with anybody. The number next to a member is the share of its links ",
      "that run through the community.",
    ),
  );
}

function wordsAboutTheTree({ in_none: none, rule, graph }, tree) {
  const left = none ? `${plural(none, "node is", "nodes are")} in none of them (${percent(none / graph.nodes)}).`
    : "Every node is in at least one.";
  const room = tree.leafOf
    ? ` This page has room for ${count(tree.leaves)} parts; “philia communities -o” writes all communities.` : "";
  return `${left} Who belongs is decided by: ${rule}.${room}`;
}

function communityField(tree) {
  const all = tree.communities;
  const find = (text) => {
    const wanted = text.trim().toUpperCase().replace(/^B/, "");
    const found = [];
    for (let c = 0; c < all && found.length < 20; c++) if (String(c + 1).startsWith(wanted)) found.push(c);
    return found;
  };
  const nameOf = (c) => `B${c + 1}`;
  const pick = (c) => {
    made.show(nameOf(c));
    goToCommunity(c);
  };
  const made = combobox({ label: "A community", find, nameOf, pick });
  return made.field;
}

function goTo(part) {
  window.location.hash = `part=${part}`;
}

/** The parts from the top to this one; a community is shown among the others of its part. */
function stepsTo(tree, part) {
  const above = tree.wayTo(part);
  return tree.isLeaf(part) || part === tree.top ? above : [...above, part];
}

function treeWay(tree, part) {
  const steps = stepsTo(tree, part);
  return element(
    "nav", { class: "way", "aria-label": "Parts of the network" },
    steps.map((one, i) => wayStep(tree, one, i === steps.length - 1)).flat(),
  );
}

/** The way from the top, and a card for each part. */
function treeView(tree, part, open) {
  const last = stepsTo(tree, part).at(-1);
  const card = (one) => (tree.isLeaf(one) ? leafCard(tree, one, one === part, open) : partCard(tree, one, open));
  return [treeWay(tree, part), element("div", { class: "cards" }, tree.parts(last).map(card))];
}

function wayStep(tree, part, here) {
  const name = part === tree.top ? `All ${plural(tree.communities, "community", "communities")}` : tree.nameOf(part);
  if (here) return element("strong", { "aria-current": "page" }, name);
  return [
    element("button", { type: "button", click: () => goTo(part) }, name),
    element("span", { "aria-hidden": "true" }, "›"),
  ];
}

function partCard(tree, part, open) {
  const name = tree.nameOf(part);
  const number = tree.parts(part).length;
  const toOpen = { type: "button", class: "wide", click: () => goTo(part), "aria-label": `Open ${name}` };
  return element(
    "article", { class: "card community attracts", id: `part-${part}`, "aria-label": name },
    element("header", {}, element("h3", {}, name)),
    element("p", { class: "effect" }, plural(tree.sizes[part], "member", "members")),
    element("p", { class: "small" }, `in ${plural(tree.counts[part], "community", "communities")}`),
    insideBar(tree.inside[part]),
    fact("Best-connected members", memberChips(tree.knownOf(part), open)),
    element("p", {}, element("button", toOpen, `Open its ${number} parts`)),
  );
}

function leafCard(tree, leaf, asked, open) {
  const several = tree.counts[leaf] > 1;
  const name = several ? tree.nameOf(leaf) : tree.community(leaf).name;
  const strongest = tree.membersOf(leaf).slice(0, 3).map(([member]) => member).join(", ");
  const size = tree.sizes[leaf];
  const members = plural(size, "member", "members");
  const label = tree.labels && tree.labels[leaf];
  return element(
    "article",
    { class: `card community attracts${asked ? " asked" : ""}`, id: `part-${leaf}`, "aria-label": name },
    element("header", {}, element("h3", {}, name), several ? null : kindMark("attracts")),
    several ? null : editableName({ name, title: strongest }),
    element("p", { class: "effect" }, several ? members : headline(insideOf(tree, leaf))),
    element("p", { class: "small" }, several
      ? `in ${count(tree.counts[leaf])} communities, which this page has no room for`
      : members),
    insideBar(tree.inside[leaf]),
    several ? null : element("p", { class: "small" }, linkedPairs(tree.links[leaf], size)),
    fact(
      several ? `Strongest members of B${tree.largest[leaf] + 1}, share of links` : "Strongest members, share of links",
      memberChips(tree.membersOf(leaf), open),
    ),
    label ? fact("Matches the label", labelInWords(label)) : null,
    several ? null : fact("Strength", element("p", {}, `odds ${factorInWords(tree.strengths[leaf])} between two typical members`)),
  );
}

function insideOf(tree, leaf) {
  const links = tree.links[leaf];
  return { links, ratio: tree.expected[leaf] > 0 ? links / tree.expected[leaf] : null };
}

function linkedPairs(links, size) {
  const pairs = (size * (size - 1)) / 2;
  return `${percent(links / Math.max(1, pairs))} of all pairs of members are linked: ${count(links)} of ${count(pairs)}`;
}

function insideBar(share) {
  return element(
    "div", { class: "densities" },
    element("h4", {}, "Links of its nodes that stay inside"),
    element(
      "div", { class: "measured wide-bar" },
      bar(share, "attracts"), element("span", { class: "number" }, percent(share)),
    ),
  );
}

function memberChips(members, open) {
  const items = members.map(([name, row, share]) => {
    const much = share === undefined ? [] : [element("span", { class: "faint" }, ` ${membershipInWords(share, true)}`)];
    const text = [named(name, 60), ...much];
    if (row === null) return element("li", {}, element("span", { class: "chip" }, text));
    return element("li", {}, element("button", { type: "button", class: "chip", click: () => open(row) }, text));
  });
  return element("ul", { class: "chips" }, items);
}
