/** @file Plays the sounds of a program one after the other. */

/** @import { Sound } from "../../python/protocol.js" */

const DELAY = 0.05; // seconds before a sound that follows none, so that the next one arrives in time

export class SoundOutput {
  /** @type {AudioContext | null} */
  #context = null;
  #end = 0;

  /** @param {Sound} sound */
  play({ samples, rate }) {
    this.#context ??= new AudioContext();
    const context = this.#context;
    const buffer = context.createBuffer(1, samples.length, rate);
    buffer.copyToChannel(samples, 0);
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(context.destination);
    if (this.#end < context.currentTime) this.#end = context.currentTime + DELAY;
    source.start(this.#end);
    this.#end += buffer.duration;
  }

  stop() {
    this.#context?.close();
    this.#context = null;
    this.#end = 0;
  }
}
