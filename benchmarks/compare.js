/** @file Compares two results with a tolerance. */

/**
 * @typedef {object} Comparison
 * @property {boolean} same
 * @property {number} worst the largest difference
 * @property {string} text summary that names the worst value if the results differ
 */

/**
 * The results are the same if |value - expected| <= atol + rtol * |expected| for every element, or for all but a share
 * `different` of them.
 *
 * @param {ArrayLike<number>} values
 * @param {ArrayLike<number>} expected
 * @param {{ atol: number, rtol: number, different?: number }} tolerance
 * @returns {Comparison}
 */
export function compare(values, expected, { atol, rtol, different = 0 }) {
  if (values.length !== expected.length) {
    const text = `${values.length} values instead of ${expected.length}`;
    return { same: false, worst: Number.POSITIVE_INFINITY, text };
  }
  let worst = 0;
  let worstExcess = Number.NEGATIVE_INFINITY;
  let worstAt = 0;
  let wrong = 0;
  for (let i = 0; i < values.length; i++) {
    // NaN on one side only counts as an infinite difference, and so do infinities of opposite sign.
    const equal = Object.is(values[i], expected[i]) || values[i] === expected[i];
    const difference = equal ? 0 : Math.abs(values[i] - expected[i]);
    const distance = Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference;
    const allowed = Number.isFinite(expected[i]) ? atol + rtol * Math.abs(expected[i]) : 0;
    worst = Math.max(worst, distance);
    if (distance > allowed) wrong += 1;
    if (distance - allowed > worstExcess) {
      worstExcess = distance - allowed;
      worstAt = i;
    }
  }
  const same = wrong <= different * values.length;
  const tolerance = `tolerance ${round(atol)} + ${round(rtol)} |x|`;
  const text = same
    ? `${values.length} values, ${wrong ? `${wrong} differ, ` : ""}largest difference ${round(worst)} (${tolerance})`
    : `value ${worstAt} is ${values[worstAt]} instead of ${expected[worstAt]} (${tolerance})`;
  return { same, worst, text };
}

/** @param {number} value */
function round(value) {
  return Number(value.toPrecision(2));
}
