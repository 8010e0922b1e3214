/** @file The module `py_tensor_files` that Python imports: loads archives after the start. */

import { fetched, missing } from "./downloads.js";

/** @import { PyodideInterface } from "pyodide" */
/** @import { Manifest } from "./start.js" */

export const FOLDER = "/lib/py_tensor";

/** Returns the path of an archive in Python's file system. @param {string} archive @param {string} python version */
export const pathOf = (archive, python) =>
  archive === "start"
    ? `/lib/python${python.split(".").slice(0, 2).join("")}.zip`
    : `${FOLDER}/${archive}.zip`;

/**
 * @param {PyodideInterface} pyodide
 * @param {string} base address of the folder with the archives
 * @param {Manifest} files
 * @param {(bytes: number) => void} onImport gets the bytes for which imports wait, and 0 when none waits
 */
export function lateFiles({ FS }, base, { archives, python }, onImport) {
  /** @type {Map<string, Promise<void>>} */
  const loading = new Map();
  let awaited = 0;

  /** @param {number} change of the bytes for which imports wait */
  function report(change) {
    awaited += change;
    onImport(awaited);
  }

  /** @param {string} archive @param {ArrayBuffer} data */
  function write(archive, data) {
    FS.mkdirTree(FOLDER);
    FS.writeFile(pathOf(archive, python), new Uint8Array(data));
  }

  /** @param {string} archive */
  async function fetchArchive(archive) {
    write(archive, await (await fetched(base + archives[archive].file)).arrayBuffer());
  }

  /** Loads an archive once; a failed download may be tried again. @param {string} archive */
  function once(archive) {
    const known = loading.get(archive);
    if (known) return known;
    const promise = FS.analyzePath(pathOf(archive, python)).exists
      ? Promise.resolve()
      : fetchArchive(archive);
    loading.set(archive, promise);
    promise.catch(() => loading.delete(archive));
    return promise;
  }

  /** @param {string} archive */
  function fetchNow(archive) {
    const url = base + archives[archive].file;
    const request = new XMLHttpRequest();
    request.open("GET", url, false);
    // The page's thread may not ask for an array buffer here; this keeps each byte as a character.
    request.overrideMimeType("text/plain; charset=x-user-defined");
    try {
      request.send();
    } catch (error) {
      throw missing(url, /** @type {Error} */ (error).message);
    }
    if (request.status !== 200) throw missing(url, `${request.status} ${request.statusText}`);
    write(archive, Uint8Array.from(request.response, (byte) => byte.charCodeAt(0) & 255).buffer);
  }

  return {
    once,
    /**
     * Loads an archive: at once in workers, where blocking harms nobody, and wherever Python cannot wait.
     *
     * @param {string} archive
     * @param {boolean} canWait
     * @returns {Promise<void> | undefined}
     */
    load(archive, canWait) {
      const { bytes } = archives[archive];
      report(bytes);
      if (canWait && "document" in globalThis) return once(archive).finally(() => report(-bytes));
      try {
        fetchNow(archive);
      } finally {
        report(-bytes);
      }
      return undefined;
    },
  };
}
