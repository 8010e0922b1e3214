/** @file Titles and slider ranges of the filters in input_filters.py, which follow the photo lab's in the list. */

import { FILTERS } from "../../../ui/photo_filters.js";

/** @type {import("../../../ui/photo_filters.js").Filter[]} */
export const INPUT_FILTERS = [
  ...FILTERS.map((filter) => ({ ...filter, isOn: false })),
  { name: "hue", title: "Hue, degrees", low: -180, high: 180, step: 5, start: 60 },
  { name: "saturation", title: "Saturation", low: 0, high: 3, step: 0.1, start: 0 },
  { name: "noise", title: "Noise", low: 0.01, high: 0.5, step: 0.01, start: 0.1 },
  { name: "pixelate", title: "Pixelate", low: 2, high: 40, step: 1, start: 8 },
  { name: "flip", title: "Flip: 1 columns, 2 rows, 3 both", low: 1, high: 3, step: 1, start: 1 },
  { name: "rotate", title: "Rotate, degrees", low: -180, high: 180, step: 5, start: 15 },
  { name: "crop", title: "Crop to the middle", low: 0.2, high: 1, step: 0.05, start: 0.6 },
];
