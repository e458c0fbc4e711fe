// Facts and arrays of the page, read once.

const TYPES = {
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  float32: Float32Array,
  float64: Float64Array,
};

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

const BYTES = bytesOf(document.getElementById('numbers').textContent);

// Arrays stand in the facts as {array: [type, first byte, length]}.
function withArrays(key, value) {
  if (value === null || typeof value !== 'object' || !('array' in value)) return value;
  const [type, at, length] = value.array;
  return new TYPES[type](BYTES, at, length);
}

const FACTS = JSON.parse(document.getElementById('facts').textContent, withArrays);
