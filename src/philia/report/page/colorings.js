// Other colors for the nodes of a drawing: by an attribute or a label instead of communities.

const CATEGORIES = ["#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#A6761D"];
const SCALE = ["#fde725", "#5ec962", "#21918c", "#3b528b", "#440154"];

class Colorings {
  constructor(attributes, nodes) {
    this.attributes = (attributes?.columns ?? []).filter((column) => column.colors && column.colors.shape[0] === nodes);
    this.values = this.attributes.map((column) => unpack(column.colors));
    this.legend = element("p", { class: "legend", hidden: true });
    this.chosen = null;
  }

  /** The value of the chosen attribute, for the node under the pointer. */
  said(i) {
    return this.attributes.map((column, a) => `${column.name}: ${this.valueOf(a, i)}`).slice(0, 4);
  }

  valueOf(a, i) {
    const { values } = this.attributes[a];
    const value = this.values[a][i];
    if (values) return value ? values[value - 1] : "–";
    return Number.isNaN(value) ? "–" : digits(value);
  }

  colorOf(a, i) {
    const { values, range: ends } = this.attributes[a];
    const value = this.values[a][i];
    if (values) return value && value <= CATEGORIES.length ? CATEGORIES[value - 1] : null;
    return Number.isNaN(value) ? null : between(SCALE, (value - ends[0]) / (ends[1] - ends[0] || 1));
  }

  field(mark) {
    if (!this.attributes.length) return [];
    const choose = (event) => {
      const a = event.target.value === "" ? null : Number(event.target.value);
      this.showLegend(a);
      mark(a === null ? null : { colorOf: (i) => this.colorOf(a, i) });
    };
    const options = [element("option", { value: "" }, "communities")];
    this.attributes.forEach((column, a) => options.push(element("option", { value: String(a) }, cut(column.name, 40))));
    return [element("label", { class: "choice" }, "Color by ", element("select", { change: choose }, options))];
  }

  showLegend(a) {
    this.legend.hidden = a === null;
    if (a === null) return;
    const { values, range: ends } = this.attributes[a];
    const dot = (color) => {
      const made = element("span", { class: "dot", "aria-hidden": "true" });
      made.style.background = color;
      return made;
    };
    const entry = (color, text) => element("span", { class: "entry" }, dot(color), named(text, 30));
    const grey = drawingLook().rest;
    if (values) {
      const shown = values.slice(0, CATEGORIES.length).map((value, i) => entry(CATEGORIES[i], value));
      const rest = values.length > shown.length ? "others or unknown" : "unknown";
      this.legend.replaceChildren(...shown, entry(grey, rest));
    } else {
      this.legend.replaceChildren(entry(SCALE[0], digits(ends[0])), "to", entry(SCALE.at(-1), digits(ends[1])), entry(grey, "unknown"));
    }
  }
}

/** A color between those of a scale, at a share from 0 to 1. */
function between(scale, share) {
  const at = Math.min(Math.max(share, 0), 1) * (scale.length - 1);
  const low = Math.min(Math.floor(at), scale.length - 2);
  const parts = (color) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
  const [from, to] = [parts(scale[low]), parts(scale[low + 1])];
  return `rgb(${from.map((value, i) => Math.round(value + (to[i] - value) * (at - low))).join(", ")})`;
}
