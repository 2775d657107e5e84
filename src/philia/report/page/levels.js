// Fewer or more communities: how they merge, and by how much each number of them shortens a description of the links.

function showLevels(levels) {
  document.getElementById("levels-title").hidden = levels === null;
  place("levels", levels === null ? null : levelsFigure(levels));
}

function levelsFigure({ levels, default: chosen, tree }) {
  const best = Math.max(...levels.map((level) => level.saved), 0);
  const good = levels.map((level) => (level.as_good ? level.communities : chosen)).filter((k) => k !== chosen);
  const numbers = () => levelsTable(levels, chosen, best);
  if (tree === null) return numbers();
  return chartFigure({
    title: "How the communities merge",
    sentence: [
      "A list of all links is shorter if the communities are known. Lengths are in nats, of 1.44 bits each.",
      "Two communities that join where little is lost are alike.",
      `The dashed line crosses the ${plural(chosen, "community", "communities")} of this page.`,
      good.length ? `With ${good.join(" or ")} the list is about as short.` : "",
    ].join(" ").trim(),
    height: () => 110 + 26 * tree.leaves.length,
    plot: (look) => treePlot(tree, look),
    table: numbers,
  });
}

/** Losses span orders of magnitude, so the axis is that of log(1 + nats). */
function treePlot(tree, look) {
  const cut = Math.log1p(tree.cut);
  const most = Math.max(...tree.branches.flatMap(({ lost }) => lost));
  const ticks = [0, ...range(0, 12).map((power) => 10 ** power).filter((nats) => nats <= most)];
  const line = (branches, color) => ({
    type: "scatter", mode: "lines", hoverinfo: "skip", line: { color, width: 2 },
    x: branches.flatMap(({ lost }) => [...lost.map(Math.log1p), null]), y: branches.flatMap(({ at }) => [...at, null]),
  });
  const merged = ({ lost }) => Math.log1p(Math.max(...lost)) < cut;
  return {
    data: [
      line(tree.branches.filter((branch) => !merged(branch)), look.neutral),
      line(tree.branches.filter(merged), look.attract),
    ],
    layout: {
      xaxis: {
        range: [-0.02 * Math.log1p(most), 1.04 * Math.log1p(most)], zeroline: false,
        tickvals: ticks.map(Math.log1p), ticktext: ticks.map(count), title: { text: "nats lost by merging" },
      },
      yaxis: {
        range: [tree.leaves.length - 0.4, -0.6], tickvals: range(0, tree.leaves.length), ticktext: tree.leaves,
        showgrid: false, zeroline: false, tickfont: { color: look.ink },
      },
      shapes: [{
        type: "line", x0: cut, x1: cut, y0: 0, y1: 1, yref: "paper", line: { color: look.soft, width: 1, dash: "dash" },
      }],
    },
  };
}

function levelsTable(levels, chosen, best) {
  const worth = ({ saved }) => (saved > 0 ? count(Math.round(saved)) : "none");
  const words = (level) => (level.communities === chosen ? "shown on this page" : level.as_good ? "about as good" : "");
  const mark = (level) => element("span", { class: "unbroken" }, words(level));
  return table(
    "What each number of communities saves",
    [
      { title: "communities", cell: (level) => count(level.communities) },
      { title: "nats saved", cell: worth },
      { title: "of the most", cell: (level) => (level.saved > 0 && best > 0 ? percent(level.saved / best) : "–") },
      { title: "", text: true, cell: mark },
    ],
    levels,
  );
}
