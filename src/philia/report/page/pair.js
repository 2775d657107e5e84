// Why a link between two nodes is likely or unlikely.

const LINKED = {
  true: "They are linked in the data.",
  false: "They are not linked in the data.",
  null: "This page does not contain whether they are linked.",
};

function pairPanel(network, node, other, show) {
  const way = stepsOf(network, node, other);
  const name = (row) => named(network.names[row], 60);
  const state = LINKED[network.linked(node, other)];
  const lookAt = { type: "button", class: "wide", click: () => show(other, node) };
  return [
    element(
      "div", { class: "together" },
      element(
        "header", { class: "verdict" },
        element("h3", {}, name(node), " and ", name(other)),
        element("p", { class: "big" }, percent(way.probability)),
        element("p", {}, `is the model’s probability of a link: odds ${oddsInWords(way.logit)}. ${state}`),
      ),
      waterfallFigure(way),
    ),
    waterfallTable(way),
    ...commonNeighbours(network, node, other, show),
    element("p", {}, element("button", lookAt, "Look up ", name(other), " instead")),
  ];
}
