// Numbers and names as text. Odds and factors are worded as in philia's Python code.

const MANY = Math.log(1e7);

// Creating a number format takes longer than using it a thousand times, so each is created once.
const wholeNumbers = new Intl.NumberFormat("en-US");
const formats = new Map();

function formatOf(precision) {
  if (!formats.has(precision)) {
    formats.set(precision, new Intl.NumberFormat("en-US", { maximumSignificantDigits: precision }));
  }
  return formats.get(precision);
}

function count(n) {
  return wholeNumbers.format(n);
}

function plural(n, one, several) {
  return `${count(n)} ${n === 1 ? one : several}`;
}

/** Three digits without trailing zeros, as "%.3g" gives them. */
function digits(x, precision = 3) {
  if (x === 0) return "0";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  return minus(formatOf(precision).format(x));
}

function minus(text) {
  return text.replace("-", "−");
}

function signed(x) {
  return (x >= 0 ? "+" : "") + minus(x.toFixed(3));
}

function percent(p) {
  if (p === null || Number.isNaN(p)) return "–";
  if (p > 0 && p < 1e-6) return "<\u00a00.0001\u00a0%";
  if (p > 0.9995 && p < 1) return ">\u00a099.9\u00a0%";
  return `${digits(100 * p, p > 0.1 ? 3 : 2)}\u00a0%`;
}

/** Sentences from Python, with a number and its sign kept on one line. */
function prose(sentence) {
  return sentence.replaceAll(" %", "\u00a0%");
}

/** Sentences in which commands stand out, and are not broken at their hyphens. */
function proseWithCommands(sentence) {
  const parts = prose(sentence).split(/(philia [a-z]+(?: --[a-z-]+(?: \d+)?)+)/);
  return parts.map((part, i) => (i % 2 ? element("code", { class: "command" }, part) : part));
}

const LARGE = [[1e12, "over a trillion"], [1e9, "billion"], [1e6, "million"]];

/** e^log for log >= 0: three digits, whole thousands, or words. */
function inDigits(log) {
  if (log >= MANY) {
    const [size, word] = LARGE.find(([least]) => log >= Math.log(least));
    return size === 1e12 ? word : `${digits(Math.exp(log) / size)} ${word}`;
  }
  const value = Math.exp(log);
  return value < 999.5 ? digits(value) : count(Math.round(value));
}

function factorInWords(logOdds) {
  return `${logOdds >= 0 ? "×" : "÷"}\u00a0${inDigits(Math.abs(logOdds))}`;
}

function oddsInWords(logit) {
  return logit >= 0 ? `${inDigits(logit)} to 1` : `1 to ${inDigits(-logit)}`;
}

function sigmoid(logit) {
  return logit >= 0 ? 1 / (1 + Math.exp(-logit)) : Math.exp(logit) / (1 + Math.exp(logit));
}

/** The first characters of a text, never splitting one. */
function cut(text, longest) {
  const first = Array.from(text.slice(0, 2 * longest + 2));
  return first.length > longest ? first.slice(0, longest - 1).join("") + "…" : text;
}
