// A model file of nearkind, read in JavaScript: Node 18, a browser, or Deno.
//
//   import { readModel, valueTables, embed } from "./model_reader.mjs";
//   const { about, model } = await readModel(bytes);   // a Uint8Array
//   const U = embed(valueTables(model), [[0, 2, 1]]);  // codes of rows
//
// Whole numbers beyond 2^53 lose digits here, and 1.0 is 1.

const MAGIC = [0x89, ...new TextEncoder().encode("nearkind"), 0x0d, 0x0a, 0x1a, 0x0a];
const HEADER = MAGIC.length + 1 + 3 * 8;
const DIGEST = 32;
const MAX_DEPTH = 200;
const MAKERS = {
  "|b1": [1, (view, at) => view.getUint8(at) !== 0],
  "|i1": [1, (view, at) => view.getInt8(at)],
  "|u1": [1, (view, at) => view.getUint8(at)],
  "<i2": [2, (view, at) => view.getInt16(at, true)],
  "<u2": [2, (view, at) => view.getUint16(at, true)],
  "<i4": [4, (view, at) => view.getInt32(at, true)],
  "<u4": [4, (view, at) => view.getUint32(at, true)],
  "<i8": [8, (view, at) => Number(view.getBigInt64(at, true))],
  "<u8": [8, (view, at) => Number(view.getBigUint64(at, true))],
  "<f4": [4, (view, at) => view.getFloat32(at, true)],
  "<f8": [8, (view, at) => view.getFloat64(at, true)],
};

// Return { about, versions, model }: JSON, with each array as { shape, data }.
export async function readModel(bytes, limit = 2 ** 30) {
  if (!MAGIC.every((byte, i) => bytes[i] === byte)) throw new Error("no nearkind model");
  if (bytes.length < HEADER + DIGEST) throw new Error("cut short");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const format = view.getUint8(MAGIC.length);
  if (format !== 1) throw new Error(`format ${format}; this reader knows 1`);
  const [nText, nPacked, nArrays] = [0, 1, 2].map((i) =>
    Number(view.getBigUint64(MAGIC.length + 1 + 8 * i, true)));
  if (nText + nPacked + nArrays > limit) throw new Error("larger than the limit");
  const end = HEADER + nText + nPacked;
  if (bytes.length !== end + DIGEST) throw new Error("cut short, or too long");
  const digest = await crypto.subtle.digest("SHA-256", bytes.subarray(0, end));
  if (new Uint8Array(digest).some((byte, i) => byte !== bytes[end + i])) {
    throw new Error("changed after it was written");
  }
  const text = new TextDecoder().decode(bytes.subarray(HEADER, HEADER + nText));
  const arrays = await inflate(bytes.subarray(HEADER + nText, end), nArrays);
  return withArrays(JSON.parse(text), new DataView(arrays.buffer), 0);
}

// Return exactly `size` bytes of a zlib stream, and stop at one too many.
async function inflate(packed, size) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const found = new Uint8Array(size);
  let at = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > size) throw new Error("arrays are longer than stated");
    found.set(value, at);
    at += value.length;
  }
  if (at !== size) throw new Error("arrays are shorter than stated");
  return found;
}

function withArrays(node, view, depth) {
  if (depth > MAX_DEPTH) throw new Error("nested too deeply");
  if (Array.isArray(node)) return node.map((item) => withArrays(item, view, depth + 1));
  if (node === null || typeof node !== "object") return node;
  const entries = Object.entries(node);
  if (entries.length === 1 && entries[0][0] === "array") return array(entries[0][1], view);
  return Object.fromEntries(
    entries.map(([name, item]) => [name, withArrays(item, view, depth + 1)]));
}

// Return { shape, data } with data in C order, whatever order the file has.
function array([dtype, order, shape, at], view) {
  if (!Object.hasOwn(MAKERS, dtype)) throw new Error(`arrays of ${dtype} are not read here`);
  const [width, number] = MAKERS[dtype];
  const size = shape.reduce((product, n) => product * n, 1);
  if (at + size * width > view.byteLength) throw new Error("an array ends after all arrays");
  const strides = new Array(shape.length);
  const axes = [...shape.keys()];
  let stride = 1;
  for (const axis of order === "F" ? axes : axes.reverse()) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  const data = Array.from({ length: size }, (_, place) => {
    let rest = place;
    let offset = 0;
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      offset += (rest % shape[axis]) * strides[axis];
      rest = Math.floor(rest / shape[axis]);
    }
    return number(view, at + offset * width);
  });
  return { shape, data };
}

// Return the tables of value vectors, one per feature, of the first distance in a model
// that has some; null if none has. Files of version 0.2 hold them without a field's name.
export function valueTables(node) {
  if (node === null || typeof node !== "object") return null;
  const found = Object.hasOwn(node, "ValueTables") ? node.ValueTables : null;
  if (found) return found.vectors ?? found[0];
  return Object.values(node).reduce((first, item) => first ?? valueTables(item), null);
}

// Return one vector per row: the sum of the vectors of its values. A code is the place of
// a value among the levels of its column; -1, the last row, is for values never seen.
export function embed(tables, codes) {
  const width = tables[0].shape[1];
  return codes.map((row) => {
    const sum = new Array(width).fill(0);
    row.forEach((code, d) => {
      const place = code < 0 ? tables[d].shape[0] + code : code;
      for (let q = 0; q < width; q += 1) sum[q] += tables[d].data[place * width + q];
    });
    return sum;
  });
}
