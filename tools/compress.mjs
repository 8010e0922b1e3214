// Write compressed copies of the site's files, for servers that can send them.

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const COMPRESSIBLE = /\.(js|mjs|css|html|json|py|svg|wasm|whl|zip)$/;
const MIN_BYTES = 1024;
const MIN_GAIN = 0.95; // a copy that is hardly smaller is left out

/** Writes NAME.gz next to each file of a folder that becomes smaller. @param {string} folder */
export function compressFolder(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = join(folder, name);
    if (!COMPRESSIBLE.test(name) || statSync(file).size < MIN_BYTES) continue;
    const data = readFileSync(file);
    const compressed = gzipSync(data, { level: 9 });
    if (compressed.length < MIN_GAIN * data.length) writeFileSync(`${file}.gz`, compressed);
  }
}

/** Bytes of a folder's files, as they are and compressed. @param {string} folder */
export function sizesOf(folder) {
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  const sum = (/** @type {number[]} */ sizes) => sizes.reduce((total, size) => total + size, 0);
  return {
    plain: sum(files.map(({ length }) => length)),
    compressed: sum(files.map((data) => gzipSync(data).length)),
  };
}
