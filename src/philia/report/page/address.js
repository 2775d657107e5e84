// The view is in the address, after the #, so that it can be bookmarked and the back button works.

function writeAddress(network, node, other) {
  const parts = { node: network.names[node] };
  if (other !== null) parts.with = network.names[other];
  window.location.hash = new URLSearchParams(parts).toString();
}

/** The pair in the address, null if this page does not have it. Shown names are unique. */
function readAddress(network) {
  const said = new URLSearchParams(window.location.hash.slice(1));
  const row = (key) => network.row.get(said.get(key)) ?? null;
  const node = row("node");
  if (node === null) return null;
  const other = row("with");
  return { node, other: other === node ? null : other };
}

/** The names in the address that this page does not have. */
function unknownInAddress(network) {
  const said = new URLSearchParams(window.location.hash.slice(1));
  return ["node", "with"].map((key) => said.get(key)).filter((name) => name !== null && !network.row.has(name));
}

/** Go where the address points, now that everything above it has its height; say so if there is nothing. */
function land() {
  const asked = window.location.hash.slice(1);
  const said = new URLSearchParams(asked);
  const trouble = document.getElementById("lost");
  trouble.hidden = true;
  if (said.has("node")) document.getElementById("explorer").scrollIntoView({ behavior: "instant" });
  if (!asked || said.has("node") || partInAddress(asked) !== null) return;
  if (asked.startsWith("community-")) showAllCards();
  const there = document.getElementById(decodeURIComponent(asked));
  if (there) there.scrollIntoView({ behavior: "instant" });
  else {
    const what = asked.startsWith("community-") ? `no community ${cut(asked.slice(10), 40)}` : `no part called “${cut(asked, 40)}”`;
    trouble.textContent = `This page has ${what}.`;
    trouble.hidden = false;
  }
}
