// Pens: the same strokes on a canvas, or as the text of an SVG file. Places are in pixels.

class CanvasPen {
  constructor(context) {
    this.to = context;
  }

  outlines(polygons, { fill, stroke, width = 1, alpha = 1 }) {
    const to = this.to;
    to.beginPath();
    for (const points of polygons) {
      points.forEach(([x, y], i) => (i ? to.lineTo(x, y) : to.moveTo(x, y)));
      to.closePath();
    }
    to.globalAlpha = alpha;
    if (fill) {
      to.fillStyle = fill;
      to.fill("evenodd");
    }
    if (stroke) {
      to.strokeStyle = stroke;
      to.lineWidth = width;
      to.stroke();
    }
    to.globalAlpha = 1;
  }

  lines(ends, { stroke, width = 1, alpha = 1 }) {
    const to = this.to;
    to.beginPath();
    for (const [x, y, u, v] of ends) {
      to.moveTo(x, y);
      to.lineTo(u, v);
    }
    to.globalAlpha = alpha;
    to.strokeStyle = stroke;
    to.lineWidth = width;
    to.lineCap = "round";
    to.stroke();
    to.globalAlpha = 1;
  }

  /** A pie: slices of { share, color } from the top, clockwise, with a rim. */
  pie(x, y, radius, slices, rim, alpha = 1) {
    const to = this.to;
    to.globalAlpha = alpha;
    let from = -Math.PI / 2;
    for (const { share, color } of slices) {
      const end = from + 2 * Math.PI * share;
      to.beginPath();
      if (share < 0.999) to.moveTo(x, y);
      to.arc(x, y, radius, from, end);
      to.fillStyle = color;
      to.fill();
      from = end;
    }
    to.beginPath();
    to.arc(x, y, radius, 0, 2 * Math.PI);
    to.strokeStyle = rim.color;
    to.lineWidth = rim.width;
    to.stroke();
    to.globalAlpha = 1;
  }

  text(said, x, y, { size, color, halo, weight = 400, font }) {
    const to = this.to;
    to.font = `${weight} ${size}px ${font}`;
    to.textAlign = "center";
    to.textBaseline = "middle";
    to.lineJoin = "round";
    to.lineWidth = 3;
    to.strokeStyle = halo;
    to.strokeText(said, x, y);
    to.fillStyle = color;
    to.fillText(said, x, y);
  }
}

class SvgPen {
  constructor(width, height, ground) {
    const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
    const all = `<rect width="100%" height="100%" fill="${ground}"/>`;
    this.parts = [`<svg xmlns="http://www.w3.org/2000/svg" ${size}>`, all];
  }

  static number(x) {
    return String(Math.round(10 * x) / 10);
  }

  static safe(said) {
    const bad = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
    // Control characters and halves of surrogate pairs are not allowed in XML.
    // eslint-disable-next-line no-control-regex
    const clean = said.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "").toWellFormed?.() ?? said;
    return clean.replace(/[&<>"]/g, (letter) => bad[letter]);
  }

  outlines(polygons, { fill, stroke, width = 1, alpha = 1 }) {
    const at = (points) => points.map((point) => point.map(SvgPen.number).join(" ")).join("L");
    const d = polygons.map((points) => `M${at(points)}Z`).join("");
    const look = `fill="${fill ?? "none"}" fill-rule="evenodd" stroke="${stroke ?? "none"}" stroke-width="${width}"`;
    this.parts.push(`<path d="${d}" ${look} opacity="${alpha}"/>`);
  }

  lines(ends, { stroke, width = 1, alpha = 1 }) {
    const d = ends.map((line) => line.map(SvgPen.number)).map(([x, y, u, v]) => `M${x} ${y}L${u} ${v}`).join("");
    const look = `stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" opacity="${alpha}"`;
    this.parts.push(`<path d="${d}" fill="none" ${look}/>`);
  }

  pie(x, y, radius, slices, rim, alpha = 1) {
    const place = `cx="${SvgPen.number(x)}" cy="${SvgPen.number(y)}" r="${SvgPen.number(radius)}"`;
    let from = -Math.PI / 2;
    const at = (angle) => [x + radius * Math.cos(angle), y + radius * Math.sin(angle)].map(SvgPen.number).join(" ");
    for (const { share, color } of slices) {
      const end = from + 2 * Math.PI * share;
      const size = `${SvgPen.number(radius)} ${SvgPen.number(radius)}`;
      const d = `M${SvgPen.number(x)} ${SvgPen.number(y)}L${at(from)}A${size} 0 ${share > 0.5 ? 1 : 0} 1 ${at(end)}Z`;
      const whole = `<circle ${place} fill="${color}" opacity="${alpha}"/>`;
      this.parts.push(share >= 0.999 ? whole : `<path d="${d}" fill="${color}" opacity="${alpha}"/>`);
      from = end;
    }
    this.parts.push(`<circle ${place} fill="none" stroke="${rim.color}" stroke-width="${rim.width}" opacity="${alpha}"/>`);
  }

  text(said, x, y, { size, color, halo, weight = 400, font }) {
    const place = `x="${SvgPen.number(x)}" y="${SvgPen.number(y)}" text-anchor="middle" dominant-baseline="central"`;
    const look = `font-family="${SvgPen.safe(font)}" font-size="${size}" font-weight="${weight}" fill="${color}"`;
    const ring = `stroke="${halo}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"`;
    this.parts.push(`<text ${place} ${look} ${ring}>${SvgPen.safe(said)}</text>`);
  }

  done() {
    return `${this.parts.join("\n")}\n</svg>\n`;
  }
}
