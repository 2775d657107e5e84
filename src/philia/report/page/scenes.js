// Scenes: what a drawing shows, in a box of width 1. A scene paints itself with a pen and knows what is at a place.

const MOST_LABELS = 60;
const FAINTED = 0.12;

/** From the scene to pixels: `view` has a scale, that across, and the pixel of the scene's upper left corner. */
function placed(view, height, x, y) {
  return [view.x + x * view.across, view.y + (height - y) * view.scale];
}

/** The nodes of a network, or of one community: pies with links between them, and outlines of communities. */
class NodeScene {
  constructor(drawn, communities, names, rows) {
    const { height, positions, radii, links, shares } = drawn;
    this.height = height;
    this.places = Array.from(unpack(positions), (value) => value / 65535);
    this.radii = unpack(radii);
    this.links = unpack(links);
    this.degrees = unpack(drawn.degrees);
    this.pies = { start: unpack(shares.start), communities: unpack(shares.communities), parts: unpack(shares.parts) };
    Object.assign(this, { communities, names, rows });
    this.count = this.radii.length;
    this.outlines = communities.map(({ outlines }) => (drawn.kind === "nodes" ? outlines.map(polygonOf) : []));
    this.bySize = range(0, this.count).sort((a, b) => this.radii[b] - this.radii[a] || a - b);
    this.paint = this.paint.bind(this);
  }

  /** The communities of a node with their shares, from the pie. */
  slices(i) {
    const { start, communities, parts } = this.pies;
    return range(start[i], start[i + 1]).map((at) => ({ community: communities[at], share: parts[at] / 255 }));
  }

  colored(i, look, coloring) {
    if (coloring) return [{ share: 1, color: coloring.colorOf(i) ?? look.rest }];
    const own = this.slices(i).map(({ community, share }) => ({ share, color: this.communities[community].color }));
    const rest = 1 - own.reduce((sum, { share }) => sum + share, 0);
    return rest > 0.004 ? [...own, { share: rest, color: look.rest }] : own;
  }

  at(i, view) {
    return placed(view, this.height, this.places[2 * i], this.places[2 * i + 1]);
  }

  paint(pen, view, look, { only = null, coloring = null, hovered = null } = {}) {
    this.paintOutlines(pen, view, look, only);
    const shown = (i) => only === null || only.has(i);
    const ends = range(0, this.links.length / 2).map((l) => [this.links[2 * l], this.links[2 * l + 1]]);
    const alpha = Math.min(0.6, Math.max(0.05, 30 / Math.max(ends.length, 1) ** 0.65)) * Math.min(2.5, view.zoom ** 0.5);
    const drawn = ends.filter(([a, b]) => hovered !== null || (shown(a) && shown(b)));
    const segment = ([a, b]) => [...this.at(a, view), ...this.at(b, view)];
    pen.lines(drawn.map(segment), { stroke: look.soft, width: 0.8, alpha: hovered === null ? alpha : alpha / 2 });
    if (hovered !== null) {
      const own = ends.filter(([a, b]) => a === hovered || b === hovered);
      pen.lines(own.map(segment), { stroke: look.ink, width: 1.2, alpha: 0.7 });
    }
    for (let i = 0; i < this.count; i++) {
      const [x, y] = this.at(i, view);
      const rim = i === hovered ? { color: look.ink, width: 2.5 } : { color: look.card, width: 0.8 };
      const radius = this.radiusOf(i, view);
      pen.pie(x, y, radius, this.colored(i, look, coloring), rim, shown(i) || i === hovered ? 1 : FAINTED);
    }
    this.label(pen, view, look, shown);
  }

  radiusOf(i, view) {
    // Nodes grow slower than the space between them, so that zooming in takes them apart.
    return Math.max(1.6, this.radii[i] * view.scale / view.zoom ** 0.35);
  }

  paintOutlines(pen, view, look, only) {
    this.outlines.forEach((polygons, c) => {
      if (!polygons.length) return;
      const pixels = polygons.map((points) => points.map(([x, y]) => placed(view, this.height, x, y)));
      const { color } = this.communities[c];
      const faint = only === null ? 1 : 0.4;
      pen.outlines(pixels, { fill: color, alpha: 0.13 * faint });
      pen.outlines(pixels, { stroke: color, width: 1.2, alpha: 0.65 * faint });
    });
  }

  /** Names of the largest nodes in sight that have room, then of communities. */
  label(pen, view, look, shown) {
    const taken = [];
    const free = (x, y, half) => taken.every(([u, v, w]) => Math.abs(u - x) > half + w || Math.abs(v - y) > 13);
    const inSight = (x, y) => x > 0 && x < view.width && y > 0 && y < view.height;
    this.outlines.forEach((polygons, c) => {
      if (!polygons.length) return;
      const top = polygons.flat().reduce((best, point) => (point[1] > best[1] ? point : best));
      const [x, y] = placed(view, this.height, ...top);
      const { color } = this.communities[c];
      if (!inSight(x, Math.max(1, y - 9))) return;
      const written = { color: legible(color, look), halo: look.card, font: look.font };
      pen.text(nameInDrawing(this.communities[c]), x, Math.max(8, y - 9), { size: 14, weight: 700, ...written });
      taken.push([x, y - 9, 16]);
    });
    let written = 0;
    for (const i of this.bySize) {
      if (written >= Math.min(MOST_LABELS, view.width / 18)) break;
      const [x, y] = this.at(i, view);
      if (!inSight(x, y) || !shown(i)) continue;
      const name = cut(this.names[i], 24);
      const below = y + this.radiusOf(i, view) + 8;
      const half = 3 * name.length + 4;
      const middle = Math.max(half, Math.min(view.width - half, x)); // no name is cut at the side
      if (!free(middle, below, half)) continue;
      taken.push([middle, below, half]);
      pen.text(name, middle, below, { size: 11, color: look.ink, halo: look.card, font: look.font });
      written += 1;
    }
  }

  /** The node at a pixel, or the closest one within a few pixels; null if there is none. */
  find(view, x, y, reach) {
    let best = null;
    let nearest = Infinity;
    for (let i = 0; i < this.count; i++) {
      const [u, v] = this.at(i, view);
      const apart = Math.hypot(u - x, v - y) - this.radiusOf(i, view);
      if (apart < reach && apart < nearest) [best, nearest] = [i, apart];
    }
    return best;
  }

  members(c) {
    return new Set(range(0, this.count).filter((i) => this.slices(i).some(({ community }) => community === c)));
  }

  said(i) {
    const own = this.slices(i).sort((a, b) => b.share - a.share).slice(0, 5);
    const much = ({ community, share }) => `${this.communities[community].name} ${percent(share)}`;
    const where = own.length ? own.map(much).join(", ") : "in no community";
    return [this.names[i], `${plural(this.degrees[i], "link", "links")} · ${where}`];
  }
}

/** Communities as circles, with lines where there are many links. */
class MapScene {
  constructor({ height, circles, lines }) {
    Object.assign(this, { height, circles, lines });
  }

  at(i, view) {
    return placed(view, this.height, this.circles[i].x, this.circles[i].y);
  }

  radiusOf(i, view) {
    return Math.max(3, this.circles[i].radius * view.scale);
  }

  paint(pen, view, look, { only = null, hovered = null } = {}) {
    for (const [a, b, share] of this.lines) {
      const alpha = only === null || (only.has(a) && only.has(b)) ? 0.45 : FAINTED;
      pen.lines([[...this.at(a, view), ...this.at(b, view)]], { stroke: look.soft, width: 1 + 12 * share, alpha });
    }
    this.circles.forEach(({ color }, i) => {
      const [x, y] = this.at(i, view);
      const rim = i === hovered ? { color: look.ink, width: 2.5 } : { color: look.card, width: 1.5 };
      pen.pie(x, y, this.radiusOf(i, view), [{ share: 1, color }], rim, only === null || only.has(i) ? 1 : FAINTED);
    });
    this.labelled(view).forEach(({ i, text }) => this.label(pen, view, look, i, text));
  }

  /** The circles that have room for a name, the largest first: "B6 +2", or "B6" where that is too long. */
  labelled(view) {
    const order = range(0, this.circles.length).sort((a, b) => this.circles[b].radius - this.circles[a].radius);
    const taken = [];
    return order.flatMap((i) => {
      const { x, y, size, radius } = this.lettering(i, view);
      const half = (text) => 0.31 * size * text.length;
      const free = (text) => taken.every(([u, v, w]) => Math.abs(u - x) >= half(text) + w || Math.abs(v - y) >= 14);
      const name = nameInDrawing(this.circles[i]);
      const text = [name, name.replace(/ \+[\d,]+$/, "")].find(free);
      if (text === undefined) return [];
      taken.push([x, y, half(text)]);
      if (radius > 20) taken.push([x, y + 14, 3.4 * count(this.circles[i].size).length]);
      return [{ i, text }];
    });
  }

  /** Where a name is written, and how large: below a dot, which it would hide, and above the number in a large circle. */
  lettering(i, view) {
    const [x, middle] = this.at(i, view);
    const radius = this.radiusOf(i, view);
    const y = radius > 20 ? middle - 6 : radius > 9 ? middle : middle + radius + 8;
    return { x, y, radius, size: radius > 26 ? 14 : 11 };
  }

  label(pen, view, look, i, text) {
    const { x, y, radius, size } = this.lettering(i, view);
    const written = { color: look.ink, halo: look.card, font: look.font };
    pen.text(text, x, y, { size, weight: 700, ...written });
    if (radius > 20) pen.text(count(this.circles[i].size), x, y + 14, { size: 11, ...written });
    const room = Math.floor(2 * Math.sqrt(Math.max(0, radius ** 2 - 29 ** 2)) / 7); // letters inside the circle
    if (room > 11) pen.text(cut(knownAs(this.circles[i]), room), x, y + 29, { size: 11, ...written });
  }

  find(view, x, y) {
    const apart = (i) => {
      const [u, v] = this.at(i, view);
      return Math.hypot(u - x, v - y) - this.radiusOf(i, view);
    };
    const hit = range(0, this.circles.length).filter((i) => apart(i) < 3);
    return hit.length ? hit.reduce((best, i) => (apart(i) < apart(best) ? i : best)) : null;
  }

  said(i) {
    const { name, size, hint } = this.circles[i];
    return [`${name} · ${plural(size, "member", "members")}`, [knownAs(this.circles[i]), hint].filter(Boolean).join(" · ")];
  }
}

/** A community's color, nearer to that of text: blue on a dark ground and yellow on a light one cannot be read. */
function legible(color, look) {
  const parts = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const ink = parts(look.ink);
  return `#${parts(color).map((part, i) => Math.round(0.6 * part + 0.4 * ink[i]).toString(16).padStart(2, "0")).join("")}`;
}

function polygonOf(packed) {
  const values = unpack(packed);
  return range(0, values.length / 2).map((i) => [values[2 * i] / 21845 - 1, values[2 * i + 1] / 21845 - 1]);
}
