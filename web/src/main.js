/** @file Entry point of the page: creates the sections and starts Python in the worker. */

import { createDigits } from "./features/digits/digits.js";
import { createPhotoLab } from "./features/photo_lab/photo_lab.js";
import { createPlayground } from "./features/playground/playground.js";
import { createLivePanel } from "./features/status/live_panel.js";
import { createLoading } from "./features/status/loading.js";
import { createSurface } from "./features/surface/surface.js";
import { Client, StoppedError } from "./python/client.js";
import { textOf } from "./ui/error_text.js";

const client = new Client(
  () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }),
);
const loading = createLoading(client);
const panel = createLivePanel(client);
const lab = createPhotoLab(client);
const digits = createDigits(client);
const surface = createSurface(client);
const playground = createPlayground(client, { restart: start });

async function start() {
  playground.ready = false;
  for (const section of [lab, digits, surface]) section.disconnect();
  loading.begin();
  try {
    const started = performance.now();
    const { renderer } = await client.start();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    panel.renderer = renderer;
    loading.finish(`Python is ready, in ${seconds} s`);
    playground.ready = true;
    await lab.connect();
    digits.connect();
    surface.connect();
  } catch (error) {
    if (!(error instanceof StoppedError)) loading.fail(textOf(error));
  }
}

start();
