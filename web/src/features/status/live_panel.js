/** @file Live numbers: memory and cache counters of the library after the last run or frame, in all workers. */

import { find, make } from "../../ui/dom.js";
import { formatBytes } from "../../ui/metrics.js";

/** @import { Client } from "../../python/client.js" */
/** @import { Numbers } from "../../python/protocol.js" */

/** @type {{ name: string, title: string, bytes?: boolean }[]} */
const TILES = [
  { name: "tensors", title: "Tensors" },
  { name: "bytes", title: "Bytes of tensors", bytes: true },
  { name: "gpuBytes", title: "Bytes in use", bytes: true },
  { name: "pooledBytes", title: "Bytes pooled", bytes: true },
  { name: "programs", title: "Programs" },
  { name: "plans", title: "Plans" },
  { name: "planHits", title: "Plan cache hits" },
  { name: "draws", title: "Draw calls" },
];

/** @param {Client[]} clients */
export function createLivePanel(clients) {
  const values = new Map(TILES.map(({ name }) => [name, make("dd", {}, "–")]));
  find("numbers", HTMLElement).append(
    ...TILES.map(({ name, title }) => {
      const value = /** @type {HTMLElement} */ (values.get(name));
      value.dataset.number = name;
      return make("div", {}, make("dt", {}, title), value);
    }),
  );
  /** The last numbers of each client. @type {Map<Client, Numbers>} */
  const latest = new Map();
  for (const client of clients) {
    client.on("numbers", (numbers) => {
      latest.set(client, numbers);
      show();
    });
  }

  function show() {
    for (const { name, bytes } of TILES) {
      const value = values.get(name);
      if (!value) continue;
      const sum = [...latest.values()].reduce((total, numbers) => total + numbers[name], 0);
      value.textContent = bytes ? formatBytes(sum) : sum.toLocaleString("en");
      value.dataset.value = String(sum);
    }
  }
}
