/**
 * @file Compares py_tensor in Pyodide with other libraries in Node.js: one thread, no browser.
 *
 * usage: node benchmarks/wasm_node.mjs --only matmul   (after npm ci; --help lists the options)
 */

import { execFileSync } from "node:child_process";
import { createReadStream, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { parseArgs } from "node:util";
import { engineLine, engineSections, hasFailed, measureEngines } from "./engines.js";
import { startEngines } from "./libraries.js";
import { processorWorkloads } from "./processor_workloads.js";
import { PythonSide } from "./python_side.js";
import { sectionLines } from "./report.js";
import { hasFailed as hasFailedModel, measureTrained, OURS, trainedSection } from "./trained.js";
import { nameOf, selected } from "./workloads.js";

/** @import { Loader } from "./onnx_runtime.js" */
/** @import { Measured } from "./trained.js" */

const ROOT = join(import.meta.dirname, "..");
const MODULES = join(ROOT, "node_modules");
const HELP = `Compare py_tensor in Pyodide with TensorFlow.js and jax-js on WebAssembly, in Node.js on one thread.

  --libraries LIST    wasm,tensorflow,jax by default: backends of py_tensor (wasm, python), tensorflow, jax;
                      ratios are of the first one; models need one of py_tensor
  --only LIST         parts of the names of workloads, or of models
  --scale FACTOR      of the large sizes
  --rounds N          rounds of each library (7)
  --ms N              milliseconds of a round (100)
  --numpy PYTHON      also time NumPy in this Python
  --models FOLDER     measure the model files of a folder instead, which tools/make_bench_models.py writes
  --runs N            least number of timed calls of a model (15)
  --output FILE       also write the results as JSON`;

const { values: options } = parseArgs({
  options: {
    libraries: { type: "string", default: "wasm,tensorflow,jax" },
    only: { type: "string", default: "" },
    scale: { type: "string", default: "1" },
    rounds: { type: "string", default: "7" },
    ms: { type: "string", default: "100" },
    numpy: { type: "string" },
    models: { type: "string" },
    runs: { type: "string", default: "15" },
    output: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const libraries = options.libraries.split(",");
const only = options.only.split(",").filter(Boolean);

/** Starts Pyodide with the package and the workloads of this checkout. */
async function startPython() {
  const { loadPyodide } = await import("pyodide");
  const pyodide = await loadPyodide({ indexURL: join(MODULES, "pyodide") });
  const unavailable = () => {
    throw new Error("bench: no canvas in Node.js");
  };
  pyodide.registerJsModule("bench_host", { firstPixel: unavailable, pixels: unavailable });
  pyodide.FS.mkdirTree("/checkout");
  pyodide.mountNodeFS("/checkout", ROOT);
  pyodide.runPython(`
import sys
sys.dont_write_bytecode = True
sys.path[:0] = ["/checkout", "/checkout/benchmarks/python"]
`);
  const python = new PythonSide();
  python.attach(pyodide);
  return python;
}

async function useNodeWasm() {
  const { useWasm } = await import("./tensorflow/wasm.js");
  useWasm(join(MODULES, "@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm"));
}

/** Milliseconds of workloads in NumPy, by name. @param {import("./workloads.js").Workload[]} workloads */
function numpyTimes(workloads) {
  if (!options.numpy) return {};
  const input = JSON.stringify({
    rounds: Number(options.rounds),
    milliseconds: Number(options.ms),
    workloads: workloads.map((workload) => ({ ...workload, name: nameOf(workload) })),
  });
  const script = join(import.meta.dirname, "native", "processor.py");
  return JSON.parse(execFileSync(options.numpy, [script], { input, encoding: "utf8" }));
}

async function compareWorkloads() {
  const engines = await startEngines(libraries, "wasm", {
    python: startPython,
    useWasm: useNodeWasm,
  });
  const names = engines.map(({ name }) => name);
  const workloads = selected(processorWorkloads(Number(options.scale)), only);
  const rows = [];
  const settings = { rounds: Number(options.rounds), milliseconds: Number(options.ms) };
  for (const workload of workloads) {
    const row = await measureEngines(workload, engines, settings);
    rows.push(row);
    console.log(engineLine(row));
  }
  for (const [name, times] of Object.entries(numpyTimes(workloads))) {
    const row = rows.find((row) => row.name === name);
    if (row) row.outcomes.NumPy = times;
  }
  if (options.numpy) names.push("NumPy");
  const failed = rows.filter(hasFailed).length;
  return { rows, sections: engineSections(rows, names), failed };
}

/** Serves files of a folder, since libraries load models by address. @param {string} folder @returns {Promise<[string, () => void]>} */
function serve(folder) {
  const server = createServer((request, response) => {
    // While a model runs, no connection is closed, so one kept open would fail later.
    response.shouldKeepAlive = false;
    const path = normalize(decodeURIComponent(new URL(request.url ?? "", "http://x").pathname));
    const file = join(folder, path);
    if (!existsSync(file)) response.writeHead(404).end();
    else createReadStream(file).pipe(response);
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      resolve([`http://127.0.0.1:${port}/`, () => server.close()]);
    });
  });
}

/** @returns {Promise<Loader>} */
async function startOnnxRuntime() {
  const runtime = await import("onnxruntime-web/wasm");
  runtime.env.wasm.numThreads = 1;
  const { loaderOf } = await import("./onnx_runtime.js");
  const load = loaderOf(runtime, "wasm");
  return async (source) => {
    const answer = await fetch(String(source));
    return load(new Uint8Array(await answer.arrayBuffer()));
  };
}

/** @param {string} folder */
async function compareModels(folder) {
  const python = await startPython();
  python.module("py_tensor").set_backend(libraries[0]);
  await useNodeWasm();
  const { startBackend } = await import("./tensorflow/trained.js");
  const loadGraph = await startBackend("wasm");
  const loadOnnx = await startOnnxRuntime();
  const [address, close] = await serve(folder);
  /** @type {{ file: string, shapes?: number[][] }[]} */
  const entries = JSON.parse(readFileSync(join(folder, "models.json"), "utf8")).filter(
    (/** @type {{ file: string }} */ { file }) =>
      only.length === 0 || only.some((part) => file.includes(part)),
  );
  /** @type {Measured[]} */
  const rows = [];
  for (const { file, shapes } of entries) {
    const url = new URL(file, address).href;
    const load = file.endsWith(".onnx") ? loadOnnx : loadGraph;
    const library = file.endsWith(".onnx") ? "ORT wasm" : "TF.js wasm";
    const measured = await measureTrained(
      file,
      [
        [OURS, () => python.load(url, shapes ?? null)],
        [library, () => load(url)],
      ],
      Number(options.runs),
      [library],
    );
    rows.push(...measured);
    console.log(measured.map((row) => JSON.stringify(row)).join("\n"));
  }
  close();
  const failed = rows.filter(hasFailedModel).length;
  return { rows, sections: [trainedSection(rows)], failed };
}

if (options.help) {
  console.log(HELP);
} else {
  const { rows, sections, failed } = options.models
    ? await compareModels(options.models)
    : await compareWorkloads();
  console.log(sections.flatMap(sectionLines).join("\n"));
  if (options.output) writeFileSync(options.output, `${JSON.stringify(rows, null, 1)}\n`);
  if (failed) console.error(`failed: ${failed}`);
  process.exitCode = failed ? 1 : 0;
}
