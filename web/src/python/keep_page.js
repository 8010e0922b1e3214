/** @file Lets the browser keep the page for use without a connection. Of the site, pages of the docs load this script alone. */

/**
 * Starts the service worker, and passes it the page and the files that were loaded before it.
 *
 * @param {string} base address of the site's folder
 * @param {string[]} addresses of other files to keep
 * @returns {Promise<string[]>} the addresses of all of them; the service worker may still be storing them
 */
export async function keepPage(base, addresses = []) {
  if (!("serviceWorker" in navigator)) return [];
  const { serviceWorker } = navigator;
  await serviceWorker.register(new URL("service-worker.js", base));
  if (!serviceWorker.controller) {
    await new Promise((resolve) => {
      serviceWorker.addEventListener("controllerchange", resolve, { once: true });
    });
  }
  const own = performance.getEntriesByType("resource").map(({ name }) => name);
  // The page itself was loaded before the service worker.
  const page = location.origin + location.pathname;
  const all = new Set([page, ...own, ...addresses]);
  const files = [...all].filter((name) => name.startsWith("http"));
  // The browser has them in its HTTP cache, so that this downloads nothing.
  await Promise.all(files.map((file) => fetch(file)));
  return files;
}
