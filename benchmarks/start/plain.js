/**
 * @file The smallest page with py_tensor, whose start is measured. Parameters of its address: `start` is `snapshot`, `archives` or
 * `wheel`, `thread` is `worker` or `page`, `backend` is one of py_tensor. Its flags such as `py_tensor.backend` would load more modules.
 */

import { startAndCompute } from "./in_python.js";
import { momentsOf, reportStart } from "./measured.js";
import workerAddress from "./start_worker.js?worker&url";

/** @import { Moments } from "./measured.js" */

const inPage = () => startAndCompute(new URL("../../pyodide/", document.baseURI).href);

/** @returns {Promise<Moments>} */
function inWorker() {
  const worker = new Worker(workerAddress + location.search, { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onerror = () => reject(new Error("worker: its script did not load"));
    worker.onmessage = ({ data }) => {
      if (data.error) reject(new Error(data.error));
      else resolve({ ...data, files: [...momentsOf(data.ready).files, ...data.files] });
    };
  });
}

const onPage = new URLSearchParams(location.search).get("thread") === "page";
reportStart(onPage ? inPage() : inWorker());
