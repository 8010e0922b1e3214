/**
 * @file Dispatches of several plans in one pass, which is submitted late, since each submission is a message to the
 * GPU process.
 */
/** @import { Commands, Make } from "./types" */

/**
 * Dispatches after which they are submitted, so that the GPU begins while others are encoded. In Chromium a dispatch
 * of a plan that runs again takes the page's thread 0.5 us. With a submission each 4 dispatches it takes 1.4 us, and
 * each 64 dispatches 0.4 us.
 */
const SUBMITTED_DRAWS = 16;
/** Time after which a plan that ends submits what waits. If the page computes for long in one task, no microtask runs. */
const LATEST_MILLISECONDS = 0.5;

/** @type {Make<Commands, "gpu" | "failures">} */
export function createCommands({ gpu, failures }) {
  /** @type {GPUCommandEncoder | null} */
  let encoder = null;
  /** @type {GPUComputePassEncoder | null} */
  let pass = null;
  let encoded = 0;
  let opened = 0;
  let batch = 0;

  /**
   * Submit commands. The scope's answer is waited for by a read, whereas the event of an error in no scope may arrive
   * after the bytes that were read.
   * @param {GPUCommandEncoder} own @param {(message: string) => void} failed
   */
  function send(own, failed) {
    const { device } = gpu;
    device.pushErrorScope("validation");
    device.queue.submit([own.finish()]);
    failures.pop(device, (error) => {
      if (error !== null && device === gpu.device) failed(error.message);
    });
  }

  /** @type {Commands} */
  const commands = {
    batch: () => batch,

    pass() {
      if (pass !== null) return pass;
      encoder = gpu.device.createCommandEncoder();
      pass = encoder.beginComputePass();
      opened = performance.now();
      queueMicrotask(commands.flush);
      return pass;
    },

    dispatched() {
      encoded += 1;
      if (encoded === SUBMITTED_DRAWS) commands.flush();
    },

    planEnded() {
      if (pass !== null && performance.now() - opened > LATEST_MILLISECONDS) commands.flush();
    },

    flush() {
      if (pass === null || encoder === null) return;
      pass.end();
      send(encoder, failures.symptom);
      commands.clear();
    },

    submit(own, failed = failures.symptom) {
      commands.flush();
      send(own, failed);
    },

    clear() {
      encoder = pass = null;
      encoded = 0;
      batch += 1;
    },
  };
  return commands;
}
