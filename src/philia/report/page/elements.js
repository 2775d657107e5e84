// Elements are made here, and only by createElement and text nodes: no text of a payload is ever read as HTML.

/** An element; attributes whose value is null are left out, functions become listeners, texts become text nodes. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

function place(id, ...children) {
  const host = document.getElementById(id);
  host.replaceChildren(...children.flat().filter((child) => child !== null));
  return host;
}

/** A user's text: isolated, so that its direction of writing stays inside, and shown in full on hover if it is cut. */
function named(text, longest = 10000) {
  const shown = text.trim() === "" ? "(blank)" : text;
  return element("bdi", { title: text.length > 24 ? text : null }, cut(shown, longest));
}

const SIGNS = { attracts: "▲", repels: "▼" };

function kindMark(kind) {
  return element("span", { class: kind }, `${SIGNS[kind]} ${kind}`);
}

/** A bar of a share between 0 and 1; the number is next to it, so it is hidden from screen readers. */
function bar(share, kind) {
  const inner = element("span", { class: `fill ${kind}` });
  inner.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return element("span", { class: "track", "aria-hidden": "true" }, inner);
}

function details(summary, make, attributes = {}) {
  const made = element("details", attributes, element("summary", {}, summary));
  // The content is made when it is first opened: tables of thousands of cells cost nothing until then.
  made.addEventListener("toggle", () => made.append(make()), { once: true });
  return made;
}
