// The sections in order. Errors are shown in the page, not only in the console.

async function main() {
  watchTheme();
  const payload = await decodePayload(document.getElementById("philia-data").textContent);
  showSummary(payload);
  showQuality(payload.quality);
  // The explorer comes before the cards, whose buttons open it.
  const open = startExplorer(payload.explorer);
  showCommunities(payload, open);
  if (payload.matrix) showMatrix(payload.matrix);
  else hideSection("matrix");
  theme.listeners.push(drawAll);
  charts.forEach(fit);
  // Scroll to a bookmarked view only now that everything above it has its height.
  const bookmarked = window.location.hash.startsWith("#node=");
  if (bookmarked) document.getElementById("explorer").scrollIntoView({ behavior: "instant" });
  document.documentElement.dataset.ready = "true";
}

function hideSection(id) {
  document.getElementById(id).hidden = true;
  document.querySelector(`nav a[href="#${id}"]`).parentElement.hidden = true;
}

main().catch((error) => {
  const trouble = document.getElementById("trouble");
  const old = "This browser is too old to unpack the report; any browser of 2023 or later can.";
  const other = `The report could not be shown: ${error.message}`;
  trouble.textContent = typeof DecompressionStream === "undefined" ? old : other;
  trouble.hidden = false;
  throw error;
});
