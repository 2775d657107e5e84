// Files that the page makes from its own data: tables as CSV, pictures as PNG or SVG.

function saveFile(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = element("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

/** The start of a file's name: the page's title, in letters that every system allows. */
function fileStem() {
  const stem = document.getElementById("title").textContent.trim().toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
  return cut(stem.replace(/^-+|-+$/g, ""), 40).replace("…", "") || "report";
}

function csvField(value) {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvOf(header, rows) {
  return [header, ...rows].map((row) => row.map(csvField).join(",")).join("\r\n") + "\r\n";
}

/** A button that saves a table; its rows are made when it is pressed. */
function csvButton(label, name, header, rows) {
  const save = () => saveFile(`${fileStem()}-${name}.csv`, csvOf(header, rows()), "text/csv;charset=utf-8");
  return element("button", { type: "button", class: "save", click: save }, `↓ ${label}`);
}

/** Buttons for a chart of Plotly as a file. */
function chartButtons(host, title) {
  const name = `${fileStem()}-${title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "")}`;
  const save = async (format) => {
    const size = { width: host.clientWidth, height: host.clientHeight, scale: format === "png" ? 2 : 1 };
    const url = await Plotly.toImage(host, { format, ...size });
    const [head, data] = [url.slice(0, url.indexOf(",")), url.slice(url.indexOf(",") + 1)];
    const content = head.endsWith(";base64") ? new Blob([bytesOf(data)]) : decodeURIComponent(data);
    saveFile(`${name}.${format}`, content, "image/svg+xml");
  };
  const button = (format) => element(
    "button", { type: "button", class: "save", click: () => save(format), "aria-label": `Save “${title}” as ${format}` },
    `↓ ${format.toUpperCase()}`,
  );
  return element("p", { class: "saves" }, button("png"), button("svg"));
}
