/** @file Start Python with py_tensor and call functions in it, on the page's thread or in a worker. */

const LIMIT_MILLISECONDS = 300_000;

const CALLS = `
import inspect, json, linecache

def call(request):
    file, source, name, arguments = json.loads(request)
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    namespace = {"__name__": "page"}
    exec(compile(source, file, "exec"), namespace)
    return namespace[name](*arguments)

async def call_and_wait(request):
    result = call(request)
    return json.dumps(await result if inspect.isawaitable(result) else result)
`;

/**
 * @param {string} folder address of the folder with Pyodide and the lock file
 * @param {string} [bridge] address of a module to register as webgl_js_bridge
 */
async function startPyodide(folder, bridge) {
  const { loadPyodide } = await import(`${folder}pyodide.mjs`);
  const pyodide = await loadPyodide({
    lockFileURL: `${folder}pyodide-lock.json`,
    packages: ["py_tensor"],
  });
  if (!("py_tensor" in pyodide.loadedPackages))
    throw new Error("py_tensor: the wheel did not load");
  if (bridge) pyodide.registerJsModule("webgl_js_bridge", await import(bridge));
  // Not public, but Pyodide's own tests count references this way.
  pyodide._module.enable_pyproxy_allocation_tracing();
  pyodide.registerJsModule("page_counts", {
    jsRefs: () => pyodide._module._hiwire_num_refs(),
    pyProxies: () => pyodide._module.pyproxy_alloc_map.size,
  });
  pyodide.runPython(CALLS);
  return pyodide;
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
function limited(promise) {
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error("Python did not answer in time")), LIMIT_MILLISECONDS);
  });
  return Promise.race([promise, late]);
}

export class Python {
  /** @type {any} */
  #pyodide;

  /**
   * Start Python.
   * @param {string} folder
   * @param {string} [bridge]
   */
  async start(folder, bridge) {
    this.#pyodide = await limited(startPyodide(folder, bridge));
  }

  /**
   * Call a function that may wait for promises and return its result as JSON.
   * @param {string} request file, source, function's name, arguments, as JSON
   */
  async call(request) {
    this.#pyodide.globals.set("request", request);
    return await limited(this.#pyodide.runPythonAsync("await call_and_wait(request)"));
  }

  /**
   * Call a function synchronously, so that it cannot wait for promises, and return its result as JSON.
   * @param {string} request
   */
  async callBlocking(request) {
    this.#pyodide.globals.set("request", request);
    return this.#pyodide.runPython("json.dumps(call(request))");
  }
}
