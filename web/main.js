/** @file Starts the page: the worker, the sections, and what is said when Python cannot run. */

import { Client, StoppedError } from "./client.js";
import { createDigits } from "./digits.js";
import { textOf } from "./error_text.js";
import { createLivePanel } from "./live_panel.js";
import { createLoading } from "./loading.js";
import { createPhotoLab } from "./photo_lab.js";
import { createPlayground } from "./playground.js";
import { createSurface } from "./surface.js";

const client = new Client();
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
