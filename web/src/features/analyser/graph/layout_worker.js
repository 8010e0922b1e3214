/** @file Worker that lays a graph out. */

import { layout } from "./layout.js";

/** @import { LayoutRequest } from "./layout.js" */

self.onmessage = (/** @type {MessageEvent<LayoutRequest>} */ { data }) => {
  self.postMessage({ number: data.number, ...layout(data) });
};
