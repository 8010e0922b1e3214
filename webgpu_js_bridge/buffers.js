/** @file Storage buffers by the caller's handles, and the pool of freed ones for reuse. */
/** @import { Buffer, Buffers, Make, Shape } from "./types" */
import { createHandles } from "../webgl_js_bridge/handles.js";
import { LOST } from "./device.js";
import { outOfMemory } from "./failures.js";

/** Error of the buffers that are given up if there is no memory. */
const GIVEN_UP = "the tensor was lost when GPU memory ran out; got no elements; compute it again";
/** Buffers are as large as a whole number of groups of four 32-bit elements. */
const GROUP_BYTES = 16;

/** @type {Make<Buffers, "gpu" | "commands" | "heap" | "failures">} */
export function createBuffers({ gpu, commands, heap, failures }) {
  const USAGE = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  /** @type {Map<number, Shape>} */
  const shapes = new Map();
  /** New buffers of which the device has not yet said whether it has memory for them. */
  let waiting = 0;
  let uploads = 0;
  const handles = createHandles({ create, destroy, isChecked: () => waiting === 0 });
  const tail = new Uint8Array(GROUP_BYTES);

  /** @param {Shape} shape @returns {Buffer} */
  function create(shape) {
    const { device } = gpu;
    waiting += 1;
    device.pushErrorScope("out-of-memory");
    const buffer = device.createBuffer({ size: shape.bytes, usage: USAGE });
    failures.pop(device, (error) => {
      if (device !== gpu.device || gpu.isLost) return;
      waiting -= 1;
      if (error !== null) exhausted();
      else if (waiting === 0) handles.markChecked();
    });
    return { shape, buffer, run: null, output: 0, ahead: null };
  }

  /** @param {Buffer} buffer */
  function destroy({ buffer }) {
    // Work that is submitted later must not refer to it.
    commands.flush();
    buffer.destroy();
  }

  /** Give up the buffers that may lack memory, and raise the error with the next run or read. */
  function exhausted() {
    const text = `out of GPU memory; got buffers of ${handles.stats().bytesInUse} bytes`;
    // The pool has buffers without memory, too.
    handles.giveUp(GIVEN_UP);
    failures.cause(outOfMemory(text));
  }

  /** @type {Buffers} */
  const buffers = {
    ...handles,

    shape(bytes) {
      const known = shapes.get(bytes);
      if (known) return known;
      const size = Math.max(Math.ceil(bytes / GROUP_BYTES), 1) * GROUP_BYTES;
      const { maxBufferSize, maxStorageBufferBindingSize } = gpu.limits;
      const most = Math.min(maxBufferSize, maxStorageBufferBindingSize);
      if (size > most)
        throw outOfMemory(`a buffer is too large; got ${size} bytes; at most ${most}`);
      const shape = size === bytes ? { bytes, free: [] } : buffers.shape(size);
      shapes.set(bytes, shape);
      return shape;
    },

    alloc(handle, bytes) {
      handles.open(handle, buffers.shape(bytes));
    },

    upload(handle, bytes, address, byteLength) {
      const shape = buffers.shape(bytes);
      if (byteLength > shape.bytes)
        throw new Error(`buffer ${handle} has ${shape.bytes} bytes; got ${byteLength}`);
      const { buffer } = handles.open(handle, shape);
      const whole = byteLength - (byteLength % GROUP_BYTES);
      const memory = heap();
      const { queue } = gpu.device;
      // The buffer may come from the pool, and be read by work that is not submitted yet.
      commands.flush();
      if (whole > 0) queue.writeBuffer(buffer, 0, memory, address, whole);
      if (byteLength > whole) {
        // Kernels read whole groups, whose elements after the last are zero.
        tail.fill(0).set(memory.subarray(address + whole, address + byteLength));
        queue.writeBuffer(buffer, whole, tail);
      }
      uploads += 1;
    },

    /** Forget all buffers after the device was lost. */
    clear() {
      handles.clear(LOST);
      waiting = 0;
    },

    stats() {
      const { inUse: buffersInUse, free: buffersFree, ...bytes } = handles.stats();
      return { buffersInUse, buffersFree, ...bytes, uploads };
    },
  };
  return buffers;
}
