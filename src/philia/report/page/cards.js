// One card for each community: what it is known by, its effect, size and members.

function communityCard(community, network, open) {
  const { name, kind, typical, size, share, shares, inside, members, overlaps, label } = community;
  const { stability, significance } = community;
  const which = kind === "attracts" ? ", share of links" : ", share of links that are missing";
  const strongest = `Strongest members${shares ? which : ""}`;
  const odds = `The odds of a link are ${kind === "attracts" ? "multiplied" : "divided"} by ${inDigits(Math.abs(typical.log_odds))}`;
  return element(
    "article", { class: `card community ${kind}`, id: `community-${name}`, "aria-label": `Community ${name}` },
    element("header", {}, element("h3", {}, name), kindMark(kind)),
    editableName(community),
    element("p", { class: "effect" }, headline(inside)),
    element("p", {}, `${plural(size, "member", "members")}, ${percent(share)} of all nodes`),
    densityBars(inside, kind),
    members.length ? fact(strongest, memberButtons(members, shares, open)) : null,
    size > members.length ? allMembers(community, network, open) : null,
    overlaps.length ? fact("Shares members with", overlapChips(overlaps)) : null,
    label ? fact("Matches the label", labelInWords(label)) : null,
    community.explained ? fact("Stands out by", element("p", {}, community.explained)) : null,
    fact("Strength", element("p", {}, `${odds} between two typical members${strengthInWords(significance)}.`)),
    stability ? fact("In other fits", element("p", {}, stability.words)) : null,
    significance ? fact("On pairs that it was not found from", element("p", {}, significance.words)) : null,
  );
}

/** The effect in words that need no explanation. */
function headline({ ratio, links }) {
  if (ratio === null) return plural(links, "link inside", "links inside");
  if (ratio >= 1.05) return `${digits(ratio, 2)} times as many links as expected`;
  if (ratio > 0.95) return "As many links as expected";
  return `${percent(1 - ratio)} fewer links than expected`;
}

function strengthInWords(significance) {
  return significance ? `; ${significance.z >= 2 ? "not likely to be chance" : "could be chance"} (z = ${significance.z.toFixed(1)})` : "";
}

/** All members that the page has, on request. */
function allMembers({ name, size, shares }, network, open) {
  const found = () => network.membersOf(name);
  const make = () => {
    const members = found();
    const rest = size - members.length;
    return element(
      "div", { class: "all-members" },
      memberButtons(members.map(({ row, value }) => [network.names[row], value, row]), shares, open),
      rest > 0 ? element("p", { class: "small" }, `and ${count(rest)} more, which this page has no room for; “philia communities -o members.csv” writes all`) : null,
    );
  };
  return details(`All ${count(size)} members`, make, { class: "numbers" });
}

function labelInWords({ name, f1, shared, size }) {
  return element("p", {}, named(name, 80), ` (F1 ${digits(f1)}: ${count(shared)} of its ${count(size)} nodes)`);
}

function fact(title, body) {
  return element("div", { class: "fact" }, element("h4", {}, title), body);
}

/** Members are buttons if the explorer has them, and plain names otherwise. */
function memberButtons(members, shares, open) {
  const items = members.map(([name, membership, row]) => {
    const text = [named(name, 60), element("span", { class: "faint" }, ` ${membershipInWords(membership, shares)}`)];
    if (row === null) return element("li", {}, element("span", { class: "chip" }, text));
    return element("li", {}, element("button", { type: "button", class: "chip", click: () => open(row) }, text));
  });
  return element("ul", { class: "chips" }, items);
}

/** A share of links in percent, or a membership from 0 to 1. */
function membershipInWords(membership, shares) {
  return shares ? percent(membership < 1e-6 ? 0 : membership) : membership.toFixed(2);
}

function overlapChips(overlaps) {
  const items = overlaps.map(([other, shared, part]) => {
    const much = element("span", { class: "faint" }, ` ${count(shared)}, ${percent(part)}`);
    return element("li", {}, element("span", { class: "chip" }, other, much));
  });
  return element("ul", { class: "chips" }, items);
}

function densityBars(inside, kind) {
  const largest = Math.max(inside.density, inside.expected, 1e-12);
  const line = (word, value, look) => element(
    "div", { class: "measured" },
    element("span", {}, word), bar(value / largest, look), element("span", { class: "number" }, percent(value)),
  );
  return element(
    "div", { class: "densities" },
    element("h4", {}, "Pairs of members"),
    line("are linked", inside.density, kind),
    line("expected", inside.expected, "plain"),
    element("p", { class: "small" }, `${count(inside.links)} of ${plural(inside.pairs, "pair", "pairs")} of members are linked`),
  );
}
