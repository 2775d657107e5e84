// The first screen: what network this is, in sentences and a few figures, and how the model was fitted.

function showSummary(payload) {
  const { title, made, lede, sure, sentences, remarks, graph, communities, tree } = payload;
  document.title = `${cut(title, 80)} · philia`;
  const heading = document.getElementById("title");
  heading.replaceChildren(named(title, 300));
  place("made", `A network and its communities · ${made.date}`);
  place("lede", element("p", {}, prose(lede.join(" "))));
  place("sure", sure.length ? element("p", {}, element("strong", {}, "How sure is this? "), proseWithCommands(sure.join(" "))) : null);
  place("sentences", [...strongest(communities), ...sentences].map((sentence) => element("p", {}, prose(sentence))));
  const of = (kind) => communities.filter((community) => community.kind === kind).length;
  place(
    "figures",
    figure(count(graph.nodes), graph.nodes === 1 ? "node" : "nodes"),
    figure(count(graph.links), graph.links === 1 ? "link" : "links"),
    ...(tree ? figuresOfTree(tree) : [
      figure(count(of("attracts")), "▲ attracting", "attracts"),
      figure(count(of("repels")), "▼ repelling", "repels"),
    ]),
    figure(percent(graph.density), "of all pairs linked"),
    figure(digits(graph.median_degree), "links per node (median)"),
  );
  place("remarks", remarks.length ? remarksNote(remarks) : null);
  showFit(payload.fit);
  const source = made.source ? [" from ", named(made.source, 120)] : [];
  const end = ". Self-contained page; works offline.";
  place("colophon", `Made by philia ${made.philia} on ${made.date}`, ...source, end);
}

/** The communities whose links differ most from what is expected, one of each kind. */
function strongest(communities) {
  return ["attracts", "repels"].flatMap((kind) => {
    const some = communities.filter((community) => community.kind === kind && community.inside.ratio !== null);
    if (!some.length) return [];
    const sign = kind === "attracts" ? 1 : -1;
    const best = some.reduce((a, b) => (sign * (b.inside.ratio - a.inside.ratio) > 0 ? b : a));
    const most = some.length > 1 ? `, ${kind} most` : "";
    const effect = headline(best.inside);
    return [`${best.name}, with ${plural(best.size, "member", "members")}${most}: ${effect[0].toLowerCase()}${effect.slice(1)} between them.`];
  });
}

/** The word comes first for screen readers, the number first for the eye. */
function figure(number, word, kind = null) {
  return element("div", {}, element("dt", {}, word), element("dd", { class: kind }, number));
}

function figuresOfTree({ communities, median }) {
  return [
    figure(count(communities), "▲ attracting", "attracts"),
    figure(digits(median), "members per community (median)"),
  ];
}

function remarksNote(remarks) {
  return element(
    "aside", { class: "note", "aria-label": "Remarks" },
    element("ul", {}, remarks.map((remark) => element("li", {}, remark))),
  );
}

function showFit(fit) {
  const settings = [...fit.settings];
  if (fit.selection) settings.push(["how numbers were chosen", fit.selection]);
  settings.push(["iterations", fit.iterations], ["seconds", fit.seconds], ["why it ended", fit.reason]);
  const said = (value) => (typeof value === "number" ? digits(value) : String(value));
  place("settings", table(
    "Settings of the fit",
    [
      { title: "setting", text: true, cell: ([what]) => what },
      { title: "value", text: true, cell: ([, value]) => said(value) },
    ],
    settings,
  ));
  place("loss", fit.loss.length > 1 ? lossFigure(fit.loss) : null);
}

function lossFigure(loss) {
  const [first, last] = [loss[0], loss[loss.length - 1]];
  const steps = plural(last[0], "iteration", "iterations");
  return chartFigure({
    title: "The fit",
    sentence: `The loss, which the fit minimizes, fell from ${digits(first[1])} to ${digits(last[1])} in ${steps}.`,
    height: () => 240,
    plot: (look) => ({
      data: [{
        type: "scatter", mode: "lines", x: loss.map(([i]) => i), y: loss.map(([, value]) => value),
        line: { color: look.attract, width: 2 }, hoverinfo: "text",
        hovertext: loss.map(([i, value]) => `iteration ${count(i)}: ${digits(value, 5)}`),
      }],
      layout: { xaxis: { title: { text: "iteration" } }, yaxis: { title: { text: "loss" } } },
    }),
    table: () => table(
      "Loss by iteration",
      [{ title: "iteration", cell: ([i]) => count(i) }, { title: "loss", cell: ([, value]) => digits(value, 6) }],
      loss.filter((_, i) => i % Math.ceil(loss.length / 30) === 0 || i === loss.length - 1),
    ),
  });
}
