/** @file Worker of the page whose start is measured. It posts its moments, or the text of its error. */

import { startAndCompute } from "./in_python.js";

try {
  postMessage(await startAndCompute(new URL("pyodide/", location.href).href));
} catch (error) {
  postMessage({ error: String(error) });
}
