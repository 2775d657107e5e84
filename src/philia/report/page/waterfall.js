// One pair's odds, step by step: the baseline, then each community's factor, then all together.

const MOST_STEPS = 9;
const LEAST_STEP = 0.005; // rounds to "× 1"

/** What each community adds, and what all columns of finer structure add together. */
function reasonsOf(network, i, j) {
  const all = network.reasons(i, j);
  const finer = all.filter((reason) => reason.finer).reduce((total, reason) => total + reason.logOdds, 0);
  const reasons = [...all.filter((reason) => !reason.finer), { name: "finer structure", kind: "", logOdds: finer }];
  return reasons.filter((reason) => reason.logOdds !== 0);
}

/** The steps of a pair; communities with little effect share one. */
function stepsOf(network, i, j) {
  const reasons = reasonsOf(network, i, j);
  reasons.sort((one, other) => Math.abs(other.logOdds) - Math.abs(one.logOdds));
  const large = reasons.filter(({ logOdds }) => Math.abs(logOdds) >= LEAST_STEP).slice(0, MOST_STEPS);
  const shown = reasons.length > large.length + 1 ? large : reasons;
  const rest = reasons.slice(shown.length);
  const steps = shown.map((reason) => ({ name: reason.name, word: reason.kind, logOdds: reason.logOdds }));
  if (rest.length) {
    const sum = rest.reduce((total, reason) => total + reason.logOdds, 0);
    steps.push({ name: `${rest.length} smaller ones`, word: "", logOdds: sum });
  }
  const baseline = network.baseline(i, j);
  let soFar = baseline;
  for (const step of steps) step.after = soFar += step.logOdds;
  return { baseline, steps, logit: soFar, probability: sigmoid(soFar) };
}

function direction(step) {
  return step.logOdds >= 0 ? "▲" : "▼";
}

function stepsInWords({ baseline, steps, logit, probability }) {
  const said = steps.map((step) => `${`${step.name} ${step.word}`.trim()}: ${factorInWords(step.logOdds)}`);
  const first = `Baseline: odds ${oddsInWords(baseline)}`;
  const last = `together: odds ${oddsInWords(logit)}, probability ${percent(probability)}.`;
  return [first, ...said, last].join("; ");
}

function waterfallFigure(way) {
  const { baseline, steps, logit } = way;
  const named = steps.map((step) => `${step.name} ${direction(step)} ${step.word}`.trim());
  const labels = ["baseline", ...named, "together"];
  const texts = [oddsInWords(baseline), ...steps.map((step) => factorInWords(step.logOdds)), oddsInWords(logit)];
  const values = [baseline, ...steps.map((step) => step.logOdds), logit];
  const ends = [0, baseline, ...steps.map((step) => step.after), logit];
  return chartFigure({
    title: "From the baseline to the probability",
    sentence: stepsInWords(way),
    height: () => 90 + 40 * labels.length,
    plot: (look, width) => {
      const shown = width < 480 ? labels.map(shortLabel) : labels;
      const rows = labels.map((_, at) => at);
      const plotted = width - LETTER * longest(shown) - 24;
      const bounds = boundsWithTexts(ends, texts, values, plotted);
      const ticks = oddsTicks(bounds, Math.max(1, Math.floor(plotted / 110)));
      return {
        data: [{
          type: "waterfall", orientation: "h", y: rows, x: values,
          measure: ["absolute", ...steps.map(() => "relative"), "total"],
          text: texts, textposition: "outside", cliponaxis: false,
          hoverinfo: "skip", width: 0.62, constraintext: "none", textfont: { color: look.ink },
          connector: { mode: "between", line: { color: look.soft, width: 1, dash: "dot" } },
          increasing: { marker: { color: look.attract } }, decreasing: { marker: { color: look.repel } },
          totals: { marker: { color: look.neutral } },
        }],
        layout: {
          xaxis: {
            range: bounds, tickangle: 0, tickvals: ticks, ticktext: ticks.map(oddsTick), title: { text: "odds of a link" },
            zeroline: true, zerolinecolor: look.soft,
          },
          yaxis: {
            range: [labels.length - 0.4, -0.6], tickvals: rows, ticktext: shown,
            showgrid: false, zeroline: false, tickfont: { color: look.ink },
          },
        },
      };
    },
  });
}

const LETTER = 6.3; // pixels, of 12-pixel letters
const longest = (texts) => Math.max(0, ...texts.map((text) => text.length));

/** The range of an axis of so many pixels that leaves room for texts on the outer side of bars. */
function boundsWithTexts(ends, texts, values, pixels) {
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const room = (side) => LETTER * longest(texts.filter((_, i) => side * values[i] >= 0)) + 8;
  const perPixel = (high - low || 1) / Math.max(40, pixels - room(-1) - room(1));
  return [low - perPixel * room(-1), high + perPixel * room(1)];
}

/** On a phone: "baseline", "B1 ▲", "together". */
function shortLabel(label) {
  return label.split(" ").slice(0, 2).join(" ");
}

/** The powers of ten in range, thinned out so that the labels are readable. */
function oddsTicks([low, high], most) {
  const first = Math.ceil(low / Math.LN10);
  const last = Math.floor(high / Math.LN10);
  const every = Math.max(1, Math.ceil((last - first + 1) / most));
  const ticks = range(first, last + 1).filter((power) => power % every === 0);
  return ticks.map((power) => power * Math.LN10);
}

function oddsTick(logit) {
  return Math.abs(logit) < 1e-9 ? "even" : oddsInWords(logit);
}

function waterfallTable(way) {
  const whole = (name, logit) => ({ name, effect: `odds ${oddsInWords(logit)}`, logOdds: logit, after: logit });
  const rows = [
    whole("baseline", way.baseline),
    ...way.steps.map((step) => ({ ...step, effect: `${direction(step)} ${step.word} ${factorInWords(step.logOdds)}` })),
    whole("together", way.logit),
  ];
  return table(
    "The same in numbers: log-odds add, odds multiply",
    [
      { title: "step", text: true, cell: (row) => row.name },
      { title: "effect", text: true, cell: (row) => row.effect },
      { title: "log-odds", cell: (row) => signed(row.logOdds) },
      { title: "odds so far", cell: (row) => oddsInWords(row.after) },
      { title: "probability so far", cell: (row) => percent(sigmoid(row.after)) },
    ],
    rows,
  );
}
