// A chart is a figure with a title, a sentence that says what it shows, the picture, and its numbers as a table.
// Plotly reads tags in texts, so it is only given numbers and the model's names of communities, never a user's text.

const charts = [];
const QUIET = { displayModeBar: false, doubleClick: false, showTips: false, staticPlot: false };

/** The layout that all charts share, with overrides. */
function layoutOf(particular, look, width, height) {
  const axis = {
    color: look.soft, gridcolor: look.line, zerolinecolor: look.line, linecolor: look.line, fixedrange: true,
    automargin: true, ticks: "",
  };
  return {
    width, height, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", dragmode: false, showlegend: false,
    font: { family: look.font, size: 12, color: look.ink }, margin: { l: 8, r: 8, t: 8, b: 8 },
    hoverlabel: { bgcolor: look.card, bordercolor: look.soft, font: { color: look.ink }, align: "left" },
    ...particular,
    xaxis: { ...axis, ...particular.xaxis },
    yaxis: { ...axis, ...particular.yaxis },
  };
}

/** When printing starts, the page still has the width of the screen; charts get half or all of a sheet. */
function widthOf(chart, printing) {
  if (printing) return chart.host.closest(".pair") ? 215 : 610;
  return Math.floor(chart.host.clientWidth);
}

/** On paper charts are lower, with letters of the same size, so that fewer of them need a new sheet. */
function heightOnPaper(chart, width) {
  return chart.host.closest(".pair") ? chart.height(width) : Math.max(150, Math.min(0.55 * chart.height(width), 420));
}

function draw(chart, printing = false) {
  const width = widthOf(chart, printing);
  if (width < 40) return;
  const look = colors();
  const { data, layout } = chart.plot(look, width);
  const height = printing ? heightOnPaper(chart, width) : chart.height(width);
  chart.host.style.height = `${height}px`;
  Plotly.react(chart.host, data, layoutOf(layout, look, width, height), QUIET);
}

/** Charts are drawn when they are about to be visible: a phone need not draw all of them before showing the first. */
const nearby = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    const chart = charts.find((one) => one.host === entry.target);
    if (!entry.isIntersecting || !chart || chart.seen) continue;
    chart.seen = true;
    draw(chart);
  }
}, { rootMargin: "400px" });

/** Reserve space for the picture, so that nothing jumps when it is drawn; redraw it if it was drawn before. */
function fit(chart) {
  const width = widthOf(chart, false);
  if (onPaper.matches || width === chart.width) return;
  chart.width = width;
  chart.host.style.height = `${chart.height(width)}px`;
  if (chart.seen) draw(chart);
}

const resized = new ResizeObserver((entries) => {
  charts.filter((chart) => entries.some((entry) => entry.target === chart.host)).forEach(fit);
});

/** A figure: `plot(look, width)` gives Plotly's data and layout, `height(width)` its height, `table()` the numbers. */
function chartFigure({ title, sentence, plot, height, table }) {
  const host = element("div", { class: "chart", role: "img", "aria-label": `${title}${title.endsWith("?") ? "" : "."} ${sentence}` });
  charts.push({ host, plot, height, width: 0, seen: false });
  resized.observe(host);
  nearby.observe(host);
  return element(
    "figure", { class: "card" },
    element("figcaption", {}, element("strong", {}, title), element("span", {}, sentence)),
    host,
    chartButtons(host, title),
    table ? details("The numbers", table, { class: "numbers" }) : null,
  );
}

/** Redraw in new colors; for print, draw all charts. Charts that were replaced are dropped. */
function drawAll(printing) {
  charts.splice(0, charts.length, ...charts.filter((chart) => chart.host.isConnected));
  for (const chart of charts) {
    chart.seen ||= printing;
    if (chart.seen) draw(chart, printing);
  }
}
