/** @file Read buffers into the heap through a ring of staging buffers. */
/** @import { Buffer, Make, Reader, Staging } from "./types" */
import {
  chooseTogether,
  markRead,
  markWanted,
  wantedResults,
} from "../webgl_js_bridge/together.js";
import { LOST } from "./device.js";

/** Bytes that are read at a time: the GPU copies one part while the processor copies another. */
const PART_BYTES = 8 * 2 ** 20;
/** Parts of a read that are in flight at once, and idle staging buffers that are kept of each size. */
const RING = 3;
/**
 * Time between empty submissions during a wait. Browsers look for finished work when work is submitted: else Chromium
 * each 1 to 2 ms and Firefox each 100 ms. On an H100 a read of 64 KB took 1.9 ms with them instead of 2.5, and one of
 * 4 MB 3.6 instead of 6.
 */
const PULSE_MILLISECONDS = 0.3;
/** Time for which messages schedule them. A message arrives immediately but keeps the processor busy. */
const EAGER_MILLISECONDS = 8;
/**
 * Bytes of results that are copied as soon as they are computed if they were read after the plan's last run. So the
 * read of a result does not wait for runs that were added after it, and they are encoded while it is computed.
 */
const AHEAD_BYTES = 2 ** 14;
/** Smallest staging buffer; sizes are powers of two. */
const LEAST_BYTES = 4096;

/** @type {Make<Reader, "gpu" | "commands" | "heap" | "buffers" | "failures" | "backlog">} */
export function createReader({ gpu, commands, heap, buffers, failures, backlog }) {
  const USAGE = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
  /** @type {Map<number, GPUBuffer[]>} */
  const idle = new Map();
  /** @type {Set<(error: Error) => void>} */
  const pending = new Set();
  const { port1, port2 } = new MessageChannel();
  let isBeating = false;
  let since = 0;
  let pulsed = 0;
  let reads = 0;

  /** Submit nothing again and again while a promise is waited for. */
  function beat() {
    isBeating = pending.size > 0 && !gpu.isLost;
    if (!isBeating) return;
    const now = performance.now();
    if (now - pulsed >= PULSE_MILLISECONDS) {
      gpu.device.queue.submit([]);
      pulsed = now;
    }
    if (now - since < EAGER_MILLISECONDS) port2.postMessage(null);
    else setTimeout(beat, 1);
  }
  port1.onmessage = beat;

  /** @param {number} bytes */
  function take(bytes) {
    const size = Math.max(LEAST_BYTES, 2 ** Math.ceil(Math.log2(bytes)));
    return idle.get(size)?.pop() ?? gpu.device.createBuffer({ size, usage: USAGE });
  }

  /** @param {GPUBuffer} buffer */
  function give(buffer) {
    const free = idle.get(buffer.size) ?? [];
    idle.set(buffer.size, free);
    buffer.unmap();
    if (free.length < RING) free.push(buffer);
    else buffer.destroy();
  }

  /**
   * Wait for a promise of the device. It is rejected if the device is lost or the bridge is destroyed.
   * @template Answer @param {Promise<Answer>} answer @returns {Promise<Answer>}
   */
  async function settle(answer) {
    const { device } = gpu;
    /** @type {PromiseWithResolvers<never>} */
    const { promise, reject } = Promise.withResolvers();
    /** @type {Error | null} */
    let reason = null;
    const refuse = (/** @type {Error} */ error) => {
      reason = error;
      reject(error);
    };
    pending.add(refuse);
    since = performance.now();
    if (!isBeating) port2.postMessage(null);
    isBeating = true;
    try {
      return await Promise.race([answer, promise]);
    } catch (error) {
      throw reason ?? (gpu.isLost || device !== gpu.device ? new Error(LOST) : error);
    } finally {
      pending.delete(refuse);
    }
  }

  /**
   * Copy parts of buffers one after the other into a staging buffer.
   * @param {{ buffer: GPUBuffer, start: number, bytes: number }[]} parts @returns {Staging}
   */
  function begin(parts) {
    const { device } = gpu;
    const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
    const buffer = take(total);
    const encoder = device.createCommandEncoder();
    let at = 0;
    for (const { buffer: source, start, bytes } of parts) {
      encoder.copyBufferToBuffer(source, start, buffer, at, bytes);
      at += bytes;
    }
    commands.submit(encoder);
    const mapped = buffer.mapAsync(GPUMapMode.READ, 0, total);
    // Another part may fail first, and nothing waits for this one then.
    mapped.catch(() => {});
    return { buffer, mapped, total };
  }

  /**
   * Call `use` with the bytes of a staging buffer once they are there.
   * @template Answer @param {Staging} staging @param {(bytes: Uint8Array) => Answer} use
   */
  async function finish({ buffer, mapped, total }, use) {
    await settle(mapped);
    const answer = use(new Uint8Array(buffer.getMappedRange(0, total)));
    give(buffer);
    return answer;
  }

  /** Return the bytes of parts of buffers. @param {Parameters<typeof begin>[0]} parts */
  const copied = (parts) => finish(begin(parts), (bytes) => bytes.slice());

  /** Start to read results together. @param {Buffer[]} results */
  function readTogether(results) {
    if (results.length === 0) return;
    const parts = results.map(({ buffer, shape: { bytes } }) => ({ buffer, start: 0, bytes }));
    const all = copied(parts);
    all.catch(() => {});
    let at = 0;
    for (const result of results) {
      markRead(result);
      result.ahead = { all, start: at };
      at += result.shape.bytes;
    }
  }

  /** @param {Buffer} buffer */
  const bytesOf = ({ shape }) => shape.bytes;

  /** @param {GPUBuffer} buffer @param {number} address @param {number} byteLength */
  async function readAlone(buffer, address, byteLength) {
    /** @type {Staging[]} */
    const parts = [];
    let begun = 0;
    for (let done = 0; done < byteLength; done += PART_BYTES) {
      for (; begun < byteLength && parts.length < RING; begun += PART_BYTES) {
        const bytes = Math.min(PART_BYTES, Math.ceil((byteLength - begun) / 4) * 4);
        parts.push(begin([{ buffer, start: begun, bytes }]));
      }
      const part = /** @type {Staging} */ (parts.shift());
      await finish(part, (bytes) =>
        heap().set(bytes.subarray(0, Math.min(bytes.length, byteLength - done)), address + done),
      );
    }
  }

  return {
    settle,

    /** Wait until the GPU has done all work submitted so far. */
    async finish() {
      commands.flush();
      await settle(gpu.device.queue.onSubmittedWorkDone());
      backlog.drained();
    },

    /** Start to read those small results of a run that were also read after the plan's last run. */
    readAhead(run) {
      readTogether(wantedResults(run, buffers.find, bytesOf, AHEAD_BYTES));
    },

    /** Return a copy of the first bytes of a buffer. */
    copy: (buffer, bytes) => copied([{ buffer, start: 0, bytes }]),

    /** Copy a buffer's first bytes into the heap. The caller keeps the buffer until the promise is settled. */
    async read(handle, address, byteLength) {
      failures.raise();
      const buffer = buffers.get(handle);
      const { bytes } = buffer.shape;
      if (byteLength > bytes)
        throw new Error(`buffer ${handle} has ${bytes} bytes; got ${byteLength} asked`);
      if (byteLength === 0) return;
      const added = backlog.added();
      if (buffer.ahead === null) readTogether(chooseTogether(buffer, buffers.find, bytesOf));
      markWanted(buffer);
      const { ahead } = buffer;
      buffer.ahead = null;
      if (ahead === null) await readAlone(buffer.buffer, address, byteLength);
      else {
        const all = await ahead.all;
        heap().set(all.subarray(ahead.start, ahead.start + byteLength), address);
      }
      await settle(failures.settled());
      failures.raise();
      // The work before the read is done, and none was added since.
      if (backlog.added() === added) backlog.drained();
      reads += 1;
    },

    rejectAll(reason) {
      for (const reject of pending) reject(new Error(reason));
      pending.clear();
    },

    close: () => port1.close(),

    /** Forget the lost device's objects. */
    clear: () => idle.clear(),

    stats: () => ({ reads }),
  };
}
