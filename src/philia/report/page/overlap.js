// Shared members as a heat map: for each row's community, the share of its members in every other one.

function overlapFigure(communities, overlap) {
  const { names, shared } = overlap;
  const sizes = names.map((_, i) => shared[i][i]);
  const share = (i, j) => (i === j || !sizes[i] ? null : shared[i][j] / sizes[i]);
  const pairs = overlappingPairs(names, shared, sizes);
  // A picture of many communities would be all lines, one of few shared members all empty.
  if (names.length > MOST_CELLS || pairs.length < names.length) return overlapTable(pairs);
  const most = strongestOverlap(names, share);
  const both = (i, j) => `${count(shared[i][j])} of the ${count(sizes[i])} members of ${names[i]}`;
  const said = (i, j) => (i === j ? "" : `${both(i, j)} are also in ${names[j]}`);
  const all = names.map((_, i) => i);
  return chartFigure({
    title: "Shared members",
    sentence: most ? [
      "Each row is a community: the stronger the color, the more of its members are also in the column’s community.",
      `The largest share: ${percent(most.share)} of ${names[most.i]} are also in ${names[most.j]}.`,
    ].join(" ") : "No two communities share a member.",
    height: (width) => Math.min(width, 560),
    plot: (look, width) => {
      const every = Math.ceil((all.length * 18) / width);
      const shown = all.filter((i) => i % every === 0);
      const axis = { tickvals: shown, ticktext: shown.map((i) => names[i]), showgrid: false, zeroline: false };
      return {
        data: [{
          type: "heatmap", z: all.map((i) => all.map((j) => share(i, j))), zmin: 0, zmax: 1, xgap: 1, ygap: 1,
          colorscale: [[0, look.tint], [1, look.ink]], showscale: false, hoverongaps: false, hoverinfo: "text",
          hovertext: all.map((i) => all.map((j) => said(i, j))),
          text: all.map((i) => all.map((j) => (share(i, j) >= 0.005 ? `${Math.round(100 * share(i, j))} %` : ""))),
          texttemplate: width / all.length > 34 ? "%{text}" : "",
        }],
        layout: { xaxis: { ...axis, side: "top" }, yaxis: { ...axis, autorange: "reversed" } },
      };
    },
    table: () => table(
      "Members in both",
      [
        { title: "community", text: true, cell: (i) => names[i] },
        ...names.map((name, j) => ({ title: name, cell: (i) => count(shared[i][j]) })),
      ],
      all,
    ),
  });
}

const MOST_CELLS = 20;
const MOST_OVERLAPS = 100;

/** Those that share most of the smaller one first. */
function overlappingPairs(names, shared, sizes) {
  return names.flatMap((_, i) => range(i + 1, names.length).map((j) => ({
    one: names[i], other: names[j], both: shared[i][j], share: shared[i][j] / Math.max(1, Math.min(sizes[i], sizes[j])),
  }))).filter(({ both }) => both > 0).sort((a, b) => b.share - a.share || b.both - a.both);
}

function overlapTable(pairs) {
  return table(
    `Communities that share members: ${pairs.length > MOST_OVERLAPS ? `the first ${MOST_OVERLAPS} of ` : ""}${plural(pairs.length, "pair", "pairs")}`,
    [
      { title: "one", text: true, cell: ({ one }) => one }, { title: "other", text: true, cell: ({ other }) => other },
      { title: "in both", cell: ({ both }) => count(both) }, { title: "of the smaller", cell: ({ share }) => percent(share) },
    ],
    pairs.slice(0, MOST_OVERLAPS),
  );
}

function strongestOverlap(names, share) {
  let most = null;
  names.forEach((_, i) => names.forEach((_, j) => {
    const here = share(i, j);
    if (here && (!most || here > most.share)) most = { i, j, share: here };
  }));
  return most;
}
