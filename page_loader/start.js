/** @file Start Python with py_tensor in a page or a module worker. */

import { Downloads, fetched, missing, Transfers } from "./downloads.js";
import { FOLDER, lateFiles, pathOf } from "./late_files.js";
import { snapshotOptions } from "./snapshot.js";

/** @import { PyodideConfig, PyodideInterface } from "pyodide" */
/** @import { Snapshot } from "./snapshot.js" */

/**
 * @typedef {object} Manifest the file start.json, which lists what the folder has
 * @property {object} lock what pyodide-lock.json has
 * @property {string} python version
 * @property {Record<string, { file: string, bytes: number }>} archives
 * @property {Record<string, { bytes: number, compressed?: number }>} pyodide files of Pyodide
 * @property {Snapshot} [snapshot]
 */

/**
 * @typedef {object} Progress
 * @property {"download" | "ready"} step
 * @property {number} loaded bytes, as they are transferred if the server compresses
 * @property {number} total bytes; it changes only if the snapshot fails and other files are loaded instead
 * @property {number} fraction of the whole start, from 0 to 1, which never falls
 */

/**
 * @typedef {object} StartOptions
 * @property {string} [folder] address of the folder with start.json and Pyodide; default: that of this file
 * @property {boolean | string} [snapshot] true (default) starts from a copy of Python's memory; false starts Python and
 *   imports py_tensor; an address is that of the JSON file that `python -m py_tensor.snapshot` has written
 * @property {string[]} [packages] names in pyodide-lock.json, or addresses of wheels, to load after py_tensor
 * @property {HTMLCanvasElement | OffscreenCanvas} [canvas] becomes the global variable `canvas` of Python
 * @property {Record<string, object>} [modules] JavaScript objects that Python can import, by name
 * @property {(progress: Progress) => void} [onProgress]
 * @property {(bytes: number) => void} [onImport] gets the bytes of the archives for which imports wait, and 0 when none waits
 * @property {boolean} [prefetch] true (default, unless the user asks to save data) loads the archives that most programs need a
 *   second after the start
 * @property {Manifest} [manifest] contents of start.json, if the page has them
 */

const DOWNLOADED = 0.8; // share of the downloads in the whole start
const PREFETCHED = ["library", "rest", "stdlib"];
const PREFETCH_DELAY = 1000; // milliseconds, in which the first result is computed
const SLOW = 5; // megabits per second; below it, the bytes that a snapshot has more take longer than starting Python
const LARGE_SCRIPT = "pyodide.asm.mjs"; // whose download tells the speed

/**
 * Starts Pyodide with py_tensor imported.
 *
 * The result is Pyodide as `loadPyodide` returns it, so that `python.runPythonAsync("import py_tensor as pt; ...")` works.
 * An Error names the file that did not load.
 *
 * @param {StartOptions} [options]
 * @returns {Promise<PyodideInterface>}
 */
export async function start({
  folder,
  snapshot = true,
  packages = [],
  canvas,
  modules = {},
  onProgress = () => {},
  onImport = () => {},
  prefetch = !connection().saveData,
  manifest,
} = {}) {
  const base = addressOf(folder);
  const bridges = loadBridges();
  bridges.catch(() => {});
  const files = manifest ?? (await json(`${base}start.json`));
  const copy = await chosenSnapshot(snapshot, files, base);
  let fraction = 0;
  /** @param {Progress} progress */
  const report = (progress) => {
    // Downloads of a start that was given up may end later than the start that followed.
    if (fraction === 1) return;
    fraction = Math.max(fraction, progress.fraction);
    onProgress({ ...progress, fraction });
  };
  const python = await startPyodide(base, files, copy, report);
  const late = lateFiles(python, base, files, onImport);
  const registered = { ...(await bridges), ...modules, py_tensor_files: late };
  for (const [name, module] of Object.entries(registered)) python.registerJsModule(name, module);
  importPyTensor(python, pathOf("core", files.python));
  if (canvas) python.globals.set("canvas", canvas);
  if (packages.length > 0) {
    // Pyodide's loader imports much of it.
    await late.once("stdlib");
    await loadPackages(python, packages);
  }
  report({ step: "ready", loaded: 1, total: 1, fraction: 1 });
  // One after the other, so that an import waits for few bytes. It tells of a failure itself.
  const load = async () => {
    for (const archive of PREFETCHED) await late.once(archive).catch(() => {});
  };
  if (prefetch) setTimeout(load, PREFETCH_DELAY);
  return python;
}

/** Returns what the browser tells of the connection; not every browser does. @returns {{ downlink?: number, saveData?: boolean }} */
const connection = () => /** @type {any} */ (navigator).connection ?? {};

/** Returns the address of a folder with a slash at its end. @param {string} [folder] default: that of this file */
function addressOf(folder) {
  const page = globalThis.document?.baseURI ?? globalThis.location?.href;
  const { href } = new URL(folder ?? "./", folder === undefined ? import.meta.url : page);
  return href.replace(/\/?$/, "/");
}

/** @param {string} url */
const json = async (url) => (await fetched(url)).json();

/** Loads the bridges. The one to WebGPU is loaded when it is first used. */
async function loadBridges() {
  return {
    // Otherwise py_tensor evaluates its own copy, which a Content-Security-Policy may forbid.
    webgl_js_bridge: await import("../webgl_js_bridge/index.js"),
    webgpu_js_bridge: {
      /** @param {Parameters<typeof import("../webgpu_js_bridge/index.js").createBridge>[0]} options */
      createBridge: async (options) =>
        (await import("../webgpu_js_bridge/index.js")).createBridge(options),
    },
  };
}

/**
 * Returns the snapshot to start from, with its address; undefined if the other start is better.
 *
 * @param {boolean | string} wanted
 * @param {Manifest} files
 * @param {string} base
 * @returns {Promise<Snapshot & { address: string } | undefined>}
 */
async function chosenSnapshot(wanted, files, base) {
  if (typeof wanted === "string")
    return ownSnapshot(new URL(wanted, base).href, files).catch(warnOfSnapshot);
  const { snapshot, archives } = files;
  if (!wanted || !snapshot) return undefined;
  const address = base + snapshot.file;
  const smaller = archives.start.bytes + archives.core.bytes < snapshot.compressed;
  return smaller && (await isSlow(base, address)) ? undefined : { ...snapshot, address };
}

/**
 * Returns the snapshot that `python -m py_tensor.snapshot` has made.
 *
 * @param {string} description address of its JSON file
 * @param {Manifest} files
 */
async function ownSnapshot(description, { archives }) {
  const snapshot = /** @type {Snapshot} */ (await json(description));
  // Modules of other archives would not fit those in the copy.
  if (snapshot.sources !== archives.sources.file)
    throw new Error(
      `snapshot: it was made with other files; got ${snapshot.sources} instead of ${archives.sources.file}; run python -m py_tensor.snapshot again`,
    );
  return { ...snapshot, address: new URL(snapshot.file, description).href };
}

/** @param {unknown} error @returns {undefined} */
function warnOfSnapshot(error) {
  console.warn("py_tensor: Python starts without the copy of its memory, which failed:", error);
}

/**
 * Returns true if the connection is slow and the snapshot would have to be loaded from it.
 *
 * @param {string} base
 * @param {string} address of the snapshot
 */
async function isSlow(base, address) {
  // What a browser tells before it has seen much is too low.
  const { downlink = Infinity, saveData = false } = connection();
  if ((downlink >= SLOW && !saveData) || (await isKept(address))) return false;
  if (saveData) return true;
  await script(base, LARGE_SCRIPT);
  const [timing] = /** @type {PerformanceResourceTiming[]} */ (
    performance.getEntriesByName(base + LARGE_SCRIPT)
  );
  const { transferSize, encodedBodySize, responseStart, responseEnd } = timing;
  const kilobits = (8 * transferSize) / 1000;
  // Of a script in the browser's cache, at most headers are transferred.
  return transferSize > encodedBodySize && kilobits < SLOW * (responseEnd - responseStart);
}

/** Returns true if a service worker has kept a file. @param {string} address */
async function isKept(address) {
  const { caches } = globalThis;
  return Boolean((await caches?.match(address)) ?? (await caches?.match(`${address}.gz`)));
}

/**
 * Starts Pyodide from a snapshot, or without one if that fails.
 *
 * @param {string} base
 * @param {Manifest} files
 * @param {Snapshot & { address: string } | undefined} snapshot
 * @param {(progress: Progress) => void} onProgress
 * @returns {Promise<PyodideInterface>}
 */
async function startPyodide(base, files, snapshot, onProgress) {
  const large = "pyodide.asm.wasm";
  const archives = [files.archives.start, files.archives.core].map(expectedOf);
  const transfers = new Transfers(
    [
      expectedOf({ file: large, ...files.pyodide[large] }),
      ...(snapshot ? [expectedOf(snapshot)] : archives),
    ],
    (loaded, total) =>
      onProgress({ step: "download", loaded, total, fraction: (DOWNLOADED * loaded) / total }),
  );
  if (snapshot) {
    try {
      return await watched(transfers, (downloads) =>
        fromSnapshot(base, files, snapshot, downloads),
      );
    } catch (error) {
      warnOfSnapshot(error);
      transfers.replace(snapshot.file, archives);
    }
  }
  return watched(transfers, () => fromArchives(base, files));
}

/**
 * Returns the name of a file and the sizes to expect. Archives are compressed themselves.
 *
 * @param {{ file: string, bytes: number, compressed?: number }} entry
 * @returns {[string, import("./downloads.js").Expected]}
 */
const expectedOf = ({ file, bytes, compressed = bytes }) => [file, { bytes, compressed }];

/**
 * Starts Pyodide while its downloads are watched.
 *
 * @param {Transfers} transfers
 * @param {(downloads: Downloads) => Promise<PyodideInterface>} load
 */
async function watched(transfers, load) {
  const downloads = new Downloads(transfers);
  try {
    return await Promise.race([downloads.failure, load(downloads)]);
  } finally {
    downloads.stop();
  }
}

/**
 * @param {string} base
 * @param {Manifest} files
 * @returns {PyodideConfig}
 */
const options = (base, { lock }) => ({
  indexURL: base,
  lockFileContents: JSON.stringify(lock),
  packageBaseUrl: base,
});

/** Loads a script of Pyodide. @param {string} base @param {string} name */
const script = (base, name) =>
  import(/* @vite-ignore */ base + name).catch((error) => {
    throw missing(name, error.message);
  });

/**
 * @param {string} base
 * @param {Manifest} files
 * @param {Snapshot & { address: string }} snapshot
 * @param {Downloads} downloads
 */
async function fromSnapshot(base, files, snapshot, downloads) {
  const started = script(base, LARGE_SCRIPT);
  const fill = (/** @type {Uint8Array} */ memory) => downloads.into(snapshot.address, memory);
  // Allocates the memory and starts its download before the scripts are there.
  const create = async (/** @type {any} */ settings) => (await started).default(settings);
  const copied = snapshotOptions(create, snapshot, fill);
  const { loadPyodide } = await script(base, "pyodide.mjs");
  return loadPyodide({
    ...options(base, files),
    ...copied,
    // Pyodide stores a file as the standard library. Nothing reads it before the archive replaces it.
    stdLibURL: `${base}start.json`,
  });
}

/**
 * @param {string} base
 * @param {Manifest} files
 */
async function fromArchives(base, files) {
  const { start, core } = files.archives;
  const loading = fetch(base + core.file).then((response) => response.arrayBuffer());
  loading.catch(() => {});
  const { loadPyodide } = await script(base, "pyodide.mjs");
  return loadPyodide({
    ...options(base, files),
    stdLibURL: base + start.file,
    async fsInit(/** @type {any} */ FS) {
      FS.mkdirTree(FOLDER);
      FS.writeFile(pathOf("core", files.python), new Uint8Array(await loading));
    },
  });
}

/**
 * Imports py_tensor, or goes on with that of the snapshot.
 *
 * @param {PyodideInterface} python
 * @param {string} core path of the archive
 */
function importPyTensor(python, core) {
  python.runPython(`import sys; "${core}" in sys.path or sys.path.append("${core}")`);
  const archives = python.pyimport("py_tensor_archives");
  archives.begin(`${navigator.language.replace("-", "_")}.UTF-8`);
  archives.destroy();
  python.pyimport("py_tensor").destroy();
}

/**
 * Loads packages; Pyodide itself only logs what it could not load.
 *
 * @param {PyodideInterface} python
 * @param {string[]} packages
 */
async function loadPackages(python, packages) {
  /** @type {string[]} */
  const problems = [];
  const errorCallback = (/** @type {string} */ text) => problems.push(text);
  await python.loadPackage(packages, { errorCallback });
  if (problems.length > 0)
    throw new Error(
      `packages: some did not load; got ${problems.join("; ")}; name wheels by their addresses, or list them in pyodide-lock.json`,
    );
}
