// The first screen: the network itself, or a map of its communities that can be opened.

/** Around a drawing, where outlines and names reach out; less of it on a phone. */
const marginOf = (width) => Math.min(44, 0.07 * width);
const LEGEND = 24;

/** Directions mean nothing, so a drawing may be drawn out to a wide screen, up to this factor. */
const WIDEST = 1.5;

/** The canvas of a drawing: it can be zoomed and moved, and tells what is under the pointer. */
class DrawingCanvas {
  constructor({ label, hovered, pressed }) {
    this.canvas = element("canvas", { role: "img", tabindex: "0", "aria-label": label });
    this.tip = element("div", { class: "tip", hidden: true });
    this.host = element("div", { class: "canvas" }, this.canvas, this.tip);
    Object.assign(this, { hovered, pressed, scene: null, marks: {}, zoom: 1, center: null, pointers: new Map() });
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.host);
    theme.listeners.push((printing) => this.draw(printing));
  }

  show(scene) {
    Object.assign(this, { scene, zoom: 1, center: [0.5, scene.height / 2], marks: {} });
    this.hide();
    this.draw();
  }

  mark(marks) {
    Object.assign(this.marks, marks);
    this.draw();
  }

  /** The height that fits the scene, not higher than most of the window. */
  heightFor(width) {
    const most = Math.min(640, Math.max(300, 0.6 * window.innerHeight));
    return Math.round(Math.min(most, (width - 2 * marginOf(width)) * this.scene.height + 2 * marginOf(width) + 14));
  }

  view(width, height, zoom = this.zoom, center = this.center) {
    const fits = Math.min(width - 2 * marginOf(width), (height - 2 * marginOf(width) - 10) / this.scene.height);
    const scale = fits * zoom;
    const across = scale * Math.min(WIDEST, (width - 2 * marginOf(width)) / fits);
    const [x, y] = center;
    return {
      scale, across, zoom, width, height,
      x: width / 2 - x * across, y: height / 2 - (this.scene.height - y) * scale + 5,
    };
  }

  size(printing) {
    const width = printing ? 640 : Math.floor(this.host.clientWidth);
    return [width, this.heightFor(width)];
  }

  draw(printing = false) {
    const [width, height] = this.size(printing);
    if (!this.scene || width < 40) return;
    const dense = Math.max(window.devicePixelRatio || 1, printing ? 2 : 1);
    Object.assign(this.canvas, { width: width * dense, height: height * dense });
    this.canvas.style.height = `${height}px`;
    this.canvas.style.touchAction = this.zoom > 1.01 ? "none" : "pan-y";
    const to = this.canvas.getContext("2d");
    to.setTransform(dense, 0, 0, dense, 0, 0);
    to.clearRect(0, 0, width, height);
    this.scene.paint(new CanvasPen(to), this.view(width, height), drawingLook(), this.marks);
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.lift(event));
    canvas.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener("pointerleave", () => this.hide());
    canvas.addEventListener("wheel", (event) => this.turn(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  placeOf(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  now() {
    return this.view(...this.size(false));
  }

  press(event) {
    this.pointers.set(event.pointerId, this.placeOf(event));
    this.moved = 0;
    this.canvas.setPointerCapture?.(event.pointerId);
  }

  move(event) {
    const here = this.placeOf(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      this.hover(here);
      return;
    }
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    if (others.length) {
      const apart = (a) => Math.hypot(a[0] - others[0][0], a[1] - others[0][1]);
      this.zoomBy(apart(here) / Math.max(1, apart(before)), (here[0] + others[0][0]) / 2, (here[1] + others[0][1]) / 2);
    } else {
      this.shift(here[0] - before[0], here[1] - before[1]);
    }
    this.moved += Math.hypot(here[0] - before[0], here[1] - before[1]);
    this.pointers.set(event.pointerId, here);
  }

  lift(event) {
    const pressed = this.pointers.delete(event.pointerId) && this.moved < 6;
    if (!pressed) return;
    const [x, y] = this.placeOf(event);
    const found = this.scene.find(this.now(), x, y, 6);
    if (found !== null) this.pressed(this.scene, found);
  }

  shift(dx, dy) {
    const { scale, across } = this.now();
    this.moveTo(this.center[0] - dx / across, this.center[1] + dy / scale);
    this.draw();
  }

  /** The middle of the drawing stays in sight. */
  moveTo(x, y) {
    this.center = [Math.min(1, Math.max(0, x)), Math.min(this.scene.height, Math.max(0, y))];
  }

  /** Zoom so that the place under a pixel stays there. */
  zoomBy(factor, x = null, y = null) {
    const before = this.now();
    const zoom = Math.min(40, Math.max(1, this.zoom * factor));
    const [px, py] = [x ?? before.width / 2, y ?? before.height / 2];
    const sceneX = (px - before.x) / before.across;
    const sceneY = this.scene.height - (py - before.y) / before.scale;
    const grown = before.scale * zoom / this.zoom;
    const grownAcross = before.across * zoom / this.zoom;
    this.zoom = zoom;
    if (zoom === 1) this.center = [0.5, this.scene.height / 2];
    else this.moveTo(sceneX - (px - before.width / 2) / grownAcross, sceneY + (py - before.height / 2) / grown);
    this.draw();
  }

  /** The wheel zooms once the drawing has the focus or with Ctrl; otherwise it scrolls the page. */
  turn(event) {
    if (document.activeElement !== this.canvas && !event.ctrlKey) return;
    event.preventDefault();
    this.zoomBy(Math.exp(-event.deltaY / (event.deltaMode ? 20 : 400)), ...this.placeOf(event));
  }

  key(event) {
    const step = 40;
    const keys = {
      ArrowLeft: () => this.shift(step, 0), ArrowRight: () => this.shift(-step, 0),
      ArrowUp: () => this.shift(0, step), ArrowDown: () => this.shift(0, -step),
      "+": () => this.zoomBy(1.4), "=": () => this.zoomBy(1.4), "-": () => this.zoomBy(1 / 1.4), 0: () => this.zoomBy(0),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  }

  hover([x, y]) {
    const found = this.scene.find(this.now(), x, y, 4);
    this.canvas.style.cursor = found === null ? "grab" : "pointer";
    if (found !== (this.marks.hovered ?? null)) this.mark({ hovered: found });
    this.tip.hidden = found === null;
    if (found === null) return;
    const [name, ...more] = [...this.scene.said(found), ...this.hovered(this.scene, found)].filter(Boolean);
    this.tip.replaceChildren(element("strong", {}, named(name, 80)), ...more.map((text) => element("span", {}, cut(text, 160))));
    const width = this.host.clientWidth;
    this.tip.style.left = `${Math.min(Math.max(8, x + 14), Math.max(8, width - this.tip.offsetWidth - 8))}px`;
    this.tip.style.top = `${y + 16}px`;
  }

  hide() {
    this.tip.hidden = true;
    if ((this.marks.hovered ?? null) !== null) this.mark({ hovered: null });
  }

  save(format) {
    const name = `${fileStem()}-network.${format}`;
    if (format === "png") {
      this.canvas.toBlob((blob) => saveFile(name, blob), "image/png");
      return;
    }
    const [width, height] = this.size(false);
    const pen = new SvgPen(width, height, drawingLook().card);
    this.scene.paint(pen, this.view(width, height), drawingLook(), { ...this.marks, hovered: null });
    saveFile(name, pen.done(), "image/svg+xml");
  }
}

/** The theme's colors, and that of what is in no community. */
function drawingLook() {
  const look = colors();
  return { ...look, rest: document.documentElement.dataset.theme === "dark" ? "#5d636c" : "#c9c9c9" };
}

/** Builds the drawing; `open(row)` shows a node in the explorer. */
function showDrawing(payload, open) {
  const { drawing, communities, explorer, tree } = payload;
  if (!drawing) return;
  const cards = tree ? [] : drawing.communities.map(({ number, ...rest }) => ({ ...rest, number, ...cardOf(communities[number]) }));
  const builders = { nodes: nodeDrawing, map: mapDrawing, tree: treeDrawing };
  builders[drawing.kind]({ payload, drawing, cards, open, explorer });
}

function cardOf({ name, title, known, size, kind }) {
  return { name, title, known, size, kind };
}

function drawingFigure(canvas, { title, sentence, tools = [], below = [], way = null }) {
  const button = (label, text, click) => element("button", { type: "button", "aria-label": label, click }, text);
  const save = (format) => element(
    "button", { type: "button", class: "save", click: () => canvas.save(format), "aria-label": `Save the drawing as ${format}` },
    `↓ ${format.toUpperCase()}`,
  );
  return element(
    "figure", { class: "card drawing" },
    element("figcaption", {}, element("strong", { class: "unseen" }, title), element("span", {}, sentence)),
    way,
    canvas.host,
    element(
      "div", { class: "tools" },
      button("Zoom in", "+", () => canvas.zoomBy(1.6)), button("Zoom out", "−", () => canvas.zoomBy(1 / 1.6)),
      button("Show the whole network", "Whole", () => canvas.zoomBy(0)),
      ...tools, save("png"), save("svg"),
    ),
    ...below,
  );
}

function nodeDrawing({ payload, drawing, cards, open, explorer }) {
  const names = drawing.names ?? explorer.names;
  const rows = drawing.rows ? unpack(drawing.rows) : null;
  const rowOf = (i) => (rows ? rows[i] - 1 : i);
  const scene = new NodeScene(drawing, cards, names, rows);
  const painted = new Colorings(payload.attributes, scene.count);
  const canvas = new DrawingCanvas({
    label: drawingInWords(payload, cards),
    hovered: (_, i) => painted.said(i),
    pressed: (_, i) => rowOf(i) >= 0 && open(rowOf(i)),
  });
  const few = drawing.of_links > scene.links.length / 2
    ? ` Of ${count(drawing.of_links)} links ${count(scene.links.length / 2)} are drawn.` : "";
  const slices = cards.length ? "A slice of a node is the share of its links that lead to that community; outlines are drawn around members." : "";
  place("drawing", drawingFigure(canvas, {
    title: "The network",
    sentence: `Every circle is a node; select one to look it up. ${slices}${few}`.trim(),
    tools: painted.field((coloring) => canvas.mark({ coloring })),
    below: [painted.legend, communityLegend(cards, (only) => canvas.mark({ only }), (c) => scene.members(c))],
  }));
  canvas.show(scene);
  renamedListeners.push(() => canvas.draw());
}

/** One sentence for those who cannot see the drawing. */
function drawingInWords({ graph }, cards) {
  const one = ({ name, title, size }) => `${name} with ${plural(size, "member", "members")}, among them ${title}`;
  const some = cards.slice(0, 12).map(one).join("; ");
  const rest = cards.length > 12 ? `; and ${count(cards.length - 12)} more` : "";
  const groups = cards.length ? `${plural(cards.length, "community", "communities")}: ${some}${rest}.` : "no communities.";
  const all = `A drawing of ${plural(graph.nodes, "node", "nodes")} and ${plural(graph.links, "link", "links")} in ${groups}`;
  return `${all} The tables of communities and of nodes below have the same in words.`;
}

/** A button for each community, which makes all but its members pale. */
function communityLegend(cards, mark, membersOf) {
  if (!cards.length) return null;
  let chosen = null;
  const press = (c) => {
    chosen = chosen === c ? null : c;
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(at === chosen)));
    mark(chosen === null ? null : membersOf(chosen));
  };
  const buttons = cards.map((card, c) => {
    const dot = element("span", { class: "dot", "aria-hidden": "true" });
    dot.style.background = card.color;
    return element(
      "button", { type: "button", class: "chip", "aria-pressed": "false", click: () => press(c) },
      dot, element("strong", {}, card.name), " ", knownName(card, 34),
    );
  });
  const list = element("ul", { class: "chips legend-of", "aria-label": "Highlight a community" }, buttons.map((button, i) => (
    element("li", { class: i >= LEGEND ? "more" : null }, button)
  )));
  if (buttons.length <= LEGEND) return list;
  const all = element("button", {
    type: "button", class: "chip",
    click: () => {
      list.classList.add("all");
      all.parentElement.remove();
    },
  }, `all ${count(buttons.length)}`);
  list.append(element("li", {}, all));
  return list;
}

/** The map of communities, and the best-connected members of the one that is opened. */
function mapDrawing({ payload, drawing, cards, open, explorer }) {
  const places = unpack(drawing.positions);
  const radii = unpack(drawing.radii);
  const circles = cards.map((card, i) => ({
    ...card, x: places[2 * i] / 65535, y: places[2 * i + 1] / 65535, radius: radii[i], hint: "select to open",
  }));
  const map = new MapScene({ height: drawing.height, circles, lines: drawing.lines });
  const way = element("nav", { class: "way", "aria-label": "Where in the drawing" });
  const heard = element("p", { class: "unseen", role: "status", "aria-live": "polite" });
  const canvas = new DrawingCanvas({
    label: mapInWords(payload, cards),
    hovered: () => [],
    pressed: (scene, i) => (scene === map ? go(i) : scene.rows[i] && open(scene.rows[i] - 1)),
  });
  const others = payload.communities.length > cards.length ? " that attract" : "";
  const top = `All ${plural(cards.length, "community", "communities")}${others}`;

  function go(c) {
    const back = element("button", { type: "button", click: () => go(null) }, top);
    const card = c === null ? null : cards[c];
    way.replaceChildren(...(c === null ? [element("strong", {}, top)] : [
      back, element("span", { "aria-hidden": "true" }, "›"), element("strong", {}, card.name, " ", knownName(card, 60)),
      element("a", { href: `#community-${card.name}` }, "its card"),
    ]));
    if (c === null) {
      canvas.show(map);
      heard.textContent = top;
      return;
    }
    const inside = drawing.opened[c];
    canvas.show(new NodeScene({ ...inside, kind: "part" }, cards, inside.names, unpack(inside.rows)));
    const drawn = inside.names.length < inside.of ? `the ${inside.names.length} best connected of ${count(inside.of)}` : `all ${count(inside.of)}`;
    heard.textContent = `${card.name}: ${drawn} members`;
    way.append(element("span", { class: "faint" }, `${drawn} members; grey: links that lead to no community`));
  }

  place("drawing", drawingFigure(canvas, {
    title: "The map of communities", way: element("div", {}, way, heard),
    sentence: "Every circle is a community, as large as it has members; lines join those with many links between them. "
      + "Select a circle to see its best-connected members, and a member to look it up.",
    below: [communityLegend(cards, (only) => canvas.mark({ only }), (c) => new Set([c]))],
  }));
  go(null);
  renamedListeners.push(() => canvas.draw());
}

function mapInWords(payload, cards) {
  return drawingInWords(payload, cards).replace("A drawing of", "A map of the communities of");
}

/** Thousands of communities: a view for each part of the tree, down to single communities. */
function treeDrawing({ payload, drawing, explorer }) {
  const tree = new CommunityTree(payload.tree, explorer.names, explorer.nodes);
  const places = unpack(drawing.places);
  const heights = unpack(drawing.heights);
  const lines = unpack(drawing.lines);
  const way = element("nav", { class: "way", "aria-label": "Where in the map" });
  let here = tree.top;
  const canvas = new DrawingCanvas({
    label: `A map of ${plural(tree.communities, "community", "communities")} in ${tree.parts(tree.top).length} parts. `
      + "The cards below have the same in words, and open the same parts.",
    hovered: () => [],
    pressed: (scene, i) => press(scene.circles[i].part),
  });

  function press(part) {
    if (tree.isLeaf(part)) goTo(part);
    else go(part);
  }

  function go(part) {
    here = part;
    const steps = part === tree.top ? [part] : [...tree.wayTo(part), part];
    way.replaceChildren(...steps.map((one, i) => {
      const name = one === tree.top ? `All ${plural(tree.communities, "community", "communities")}` : tree.nameOf(one);
      if (i === steps.length - 1) return [element("strong", {}, name)];
      return [element("button", { type: "button", click: () => go(one) }, name), element("span", { "aria-hidden": "true" }, "›")];
    }).flat(), part === tree.top ? "" : element("a", { href: `#part=${part}` }, "its cards"));
    const inside = tree.parts(part);
    const at = new Map(inside.map((one, i) => [one, i]));
    const circles = inside.map((one, i) => ({
      part: one, name: shortName(tree, one), title: titleOfPart(tree, one), size: tree.sizes[one],
      x: places[3 * one], y: places[3 * one + 1], radius: places[3 * one + 2], color: drawing.colors[i],
      hint: tree.isLeaf(one) ? "select for its card" : "select to open",
    }));
    const joined = range(0, lines.length / 3).map((l) => [lines[3 * l], lines[3 * l + 1], lines[3 * l + 2] / 255])
      .filter(([a, b]) => at.has(a) && at.has(b)).map(([a, b, share]) => [at.get(a), at.get(b), share]);
    canvas.show(new MapScene({ height: heights[part] || 1, circles, lines: joined }));
  }

  place("drawing", drawingFigure(canvas, {
    title: "The map of communities", way,
    sentence: "Every circle is a part of the network, as large as it has members; lines join those with many links "
      + "between them. Select a circle to open it, down to single communities.",
  }));
  go(tree.top);
  renamedListeners.push(() => go(here));
}

/** As long as fits into a circle: "B6 +2" for B6 and two more communities. */
function shortName(tree, part) {
  const more = tree.counts[part] - 1;
  return `${nameInDrawing(tree.community(part))}${more ? ` +${count(more)}` : ""}`;
}

function titleOfPart(tree, part) {
  const names = tree.isLeaf(part) ? tree.membersOf(part) : tree.knownOf(part);
  return names.slice(0, 3).map(([name]) => cut(name, 24)).join(", ");
}
