// From the page's data element to numbers: base64, gzip, JSON, and packed arrays within.

const ARRAYS = { f4: Float32Array, u4: Uint32Array, u2: Uint16Array, u1: Uint8Array };

function bytesOf(base64) {
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function decodePayload(base64) {
  const packed = new Blob([bytesOf(base64.trim())]).stream();
  const text = await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).text();
  return JSON.parse(text);
}

/** The numbers of a packed array, row by row; the bytes are little-endian, like all machines with browsers. */
function unpack(packed) {
  return new ARRAYS[packed.dtype](bytesOf(packed.data).buffer);
}
