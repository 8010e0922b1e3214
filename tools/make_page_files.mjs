// Make the files from which a page starts: archives of bytecode, a copy of Python's memory, and the loader.
// usage: node tools/make_page_files.mjs WHEEL FOLDER
//
// FOLDER has Pyodide with the standard library's bytecode, and pyodide-lock.json.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { loadPyodide } from "pyodide";

const [wheel, folder] = process.argv.slice(2);
const ROOT = join(import.meta.dirname, "..");
const LOADER = join(ROOT, "page_loader");
const MANIFEST = join(folder, "start.json");
const PYODIDE = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"];

/** Program that returns the modules that a first result needs on WebAssembly, WebGL and WebGPU, settings and pictures. */
const FIRST_RESULT = `
from importlib import import_module
import py_tensor as pt

for name in (
    "diagnostics.env", "display.pictures", "display.places", "images",
    "runtime.array_format", "runtime.host_eval",
    "runtime.backends.pyodide_webgpu", "runtime.backends.webgl", "runtime.backends.webgpu",
):
    import_module(f"py_tensor.{name}")
pt.set_backend("wasm")
x = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
for y in (x @ x + 1, pt.sum(x, axis=0), pt.softmax(pt.exp(x)), x[0], pt.concat([x, x]), pt.reshape(x.T, (4,))):
    repr(y)
    memoryview(y)
[*sys.modules]
`;

/** Program that returns the modules that all public names need. */
const PUBLIC_NAMES = `
for package in (pt, *(import_module(f"py_tensor.{name}") for name in pt._SUBPACKAGES)):
    for name in getattr(package, "__all__", ()):
        getattr(package, name)
[*sys.modules]
`;

/** @param {string} name */
function sizesOf(name) {
  const data = readFileSync(join(folder, name));
  return { bytes: data.length, compressed: gzipSync(data).length };
}

/** Writes the archives with a hash in their names, and returns their entries of the manifest. */
async function makeArchives() {
  const pyodide = await loadPyodide({ env: { HOME: "/home/pyodide" } });
  const { FS } = pyodide;
  FS.writeFile("/wheel.zip", readFileSync(wheel));
  FS.writeFile("/stdlib.zip", readFileSync(join(folder, "python_stdlib.zip")));
  FS.writeFile("/py_tensor_archives.py", readFileSync(join(LOADER, "py_tensor_archives.py")));
  FS.mkdir("/out");
  pyodide.runPython('import sys; sys.path += ["/", "/wheel.zip"]; import py_tensor_archives');
  const started = pyodide.runPython(FIRST_RESULT);
  const used = pyodide.runPython(PUBLIC_NAMES);
  for (const name of ["compile_archive.py", "page_archives.py"])
    FS.writeFile(`/${name}`, readFileSync(join(import.meta.dirname, name)));
  const names = pyodide
    .pyimport("page_archives")
    .page_archives("/wheel.zip", "/stdlib.zip", "/py_tensor_archives.py", started, used, "/out");
  /** @type {Record<string, { file: string, bytes: number }>} */
  const archives = {};
  for (const name of names) {
    const data = FS.readFile(`/out/${name}.zip`);
    const hash = createHash("sha256").update(data).digest("hex").slice(0, 16);
    const file = `${name}-${hash}.zip`;
    writeFileSync(join(folder, file), data);
    archives[name] = { file, bytes: data.length };
  }
  return archives;
}

/** Writes a script with what it imports into the folder. @param {import("esbuild").BuildOptions} options */
const bundle = (options) =>
  build({
    ...options,
    outdir: folder,
    bundle: true,
    minify: true,
    format: "esm",
    legalComments: "none",
  });

for (const name of readdirSync(folder))
  if (/-[0-9a-f]{16}\.(zip|bin|bin\.gz)$/.test(name)) rmSync(join(folder, name));
const lock = JSON.parse(readFileSync(join(folder, "pyodide-lock.json"), "utf8"));
const manifest = {
  lock,
  python: lock.info.python,
  pyodide: Object.fromEntries(PYODIDE.map((name) => [name, sizesOf(name)])),
  archives: await makeArchives(),
};
writeFileSync(MANIFEST, JSON.stringify(manifest));
await bundle({
  entryPoints: [join(LOADER, "make_snapshot.mjs")],
  outExtension: { ".js": ".mjs" },
  platform: "node",
});
const entry = join(folder, "snapshot.json");
execFileSync(process.execPath, [join(folder, "make_snapshot.mjs"), folder, entry], {
  stdio: "inherit",
});
const snapshot = JSON.parse(readFileSync(entry, "utf8"));
rmSync(entry);
writeFileSync(MANIFEST, JSON.stringify({ ...manifest, snapshot }));
await bundle({
  entryPoints: [join(LOADER, "start.js")],
  splitting: true,
  target: "es2022",
  chunkNames: "bridge-[hash]",
});
process.exit(0);
