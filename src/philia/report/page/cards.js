// One card for each community: its effect, size and members.

function communityCard(community, open) {
  const { name, kind, strength, typical, size, share, shares, inside, members, overlaps, label } = community;
  const { read, stability, significance } = community;
  const which = kind === "attracts" ? ", share of links" : ", share of links that are missing";
  const strongest = `Strongest members${shares ? which : ""}`;
  const effect = read
    ? `between two typical members; ${factorInWords(strength)} on average, against popularity alone`
    : `between two typical members; ${factorInWords(strength)} between the two strongest`;
  return element(
    "article", { class: `card community ${kind}`, id: `community-${name}`, "aria-label": `Community ${name}` },
    element("header", {}, element("h3", {}, name), kindMark(kind)),
    element(
      "div", {},
      element("p", { class: "effect" }, typical.effect),
      element("p", { class: "small" }, effect),
    ),
    element("p", {}, `${plural(size, "member", "members")}, ${percent(share)} of all nodes`),
    densityBars(inside, kind),
    members.length ? fact(strongest, memberButtons(members, shares, open)) : null,
    overlaps.length ? fact("Shares members with", overlapChips(overlaps)) : null,
    label ? fact("Matches the label", labelInWords(label)) : null,
    stability ? fact("In other fits", element("p", {}, stability.words)) : null,
    significance ? fact("On pairs that it was not found from", element("p", {}, significance.words)) : null,
  );
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
    element("h4", {}, "Linked pairs inside"),
    line("in the data", inside.density, kind),
    line("expected", inside.expected, "plain"),
    element("p", { class: "small" }, ratioInWords(inside)),
  );
}

function ratioInWords({ links, pairs, ratio }) {
  const counted = `${count(links)} of ${plural(pairs, "pair", "pairs")}`;
  if (ratio === null) return counted;
  if (ratio >= 1.05) return `${counted}: ${digits(ratio, 2)} times as many as expected from popularity`;
  if (ratio > 0.95) return `${counted}: as many as expected from popularity`;
  return `${counted}: ${percent(1 - ratio)} fewer than expected from popularity`;
}
