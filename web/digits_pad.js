/** @file The network is asked about the digit on the pad, while it is drawn and while it learns. */

import { StoppedError } from "./client.js";
import { likeliest } from "./digit_answers.js";
import { DigitBars } from "./digit_bars.js";
import { paintDigit } from "./digit_image.js";
import { createPad } from "./digit_pad.js";
import { find } from "./dom.js";
import { textOf } from "./error_text.js";

/** @import { Client } from "./client.js" */
/** @import { DrawnDigit } from "./protocol.js" */

const NOTHING = Array.from({ length: 8 }, () => Array(8).fill(0));

/**
 * @param {Client} client
 * @param {() => Promise<void>} prepare resolves once there is a network
 */
export function createDigitsPad(client, prepare) {
  const bars = new DigitBars(find("pad-bars", HTMLElement));
  const seen = find("pad-seen", HTMLCanvasElement);
  const says = find("pad-says", HTMLElement);
  const pad = createPad(find("pad", HTMLCanvasElement), ask);
  let asking = false;
  let changed = false;
  find("pad-clear", HTMLButtonElement).onclick = pad.clear;
  show(null);

  /** Asks about the latest strokes; while one question is under way, the next waits. */
  async function ask() {
    changed = true;
    if (asking) return;
    asking = true;
    try {
      await prepare();
      while (changed) {
        changed = false;
        show(await client.call("digits", ["draw", pad.strokes]));
      }
    } catch (error) {
      // Whoever ended the worker says so itself.
      if (!(error instanceof StoppedError)) says.textContent = textOf(error);
    } finally {
      asking = false;
    }
  }

  /** @param {DrawnDigit | null} drawn */
  function show(drawn) {
    paintDigit(seen, drawn?.pixels ?? NOTHING);
    answer(drawn?.probabilities ?? null);
  }

  /** @param {number[] | null} probabilities */
  function answer(probabilities) {
    bars.values = probabilities;
    const text = probabilities
      ? `Looks like a ${likeliest(probabilities)}`
      : "Nothing is drawn yet";
    // Said aloud, so only when it is another one.
    if (says.textContent !== text) says.textContent = text;
  }

  return {
    /** What the network says by now. @param {number[] | null} probabilities null for an empty pad */
    set answer(probabilities) {
      if (probabilities && pad.strokes.length > 0) answer(probabilities);
    },
    /** Asks again where something is drawn: the network is another one. */
    refresh() {
      if (pad.strokes.length > 0) ask();
    },
  };
}
