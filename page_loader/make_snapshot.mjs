// Copy the memory of Pyodide with py_tensor and other modules imported.
// usage: node make_snapshot.mjs FOLDER OUTPUT.json [PROGRAM.py]
//        python -m py_tensor.snapshot PROGRAM.py --output FOLDER
//
// FOLDER has start.json, Pyodide and the archives. The copy is stored next to OUTPUT.json, which describes it.

import { spawnSync } from "node:child_process";
import { createHash, webcrypto } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { FOLDER, pathOf } from "./late_files.js";
import { startCopyable } from "./snapshot.js";

const [folder, output, program] = process.argv.slice(2).map((path) => resolve(path));

// A copy that was made without JavaScript Promise Integration could not wait in a page. Node.js 25 and newer have it without a flag.
if (!("Suspending" in WebAssembly || "Suspender" in WebAssembly)) {
  const name = process.versions.node.startsWith("20.") ? "stack-switching" : "jspi";
  const flag = `--experimental-wasm-${name}`;
  if (process.execArgv.includes(flag))
    throw new Error(`make_snapshot: no JSPI; got Node.js ${process.version}; use another version`);
  const command = [flag, ...process.argv.slice(1)];
  process.exit(spawnSync(process.execPath, command, { stdio: "inherit" }).status ?? 1);
}

// The same sources give the same bytes.
process.env.TZ = "UTC";
Date.now = () => 1000 * Number(process.env.SOURCE_DATE_EPOCH ?? 315532800);
performance.now = () => 0;
webcrypto.getRandomValues = (array) => array;

const { archives, python, lock } = JSON.parse(await readFile(join(folder, "start.json"), "utf8"));
const load = (/** @type {string} */ name) => import(pathToFileURL(join(folder, name)).href);
const { loadPyodide } = await load("pyodide.mjs");
const { default: createModule } = await load("pyodide.asm.mjs");
const { pyodide, copy } = await startCopyable(loadPyodide, createModule, {
  indexURL: folder,
  stdLibURL: join(folder, archives.start.file),
  lockFileContents: JSON.stringify(lock),
  packageBaseUrl: folder,
  env: { PYTHONHASHSEED: "0", LANG: "C.UTF-8", _: "./this.program" },
  _sysExecutable: "./this.program",
  async fsInit(FS) {
    FS.mkdirTree(FOLDER);
    for (const [name, { file }] of Object.entries(archives))
      if (name !== "start") FS.writeFile(pathOf(name, python), await readFile(join(folder, file)));
  },
});
if (program) pyodide.mountNodeFS("/program", dirname(program));
pyodide.runPython(`import sys; sys.path.append("${pathOf("core", python)}")`);
try {
  pyodide.pyimport("py_tensor_archives").prepare(program ? `/program/${basename(program)}` : null);
} catch (error) {
  // Node.js would also print the line of Pyodide's script, which has a megabyte.
  console.error(/** @type {Error} */ (error).message);
  process.exit(1);
}
const { data, ...description } = copy();
const hash = createHash("sha256").update(data).digest("hex").slice(0, 16);
const target = dirname(output);
const old = await readFile(output, "utf8")
  .then((text) => JSON.parse(text).file)
  .catch(() => null);
if (old) for (const name of [old, `${old}.gz`]) await rm(join(target, name), { force: true });
const file = `snapshot-${hash}.bin`;
const compressed = gzipSync(data, { level: 9 });
await writeFile(join(target, file), data);
await writeFile(join(target, `${file}.gz`), compressed);
const sources = archives.sources.file;
const entry = { file, bytes: data.length, compressed: compressed.length, sources, ...description };
await writeFile(output, JSON.stringify(entry));
console.log(`${file}: ${data.length} bytes, ${compressed.length} compressed`);
process.exit(0);
