// Runs e2e/wasm_in_node.py in Pyodide under Node, whose WebAssembly is Chromium's:
//   node e2e/wasm_in_node.mjs      in the project's root, after npm ci
import { pathToFileURL } from "node:url";

const root = process.cwd();
const pyodide = pathToFileURL(`${root}/node_modules/pyodide/pyodide.mjs`);
const { loadPyodide } = await import(pyodide);
const python = await loadPyodide();
python.mountNodeFS("/project", root);
python.runPython("import sys; sys.path[:0] = ['/project', '/project/tests', '/project/e2e']");
await python.runPythonAsync("import wasm_in_node; await wasm_in_node.main()");
