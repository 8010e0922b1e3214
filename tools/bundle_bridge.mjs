// Bundle a bridge to the GPU into one script that evaluates to the module's exports.
// usage: node tools/bundle_bridge.mjs INPUT OUTPUT

import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { build } from "esbuild";

const [input, output] = process.argv.slice(2);

const { outputFiles } = await build({
  entryPoints: [input],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  globalName: "bridge",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
});

// Without the function, the bundle would define a global variable in the page.
const script = `(()=>{${outputFiles[0].text.trim()}return bridge})()\n`;
await mkdir(dirname(output), { recursive: true });
await writeFile(output, script);
console.log(`${output}: ${script.length} bytes`);
