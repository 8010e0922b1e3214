import source from "./picture.py?raw";

/** Loads Python, py_tensor and picture.py. */
export async function loadPicture() {
  // Vite serves public/pyodide/ as it is. Bundling Pyodide would separate it from its other files.
  const address = new URL("pyodide/pyodide.mjs", document.baseURI).href;
  const { loadPyodide } = await import(/* @vite-ignore */ address);
  const pyodide = await loadPyodide({ packages: ["py_tensor"] });
  // Pyodide only logs it if a package is missing.
  if (!("py_tensor" in pyodide.loadedPackages)) throw new Error("py_tensor did not load");
  pyodide.FS.writeFile("picture.py", source);
  // The module makes tensors. Called like this, Python may wait for the GPU.
  return pyodide.runPythonAsync("import picture; picture");
}
