import source from "./picture.py?raw";

/**
 * Starts Python with py_tensor, and imports picture.py.
 *
 * @param {(text: string) => void} show
 */
export async function loadPicture(show) {
  const folder = new URL("pyodide/", document.baseURI).href;
  // Vite serves public/pyodide/ as it is. Bundling start.js would separate it from its other files.
  const { start } = await import(/* @vite-ignore */ `${folder}start.js`);
  const python = await start({
    folder,
    onProgress: ({ fraction }) => show(`Loading Python: ${Math.round(100 * fraction)} %`),
  });
  python.FS.writeFile("picture.py", source);
  // The module makes tensors. Called like this, Python may wait for the GPU.
  return python.runPythonAsync("import picture; picture");
}
