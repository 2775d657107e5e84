// The sections in order. Errors are shown in the page, not only in the console.

async function main() {
  const original = takeOriginal();
  watchTheme();
  const payload = await decodePayload(document.getElementById("philia-data").textContent);
  document.getElementById("unpacking").remove();
  recallNames(payload, original.names);
  showSummary(payload);
  // The explorer comes before the drawing and the cards, whose buttons open it.
  const { network, open } = startExplorer(payload.explorer);
  showDrawing(payload, open);
  showCommunities(payload, network, open, original.page);
  showNodes(network, payload, open);
  showAttributes(payload);
  showQuality(payload);
  if (payload.matrix) showMatrix(payload.matrix);
  else hideSection("matrix");
  theme.listeners.push(drawAll);
  charts.forEach(fit);
  land();
  window.addEventListener("hashchange", () => land());
  document.documentElement.dataset.ready = "true";
}

function hideSection(id) {
  document.getElementById(id).hidden = true;
  const link = document.querySelector(`nav a[href="#${id}"]`);
  if (link) link.parentElement.hidden = true;
}

main().catch((error) => {
  const trouble = document.getElementById("trouble");
  const old = "This browser is too old to unpack the report; any browser of 2023 or later can.";
  const other = `The report could not be shown: ${error.message}`;
  trouble.textContent = typeof DecompressionStream === "undefined" ? old : other;
  trouble.hidden = false;
  document.getElementById("unpacking")?.remove();
  throw error;
});
