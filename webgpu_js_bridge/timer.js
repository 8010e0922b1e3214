/**
 * @file Measure each dispatch, with timestamps or by the times at which the GPU reports that dispatches are done.
 */
/** @import { Make, Measured, Timer } from "./types" */
import { createTimes } from "../webgl_js_bridge/times.js";

/** Dispatches of which a set of timestamps holds the begin and the end. */
const CAPACITY = 1024;
const TIMESTAMP_BYTES = 8;

/** @type {Make<Timer, "gpu" | "commands" | "reader">} */
export function createTimer({ gpu, commands, reader }) {
  const times = createTimes();
  let blocking = false;
  /** @type {GPUQuerySet | null} */
  let querySet = null;
  /** @type {Measured[]} dispatches whose timestamps are in the set */
  let measured = [];
  /** @type {Promise<void>[]} answers that add times */
  let pending = [];
  let done = 0;

  /** Start to read the timestamps of the set, which is used again afterwards. */
  function resolve() {
    if (querySet === null || measured.length === 0) return;
    const { device } = gpu;
    const kernels = measured;
    measured = [];
    const size = 2 * TIMESTAMP_BYTES * kernels.length;
    const usage = GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC;
    const buffer = device.createBuffer({ size, usage });
    const encoder = device.createCommandEncoder();
    encoder.resolveQuerySet(querySet, 0, 2 * kernels.length, buffer, 0);
    commands.submit(encoder);
    const answer = reader.copy(buffer, size).then((bytes) => {
      const stamps = new BigUint64Array(bytes.buffer);
      for (const [i, { name, started }] of kernels.entries())
        times.add(name, started, Number(stamps[2 * i + 1] - stamps[2 * i]) / 1e6);
      buffer.destroy();
    });
    pending.push(answer);
    // A lost device rejects it, and `timings` may not be called again.
    answer.catch(() => {});
  }

  /** @type {Timer} */
  const timer = {
    ...times,

    block(on) {
      blocking = on;
    },

    /** Return the descriptor of the pass of a dispatch. */
    pass(name) {
      if (blocking || !gpu.limits.timer) return undefined;
      if (measured.length === CAPACITY) resolve();
      querySet ??= gpu.device.createQuerySet({ type: "timestamp", count: 2 * CAPACITY });
      const beginningOfPassWriteIndex = 2 * measured.length;
      const endOfPassWriteIndex = beginningOfPassWriteIndex + 1;
      measured.push({ name, started: performance.now() });
      return { timestampWrites: { querySet, beginningOfPassWriteIndex, endOfPassWriteIndex } };
    },

    /** Note that a dispatch without timestamps was submitted: it takes the time since the one before it was done. */
    submitted(name, started) {
      if (!blocking && gpu.limits.timer) return;
      const answer = gpu.device.queue.onSubmittedWorkDone().then(() => {
        const now = performance.now();
        const start = Math.max(started, done);
        done = now;
        times.add(name, start, now - start);
      });
      pending.push(answer);
      answer.catch(() => {});
    },

    async timings() {
      resolve();
      const answers = pending;
      pending = [];
      await reader.settle(Promise.all(answers));
      return times.taken();
    },

    /** Forget the lost device's objects. */
    clear() {
      querySet = null;
      measured = [];
      pending = [];
    },
  };
  return timer;
}
