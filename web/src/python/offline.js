/** @file Keeps the site's files in the browser, so that the page starts without a connection. */

import { keepPage } from "./keep_page.js";

/** Pause before the first look at what is stored; each pause is twice as long as the one before. */
const PAUSE_MILLISECONDS = 50;
/** Number of looks, so that a browser without room for the files is asked for less than a minute. */
const LOOKS = 10;

/**
 * Keeps the page, the files that were loaded, and those of Python.
 *
 * @param {string[]} addresses
 * @param {string} base address of the site's folder
 * @returns {Promise<boolean>} true when all are stored; false if the browser cannot keep files
 */
export async function keepOffline(addresses, base = new URL("./", document.baseURI).href) {
  if (!("serviceWorker" in navigator)) return false;
  const { archives } = import.meta.env.PY_TENSOR_FILES;
  const parts = Object.values(archives).map(({ file }) => `${base}pyodide/${file}`);
  const files = await keepPage(base, [...addresses, ...parts]);
  for (const name of await caches.keys())
    if (name.startsWith("python-") && name !== import.meta.env.PY_TENSOR_CACHE)
      await caches.delete(name);
  return areStored(files);
}

/** Waits until files are in the caches. The service worker answers before it stores them. @param {string[]} files */
async function areStored(files) {
  for (let look = 0; look < LOOKS; look++) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS * 2 ** look));
    // The service worker adds the revision to the addresses of the page's own files.
    const options = { ignoreSearch: true, ignoreVary: true };
    const found = await Promise.all(files.map((file) => caches.match(file, options)));
    if (found.every(Boolean)) return true;
  }
  return false;
}
