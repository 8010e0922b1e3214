/** @file Keeps the site's files in the browser, so that the page starts without a connection. */

import { keepPage } from "./keep_page.js";

/**
 * Keeps the page, the files that were loaded, and those of Python.
 *
 * @param {string[]} addresses
 * @param {string} base address of the site's folder
 * @returns {Promise<boolean>} false if the browser cannot keep files
 */
export async function keepOffline(addresses, base = new URL("./", document.baseURI).href) {
  if (!("serviceWorker" in navigator)) return false;
  const { archives } = import.meta.env.PY_TENSOR_FILES;
  const parts = Object.values(archives).map(({ file }) => `${base}pyodide/${file}`);
  await keepPage(base, [...addresses, ...parts]);
  for (const name of await caches.keys())
    if (name.startsWith("python-") && name !== import.meta.env.PY_TENSOR_CACHE)
      await caches.delete(name);
  return true;
}
