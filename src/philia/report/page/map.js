// The map of communities: those that share many members are close together and joined.

const PARTNERS = 2;
const WIDTHS = [[0.5, 6], [0.25, 3.5], [0.1, 1.5]];

function mapFigure(communities, overlap) {
  const { names, shared, positions } = overlap;
  const of = new Map(communities.map((community) => [community.name, community]));
  const nodes = names.map((name, i) => ({ name, x: positions[i][0], y: positions[i][1], ...of.get(name) }));
  const lines = linesOfMap(nodes, shared);
  const biggest = Math.max(...nodes.map((node) => node.size), 1);
  const members = (node) => plural(node.size, "member", "members");
  const said = (node) => `${node.name} ${SIGNS[node.kind]} ${node.kind}, ${node.typical.effect}, ${members(node)}`;
  return chartFigure({
    title: "Map of communities",
    sentence: [
      "Blue circles attract, orange squares repel; size shows the number of members.",
      "Lines join each to the two it shares most members with, if those are at least a tenth of the smaller one:",
      `${lines.length ? plural(lines.length, "line", "lines") : "none here"}.`,
    ].join(" "),
    height: (width) => Math.min(Math.max(300, width), 560),
    plot: (look, width) => {
      const crowded = nodes.length > 24;
      const scale = Math.min(64, 14 + width / 9) / (crowded ? 1.8 : 1);
      const sizeOf = (node) => Math.max(9, scale * Math.sqrt(node.size / biggest));
      const strokes = WIDTHS.map(([, thickness], level) => {
        const these = lines.filter((line) => line.level === level);
        return {
          type: "scatter", mode: "lines", hoverinfo: "skip", opacity: 0.45, line: { color: look.soft, width: thickness },
          x: these.flatMap(({ a, b }) => [a.x, b.x, null]), y: these.flatMap(({ a, b }) => [a.y, b.y, null]),
        };
      });
      return {
        data: [...strokes, {
          type: "scatter", mode: "markers", x: nodes.map((node) => node.x), y: nodes.map((node) => node.y),
          hovertext: nodes.map(said), hoverinfo: "text", cliponaxis: false,
          marker: {
            size: nodes.map(sizeOf), opacity: 1,
            color: nodes.map((node) => (node.kind === "attracts" ? look.attract : look.repel)),
            symbol: nodes.map((node) => (node.kind === "attracts" ? "circle" : "square")),
            line: { color: look.card, width: 2 },
          },
        }],
        layout: {
          xaxis: { visible: false, range: [-0.14, 1.14] }, yaxis: { visible: false, range: [-0.14, 1.2] },
          annotations: nodes.map((node) => ({
            x: node.x, y: node.y, text: `${node.name} ${SIGNS[node.kind]}`, showarrow: false,
            yshift: sizeOf(node) / 2 + (crowded ? 7 : 11),
            font: { size: crowded ? 10 : 13 }, bgcolor: crowded ? "rgba(0,0,0,0)" : look.card, borderpad: 1,
          })),
        },
      };
    },
    table: () => table(
      "Communities joined by a line",
      [
        { title: "one", text: true, cell: ({ a }) => a.name }, { title: "other", text: true, cell: ({ b }) => b.name },
        { title: "in both", cell: (line) => count(line.shared) },
        { title: "of the smaller", cell: (line) => percent(line.share) },
      ],
      lines,
    ),
  });
}

/** Lines to the closest partners of each community; all of them would cover the map. */
function linesOfMap(nodes, shared) {
  const likeness = (i, j) => shared[i][j] / Math.sqrt(Math.max(1, nodes[i].size * nodes[j].size));
  const all = nodes.map((_, i) => i);
  const lines = new Map();
  for (const i of all) {
    const closest = all.filter((j) => j !== i).sort((j, l) => likeness(i, l) - likeness(i, j)).slice(0, PARTNERS);
    for (const j of closest) {
      const [a, b] = [Math.min(i, j), Math.max(i, j)];
      const share = shared[a][b] / Math.max(1, Math.min(nodes[a].size, nodes[b].size));
      const level = WIDTHS.findIndex(([least]) => share >= least);
      if (level >= 0) lines.set(`${a} ${b}`, { a: nodes[a], b: nodes[b], shared: shared[a][b], share, level });
    }
  }
  return [...lines.values()].sort((one, other) => other.share - one.share);
}
