// Compile a wheel or Pyodide's standard library to bytecode. The compiler is Pyodide itself, under Node,
// so that the bytecode matches the Python that runs it.
// usage: node tools/compile_archive.mjs wheel|stdlib INPUT OUTPUT

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { loadPyodide } from "pyodide";

const [kind, input, output] = process.argv.slice(2);

const script = new URL("compile_archive.py", import.meta.url);
const pyodide = await loadPyodide({ env: { HOME: "/home/pyodide" } });
pyodide.FS.writeFile("/input.zip", await readFile(input));
pyodide.runPython(await readFile(script, "utf8"));
pyodide.globals.get("compile_archive")(kind, "/input.zip", "/output.zip");
const result = pyodide.FS.readFile("/output.zip");
await mkdir(dirname(output), { recursive: true });
await writeFile(output, result);
console.log(`${output}: ${result.length} bytes`);
