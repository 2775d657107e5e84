// Light or dark: as the system is set, unless the reader chooses; print is always light.

const theme = { chosen: null, listeners: [] };
const darkSystem = window.matchMedia("(prefers-color-scheme: dark)");
const onPaper = window.matchMedia("print");

function isDark() {
  return theme.chosen === null ? darkSystem.matches : theme.chosen === "dark";
}

function applyTheme(printing = onPaper.matches) {
  document.documentElement.dataset.theme = isDark() && !printing ? "dark" : "light";
  const button = document.getElementById("theme-switch");
  button.replaceChildren(isDark() ? "☀" : "☾", element("span", {}, isDark() ? " Light" : " Dark"));
  button.setAttribute("aria-label", isDark() ? "Switch to light colors" : "Switch to dark colors");
  for (const listener of theme.listeners) listener(printing);
}

function watchTheme() {
  darkSystem.addEventListener("change", () => applyTheme());
  onPaper.addEventListener("change", () => applyTheme());
  window.addEventListener("beforeprint", () => applyTheme(true));
  window.addEventListener("afterprint", () => applyTheme(false));
  document.getElementById("theme-switch").addEventListener("click", () => {
    theme.chosen = isDark() ? "light" : "dark";
    applyTheme();
  });
  applyTheme();
}

/** The colors of the style sheet, for charts. */
function colors() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["ink", "soft", "line", "card", "tint", "attract", "repel", "neutral"];
  const font = getComputedStyle(document.body).fontFamily;
  return { ...Object.fromEntries(names.map((name) => [name, of(name)])), font };
}

const PROBABILITY = ["#FFFFFF", "#FEC287", "#F1605D", "#B63679", "#721F81", "#2D1160", "#000004"];

/** Zero has the color of the background: white on light pages, black on dark ones. */
function probabilityScale() {
  const dark = document.documentElement.dataset.theme === "dark";
  const steps = dark ? [...PROBABILITY].reverse() : PROBABILITY;
  return steps.map((color, i) => [i / (steps.length - 1), color]);
}
