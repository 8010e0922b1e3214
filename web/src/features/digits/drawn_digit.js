/** @file The drawn digit and its prediction, updated while the visitor draws and while the network learns. */

import { find } from "../../ui/dom.js";
import { textOf } from "../../ui/error_text.js";
import { DigitBars } from "./digit_bars.js";
import { paintDigit } from "./digit_image.js";
import { createPad } from "./drawing_pad.js";
import { likeliest } from "./predictions.js";

/** @import { Client } from "../../python/client.js" */
/** @import { DrawnDigit } from "../../python/protocol.js" */

const BLANK = Array.from({ length: 8 }, () => Array(8).fill(0));

/**
 * @param {Client} client
 * @param {() => Promise<void>} prepare resolves once there is a network
 */
export function createDrawnDigit(client, prepare) {
  const bars = new DigitBars(find("pad-bars", HTMLElement));
  const downscaled = find("pad-seen", HTMLCanvasElement);
  const verdict = find("pad-says", HTMLElement);
  const pad = createPad(find("pad", HTMLCanvasElement), predict);
  let pending = false;
  let changed = false;
  find("pad-clear", HTMLButtonElement).onclick = pad.clear;
  show(null);

  /** Predicts the latest strokes. While a request is pending, one more is remembered at most. */
  async function predict() {
    changed = true;
    if (pending) return;
    pending = true;
    try {
      await prepare();
      while (changed) {
        changed = false;
        show(await client.call("digits", ["draw", pad.strokes]));
      }
    } catch (error) {
      verdict.textContent = textOf(error);
    } finally {
      pending = false;
    }
  }

  /** @param {DrawnDigit | null} drawn */
  function show(drawn) {
    paintDigit(downscaled, drawn?.pixels ?? BLANK);
    showPrediction(drawn?.probabilities ?? null);
  }

  /** @param {number[] | null} probabilities */
  function showPrediction(probabilities) {
    bars.values = probabilities;
    const text = probabilities
      ? `Looks like a ${likeliest(probabilities)}`
      : "Nothing is drawn yet";
    // Screen readers announce each assignment, so it is skipped if nothing changed.
    if (verdict.textContent !== text) verdict.textContent = text;
  }

  return {
    /** Shows a newer prediction for the same drawing. @param {number[] | null} probabilities null for an empty pad */
    set probabilities(probabilities) {
      if (probabilities && pad.strokes.length > 0) showPrediction(probabilities);
    },
    /** Predicts the drawing, if any, with a new network. */
    refresh() {
      if (pad.strokes.length > 0) predict();
    },
  };
}
