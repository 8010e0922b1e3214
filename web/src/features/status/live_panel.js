/** @file Live numbers: memory and cache counters of the library after the last run or frame. */

import { find, make } from "../../ui/dom.js";
import { formatBytes } from "../../ui/metrics.js";

/** @import { Client } from "../../python/client.js" */

/** @type {{ name: string, title: string, bytes?: boolean }[]} */
const TILES = [
  { name: "tensors", title: "Tensors" },
  { name: "bytes", title: "Bytes of tensors", bytes: true },
  { name: "gpuBytes", title: "GPU bytes in use", bytes: true },
  { name: "pooledBytes", title: "GPU bytes pooled", bytes: true },
  { name: "programs", title: "Shader programs" },
  { name: "plans", title: "Plans" },
  { name: "planHits", title: "Plan cache hits" },
  { name: "draws", title: "Draw calls" },
];

/** @param {Client} client */
export function createLivePanel(client) {
  const renderer = find("renderer", HTMLElement);
  const values = new Map(TILES.map(({ name }) => [name, make("dd", {}, "–")]));
  find("numbers", HTMLElement).append(
    ...TILES.map(({ name, title }) => {
      const value = /** @type {HTMLElement} */ (values.get(name));
      value.dataset.number = name;
      return make("div", {}, make("dt", {}, title), value);
    }),
  );
  client.on("numbers", (numbers) => {
    for (const { name, bytes } of TILES) {
      const value = values.get(name);
      if (!value) continue;
      value.textContent = bytes ? formatBytes(numbers[name]) : numbers[name].toLocaleString("en");
      value.dataset.value = String(numbers[name]);
    }
  });
  return {
    /** @param {string} name */
    set renderer(name) {
      renderer.textContent = name;
    },
  };
}
