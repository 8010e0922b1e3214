/** @file Writes zip archives of texts, without compression, as section 4.3 of PKWARE's APPNOTE.TXT describes them. */

const UTF8_NAMES = 0x0800; // flag
const VERSION = 20; // of the format: 2.0
const DATE = 0x21; // 1 January 1980, the earliest

const CHECKSUMS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  return value;
});

/** Returns the CRC-32 of bytes. @param {Uint8Array} bytes */
function checksum(bytes) {
  let value = -1;
  for (const byte of bytes) value = (value >>> 8) ^ CHECKSUMS[(value ^ byte) & 255];
  return ~value;
}

/** Returns numbers, each with its count of bytes, in little-endian order. @param {[number, number][]} fields */
const record = (...fields) =>
  Uint8Array.from(
    fields.flatMap(([value, bytes]) =>
      Array.from({ length: bytes }, (_, at) => (value >>> (8 * at)) & 255),
    ),
  );

/**
 * Returns a zip archive.
 *
 * @param {Record<string, string>} files texts by name
 * @returns {Blob}
 */
export function zipOf(files) {
  const encoder = new TextEncoder();
  const entries = [];
  const directory = [];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const [name, data] = [path, text].map((value) => encoder.encode(value));
    /** @type {[number, number][]} */
    const common = [
      [VERSION, 2],
      [UTF8_NAMES, 2],
      [0, 2], // stored, not compressed
      [0, 2],
      [DATE, 2],
      [checksum(data), 4],
      [data.length, 4],
      [data.length, 4],
      [name.length, 2],
      [0, 2],
    ];
    const header = record([0x04034b50, 4], ...common);
    entries.push(header, name, data);
    // No comment, the first disk, no attributes.
    directory.push(record([0x02014b50, 4], [VERSION, 2], ...common, [0, 10], [offset, 4]), name);
    offset += header.length + name.length + data.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const count = Object.keys(files).length;
  const end = record(
    [0x06054b50, 4],
    [0, 4],
    [count, 2],
    [count, 2],
    [size, 4],
    [offset, 4],
    [0, 2],
  );
  return new Blob([...entries, ...directory, end], { type: "application/zip" });
}
