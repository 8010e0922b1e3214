/** @file Says whether two sides computed the same. */

/**
 * @typedef {object} Comparison
 * @property {boolean} same
 * @property {number} worst the largest difference
 * @property {string} text what was compared, and where it differs
 */

/**
 * Same where |value - expected| <= atol + rtol * |expected| for every element.
 *
 * @param {ArrayLike<number>} values
 * @param {ArrayLike<number>} expected
 * @param {{ atol: number, rtol: number }} tolerance
 * @returns {Comparison}
 */
export function compare(values, expected, { atol, rtol }) {
  if (values.length !== expected.length) {
    const text = `${values.length} values beside ${expected.length}`;
    return { same: false, worst: Number.POSITIVE_INFINITY, text };
  }
  let worst = 0;
  let worstExcess = Number.NEGATIVE_INFINITY;
  let worstAt = 0;
  for (let i = 0; i < values.length; i++) {
    // NaN on one side only counts as infinitely far, and so does an infinity of the other sign.
    const equal = Object.is(values[i], expected[i]) || values[i] === expected[i];
    const difference = equal ? 0 : Math.abs(values[i] - expected[i]);
    const distance = Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference;
    const allowed = Number.isFinite(expected[i]) ? atol + rtol * Math.abs(expected[i]) : 0;
    worst = Math.max(worst, distance);
    if (distance - allowed > worstExcess) {
      worstExcess = distance - allowed;
      worstAt = i;
    }
  }
  const same = worstExcess <= 0 || values.length === 0;
  const tolerance = `tolerance ${brief(atol)} + ${brief(rtol)} |x|`;
  const text = same
    ? `${values.length} values, at most ${brief(worst)} apart (${tolerance})`
    : `value ${worstAt} is ${values[worstAt]} beside ${expected[worstAt]} (${tolerance})`;
  return { same, worst, text };
}

/** @param {number} value */
function brief(value) {
  return Number(value.toPrecision(2));
}
