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
