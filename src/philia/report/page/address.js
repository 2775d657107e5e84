// The view is in the address, behind the #, so that it can be kept as a bookmark and the back button works.

function writeAddress(network, node, other) {
  const parts = { node: network.names[node] };
  if (other !== null) parts.with = network.names[other];
  window.location.hash = new URLSearchParams(parts).toString();
}

/** The pair in the address, null where there is none that this page knows. No two nodes have the same shown name. */
function readAddress(network) {
  const said = new URLSearchParams(window.location.hash.slice(1));
  const row = (key) => network.row.get(said.get(key)) ?? null;
  const node = row("node");
  if (node === null) return null;
  const other = row("with");
  return { node, other: other === node ? null : other };
}
