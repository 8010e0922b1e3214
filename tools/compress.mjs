// Write compressed copies of the site's files, for servers that can send them.

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const COMPRESSIBLE = /(\.(js|mjs|css|html|json|py|svg|wasm)|snapshot-\w+\.bin)$/;
const MIN_BYTES = 1024;
const MIN_GAIN = 0.95; // a copy that is hardly smaller is left out
/** Brotli's quality. The files of a page's start take half a minute; 11 would take twice as long for 3 % less. */
const QUALITY = { start: 10, other: 5 };

/** @param {Buffer} data @param {number} quality */
const brotli = (data, quality) =>
  brotliCompressSync(data, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: data.length,
    },
  });

/** Writes NAME.gz and NAME.br next to each file of a folder that becomes smaller. @param {string} folder */
export function compressFolder(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = join(folder, name);
    if (!COMPRESSIBLE.test(name) || statSync(file).size < MIN_BYTES) continue;
    const data = readFileSync(file);
    const quality = /^pyodide|\.js$/.test(name) ? QUALITY.start : QUALITY.other;
    const copies = { gz: gzipSync(data, { level: 9 }), br: brotli(data, quality) };
    for (const [extension, copy] of Object.entries(copies))
      if (copy.length < MIN_GAIN * data.length) writeFileSync(`${file}.${extension}`, copy);
  }
}
