// What pairs that the model did not see say about it; and whether its probabilities are calibrated.

function showQuality({ quality, hidden }) {
  place("quality-body", hidden ? hiddenPairs(hidden) : null, testedOn(quality, hidden));
  showCalibration(quality);
}

/** The pairs that the choice of the numbers of communities hid from itself. */
function hiddenPairs(hidden) {
  return [
    element("p", {}, prose(hidden.words)),
    element(
      "div", { class: "trio" },
      measure(
        percent(hidden.explained), "of the uncertainty removed",
        "On pairs that were hidden while the model was fitted to the others. Knowing only how many links there are",
        "removes 0 %, knowing every pair 100 %.",
      ),
      measure(
        digits(hidden.log_likelihood, 4), "log-likelihood per hidden pair",
        `The density alone gives ${digits(hidden.density, 4)}; closer to 0 is better.`,
        hidden.error ? `The standard error is ${digits(hidden.error, 2)}.` : "",
      ),
      hidden.range ? columnsThatPredict(hidden.range) : null,
    ),
  ];
}

function columnsThatPredict([fewest, most]) {
  const what = "Columns are communities that attract, and finer structure.";
  return fewest === most
    ? measure(count(fewest), "columns predict best", what, "No other number came within one standard error.")
    : measure(`${count(fewest)} to ${count(most)}`, "columns predict equally well", what, "All of these come within one standard error of the best.");
}

function testedOn(quality, hidden) {
  if (!quality) return element("p", {}, "There are no pairs to judge the model by.");
  if (!quality.held_out) {
    const why = hidden ? "" : "No pairs were hidden from this fit, so nothing here says how well it predicts. ";
    return element("p", { class: "note" }, `${why}To test the final model itself, fit again with --held-out 10% (held_out=0.1 in Python).`);
  }
  const between = (interval) => (interval ? ` (between ${digits(interval[0])} and ${digits(interval[1])})` : "");
  const error = quality.log_likelihood_error === null ? "" : ` ± ${digits(quality.log_likelihood_error, 2)}`;
  return [
    element("h3", {}, "Pairs held out of the final fit"),
    element("p", {}, prose(quality.words)),
    element(
      "div", { class: "pair" },
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
    ),
    element(
      "p", { class: "small" },
      `Measured on ${count(quality.pairs)} pairs that the fit did not see, ${count(quality.links)} of them linked. `,
      `The mean log-likelihood per pair is ${digits(quality.mean_log_likelihood)}${error}; `,
      `the density alone gives ${digits(quality.density_alone)}.`,
    ),
  ];
}

function showCalibration(quality) {
  if (!quality) {
    hideSection("calibration");
    return;
  }
  const pairs = quality.held_out ? "pairs that the fit did not see" : "pairs that the fit has seen";
  const seen = quality.held_out ? null : element("p", {}, "These are the pairs that the model was fitted to, so this is no test: it shows how closely the probabilities follow the data.");
  place("calibration-body", seen, calibrationFigure(quality.calibration, pairs));
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
