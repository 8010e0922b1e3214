/** @file Results of a run and their summary. */

/** @import { DeviceLimits } from "./device_limits.js" */
/** @import { Row } from "./measure.js" */
/** @import { Parameters } from "./parameters.js" */
import { hasFailed } from "./measure.js";
import { geometricMean } from "./timing.js";

/**
 * @typedef {object} Results
 * @property {string} date
 * @property {Record<string, string>} versions
 * @property {Parameters} parameters
 * @property {DeviceLimits} device
 * @property {Row[]} rows
 * @property {Summary} summary
 * @property {Section[]} sections
 *
 * @typedef {{ compared: number, slower: number, failed: number, geometricMean: number | null }} Summary
 * @typedef {{ title: string, columns: string[], rows: (string | number)[][], notes: string[] }} Section
 *   an additional table, with notes shown below it
 */

/**
 * @param {Row[]} rows
 * @returns {Summary}
 */
export function summarise(rows) {
  const ratios = rows.flatMap(({ ratio }) => (ratio === null ? [] : [ratio]));
  return {
    compared: ratios.length,
    slower: ratios.filter((ratio) => ratio < 1).length,
    failed: rows.filter(hasFailed).length,
    geometricMean: ratios.length > 0 ? geometricMean(ratios) : null,
  };
}

/** Formats with three significant digits, or as an integer from 100 on. @param {number} value */
export function digits(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 0.001) return String(Number(value.toPrecision(3)));
  return value.toExponential(1);
}
