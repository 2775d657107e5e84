// Whether the probabilities can be trusted: two scores and the calibration curve.

function showQuality(quality) {
  if (!quality) {
    place("quality-body", element("p", {}, "There are no pairs to judge the model by."));
    return;
  }
  const between = (interval) => (interval ? ` (between ${digits(interval[0])} and ${digits(interval[1])})` : "");
  const error = quality.log_likelihood_error === null ? "" : ` ± ${digits(quality.log_likelihood_error, 2)}`;
  const pairs = quality.held_out ? "pairs that the fit did not see" : "pairs that the fit has seen";
  place(
    "quality-body",
    element("p", {}, prose(quality.words)),
    element(
      "div", { class: "pair" },
      element(
        "div", { class: "stack" },
        measure(
          digits(quality.auc), `AUC${between(quality.auc_interval)}`,
          "How well the model ranks pairs: 1 if every linked pair ranks above every unlinked one,",
          "0.5 for a random guess.",
        ),
        measure(
          digits(quality.average_precision), `Average precision${between(quality.average_precision_interval)}`,
          "With pairs sorted by probability, likeliest first: the share of links among the top ones, averaged",
          `over all links. A random order gives ${digits(quality.links / quality.pairs)}.`,
        ),
        element(
          "p", { class: "small" },
          `Measured on ${count(quality.pairs)} ${pairs}, ${count(quality.links)} of them linked. `,
          `The mean log-likelihood per pair is ${digits(quality.mean_log_likelihood)}${error}; `,
          `the density alone gives ${digits(quality.density_alone)}.`,
        ),
      ),
      calibrationFigure(quality.calibration, pairs),
    ),
  );
}

function measure(number, name, ...meaning) {
  return element(
    "div", { class: "card measure" },
    element("p", { class: "big" }, number), element("h3", {}, name), element("p", {}, meaning.join(" ")),
  );
}

const TICKS = [0, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1];

/** The ticks whose square roots are at least this far apart. */
function ticksApart(ticks, least) {
  const near = (p, q) => Math.sqrt(p) - Math.sqrt(q) < least;
  return ticks.reduce((kept, p) => (kept.length && near(p, kept.at(-1)) ? kept : [...kept, p]), []);
}

function calibrationFigure(calibration, pairs) {
  const { predicted, observed, low, high, pairs: counts } = calibration;
  const rows = predicted.map((p, i) => ({ p, o: observed[i], low: low[i], high: high[i], pairs: counts[i] }));
  const top = Math.min(1, 1.08 * Math.max(0.01, ...predicted, ...high));
  const farthest = rows.reduce((far, row) => (Math.abs(row.o - row.p) > Math.abs(far.o - far.p) ? row : far), rows[0]);
  // Square-root axes separate small probabilities, and keep the diagonal straight.
  const root = Math.sqrt;
  const axis = (room) => {
    const ticks = ticksApart(TICKS.filter((p) => p <= top), room * root(top));
    const bounds = [-0.03 * root(top), 1.02 * root(top)];
    return { tickvals: ticks.map(root), ticktext: ticks.map(percent), range: bounds, zeroline: false, tickangle: 0 };
  };
  const said = (row) => `predicted ${percent(row.p)}, linked ${percent(row.o)} of ${count(row.pairs)} pairs`;
  return chartFigure({
    title: "Are the probabilities calibrated?",
    sentence: [
      `Each dot is a group of ${pairs}: across, the predicted probability; up, the share that is linked.`,
      "They agree on the dashed line.",
      `The largest difference: ${percent(farthest.p)} predicted, ${percent(farthest.o)} linked.`,
    ].join(" "),
    height: (width) => Math.min(420, Math.max(280, 0.8 * width)),
    plot: (look, width) => ({
      data: [
        {
          type: "scatter", mode: "lines", x: [0, root(top)], y: [0, root(top)], hoverinfo: "skip",
          line: { color: look.soft, dash: "dash", width: 1.5 },
        },
        {
          type: "scatter", mode: "markers", x: rows.map((row) => root(row.p)), y: rows.map((row) => root(row.o)),
          marker: { color: look.attract, size: 9 }, cliponaxis: false, hovertext: rows.map(said), hoverinfo: "text",
          error_y: {
            type: "data", symmetric: false, color: look.attract, thickness: 1.5, width: 4,
            array: rows.map((row) => root(row.high) - root(row.o)),
            arrayminus: rows.map((row) => root(row.o) - root(row.low)),
          },
        },
      ],
      layout: {
        xaxis: { ...axis(45 / width), title: { text: "predicted probability" } },
        yaxis: { ...axis(0.07), title: { text: "share that is linked" } },
      },
    }),
    table: () => table(
      "Calibration",
      [
        { title: "predicted", cell: (row) => percent(row.p) },
        { title: "linked", cell: (row) => percent(row.o) },
        { title: "interval", cell: (row) => `${percent(row.low)} and ${percent(row.high)}` },
        { title: "pairs", cell: (row) => count(row.pairs) },
      ],
      rows,
    ),
  });
}
