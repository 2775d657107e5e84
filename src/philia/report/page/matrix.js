// Two pictures with nodes in the same order: the links, and the predicted probabilities.

const LINKS = "Rows and columns are nodes; a cell is colored by the share of its pairs that are linked.";
const PROBABILITIES = "The same nodes in the same order, colored by the predicted probability of a link.";

function showMatrix(matrix) {
  if (!matrix || matrix.cells < 2) {
    place("matrix-body", element("p", {}, "The network is too small for this picture."));
    return;
  }
  const observed = unpack(matrix.observed);
  const expected = unpack(matrix.expected);
  const top = topOfScale(observed, expected);
  place(
    "matrix-body",
    element("p", {}, prose(matrix.words)),
    element(
      "div", { class: "pair" },
      matrixFigure("The links", LINKS, matrix, observed, top),
      matrixFigure("The model’s probabilities", PROBABILITIES, matrix, expected, top),
    ),
    scaleLegend(top),
    details("The numbers by group", () => groupsTable(matrix, observed, expected), { class: "numbers" }),
  );
}

/** The value of the darkest color: the largest expected value, and at least 99 % of the data. */
function topOfScale(observed, expected) {
  const sorted = Float32Array.from(observed).sort();
  const most = expected.reduce((a, b) => Math.max(a, b), 0);
  return Math.min(1, Math.max(most, sorted[Math.floor(0.99 * (sorted.length - 1))], 1e-9));
}

function matrixFigure(title, sentence, matrix, values, top) {
  const { cells, groups } = matrix;
  const rows = Array.from({ length: cells }, (_, i) => values.subarray(i * cells, (i + 1) * cells));
  const groupOf = (cell) => groups.find(([, first, last]) => first <= cell && cell <= last)?.[0] ?? "no community";
  const owner = Array.from({ length: cells }, (_, i) => groupOf(i));
  const said = (i, j, value) => `${owner[i]} with ${owner[j]}: ${percent(value)}`;
  return chartFigure({
    title, sentence,
    height: (width) => Math.min(width, 640),
    plot: (look, width) => {
      const side = (width - 50) / cells;
      // Groups too narrow on the screen for a name get none.
      const axis = (least) => {
        const legible = groups.filter(([, first, last]) => (last - first + 1) * side >= least);
        return {
          tickvals: legible.map(([, first, last]) => (first + last) / 2), ticktext: legible.map(([name]) => name),
          showgrid: false, zeroline: false, range: [-0.5, cells - 0.5], constrain: "domain", tickangle: 0,
        };
      };
      // Lines between many groups would hide what they separate.
      const bounds = (groups.length > 16 ? [] : groups).slice(1).map(([, first]) => first - 0.5);
      const stroke = { color: look.soft, width: groups.length > 12 ? 0.25 : 0.7 };
      const line = (ends) => ({ type: "line", ...ends, line: stroke });
      return {
        data: [{
          type: "heatmap", z: rows, zmin: 0, zmax: top, colorscale: probabilityScale(), showscale: false,
          hoverinfo: "text", hovertext: rows.map((row, i) => Array.from(row, (value, j) => said(i, j, value))),
        }],
        layout: {
          xaxis: { ...axis(25), side: "top" }, yaxis: { ...axis(14), range: [cells - 0.5, -0.5], scaleanchor: "x" },
          shapes: bounds.flatMap((at) => [
            line({ x0: at, x1: at, y0: -0.5, y1: cells - 0.5 }), line({ y0: at, y1: at, x0: -0.5, x1: cells - 0.5 }),
          ]),
        },
      };
    },
  });
}

function scaleLegend(top) {
  return element(
    "p", { class: "legend" },
    element("span", {}, "no pair linked"), element("span", { class: "gradient", "aria-hidden": "true" }),
    element("span", {}, top >= 1 ? "every pair linked" : `${percent(top)} of pairs or more`),
  );
}

/** Means over the square of each group with itself, and over its cells with all others. */
function groupsTable({ cells, groups }, observed, expected) {
  const mean = (values, [, first, last], inside) => {
    let sum = 0;
    let number = 0;
    for (let i = first; i <= last; i++) {
      for (let j = 0; j < cells; j++) {
        if ((j >= first && j <= last) !== inside) continue;
        sum += values[i * cells + j];
        number += 1;
      }
    }
    return number ? sum / number : null;
  };
  const column = (title, values, inside) => ({ title, cell: (group) => percent(mean(values, group, inside)) });
  return table(
    "Mean over each group’s cells",
    [
      { title: "group", text: true, cell: ([name]) => name },
      column("inside, linked", observed, true), column("inside, predicted", expected, true),
      column("to others, linked", observed, false), column("to others, predicted", expected, false),
    ],
    groups,
  );
}
