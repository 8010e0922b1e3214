/**
 * @file What pages have in common whose start is measured: the product that they compute, and the report of their start. It imports
 * nothing, so that such a page has few files.
 */

/**
 * @typedef {{ name: string, encodedBodySize: number, transferSize: number }} File
 *
 * @typedef {object} Moments
 * @property {number} ready milliseconds since 1970 at which the library could compute
 * @property {number} values at which the first values had been read
 * @property {File[]} files that this thread had requested by then
 *
 * @typedef {object} Start
 * @property {number} ready milliseconds from the page's navigation until the library could compute
 * @property {number} values milliseconds until the first values had been read
 * @property {number | null} longestTask milliseconds of the page's thread; 0 if none took 50; null if the browser does not tell
 * @property {File[]} files
 */

export const SIDE = 256;
export const MATRIX = Float32Array.from({ length: SIDE * SIDE }, (_, i) => (i % 97) / 97);

/** Milliseconds after which the browser has told of the last task. */
const DELAY = 100;

/** Throws if the product of the matrix with itself is wrong. @param {ArrayLike<number>} product */
export function check(product) {
  const last = SIDE * SIDE - 1;
  let expected = 0;
  for (let i = 0; i < SIDE; i++) expected += MATRIX[last - i] * MATRIX[last - i * SIDE];
  if (product.length !== SIDE * SIDE || !(Math.abs(product[last] - expected) < 1e-3 * expected))
    throw new Error(`product: wrong; its last element is ${product[last]} instead of ${expected}`);
}

/** Returns milliseconds since 1970, by a clock that pages and their workers share. */
export const now = () => performance.timeOrigin + performance.now();

/** @param {"resource" | "navigation"} kind @returns {File[]} */
function filesOf(kind) {
  const entries = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType(kind));
  return entries.map(({ name, encodedBodySize, transferSize }) => ({
    name,
    encodedBodySize,
    transferSize,
  }));
}

/** Returns the moments of a start whose first values have just been read. @param {number} ready @returns {Moments} */
export const momentsOf = (ready) => ({ ready, values: now(), files: filesOf("resource") });

/** Resolves to the longest task that began before a moment of this page. @param {number} end */
async function longestTask(end) {
  if (!PerformanceObserver.supportedEntryTypes.includes("longtask")) return null;
  /** @type {PerformanceEntry[]} */
  const tasks = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()));
  observer.observe({ type: "longtask", buffered: true });
  await new Promise((resolve) => setTimeout(resolve, DELAY));
  observer.disconnect();
  const begun = tasks.filter(({ startTime }) => startTime < end);
  return Math.max(0, ...begun.map(({ duration }) => duration));
}

/** @param {Moments} moments @returns {Promise<Start>} */
async function startOf({ ready, values, files }) {
  const { timeOrigin } = performance;
  return {
    ready: ready - timeOrigin,
    values: values - timeOrigin,
    longestTask: await longestTask(values - timeOrigin),
    files: [...filesOf("navigation"), ...files],
  };
}

/** Shows the page's start, and posts it to the page around it. @param {Promise<Moments>} moments */
export async function reportStart(moments) {
  const report = await moments.then(startOf).catch((error) => ({ error: String(error) }));
  document.body.textContent = JSON.stringify(report);
  parent.postMessage(report, location.origin);
}
