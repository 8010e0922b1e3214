/** @file Keeps the site's files in the browser, so that the page starts without a connection. */

/**
 * Starts the service worker, and passes it the files that were loaded before it.
 *
 * @param {string[]} addresses
 * @param {string} base address of the site's folder
 */
export async function keepOffline(addresses, base = new URL("./", document.baseURI).href) {
  if (!("serviceWorker" in navigator)) return;
  const { serviceWorker } = navigator;
  await serviceWorker.register(new URL("service-worker.js", base));
  if (!serviceWorker.controller) {
    await new Promise((resolve) => {
      serviceWorker.addEventListener("controllerchange", resolve, { once: true });
    });
  }
  const own = performance.getEntriesByType("resource").map(({ name }) => name);
  const { archives } = import.meta.env.PY_TENSOR_FILES;
  const parts = Object.values(archives).map(({ file }) => `${base}pyodide/${file}`);
  // The page itself was loaded before the service worker.
  const page = location.origin + location.pathname;
  const all = [page, ...own, ...addresses, ...parts].filter((name) => name.startsWith("http"));
  const files = new Set(all);
  // The browser has them in its HTTP cache, so that this downloads nothing.
  await Promise.all([...files].map((file) => fetch(file)));
  for (const name of await caches.keys())
    if (name.startsWith("python-") && name !== import.meta.env.PY_TENSOR_CACHE)
      await caches.delete(name);
}
