/** @file Titles and slider ranges of the filters in python/photo_filters.py, in their initial order. */

/**
 * @typedef {object} Filter
 * @property {string} name
 * @property {string} title
 * @property {number} low
 * @property {number} high
 * @property {number} step
 * @property {number} start
 * @property {boolean} [isOn] true if the filter is applied from the start
 */

/** @type {Filter[]} */
export const FILTERS = [
  { name: "brightness", title: "Brightness", low: -0.5, high: 0.5, step: 0.01, start: 0.1 },
  { name: "contrast", title: "Contrast", low: 0, high: 3, step: 0.05, start: 1.4 },
  { name: "blur", title: "Gaussian blur", low: 0.5, high: 5, step: 0.1, start: 2 },
  { name: "sharpen", title: "Sharpen", low: 0, high: 4, step: 0.1, start: 1.5 },
  { name: "sobel", title: "Edges (Sobel)", low: 0.2, high: 3, step: 0.1, start: 1 },
  { name: "threshold", title: "Threshold", low: 0, high: 1, step: 0.01, start: 0.5 },
  { name: "sepia", title: "Sepia", low: 0, high: 1, step: 0.05, start: 0.8, isOn: true },
];
