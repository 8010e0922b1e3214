/** @file Counts the kernels that are started on the GPU, by any library in the page. */

/** Methods that start a kernel, by the class that has them. */
const STARTS = {
  GPUComputePassEncoder: ["dispatchWorkgroups", "dispatchWorkgroupsIndirect"],
  WebGL2RenderingContext: ["drawArrays", "drawElements"],
};

/** Number of kernels that are started until the work ends. @param {() => Promise<unknown>} work */
export async function kernelsOf(work) {
  let count = 0;
  const restore = Object.entries(STARTS).flatMap(([name, methods]) => {
    const prototype = /** @type {any} */ (globalThis)[name]?.prototype;
    return (prototype ? methods : []).map((method) => {
      const original = prototype[method];
      /** @this {unknown} @param {...unknown} values */
      prototype[method] = function (...values) {
        count += 1;
        return original.apply(this, values);
      };
      return () => {
        prototype[method] = original;
      };
    });
  });
  try {
    await work();
  } finally {
    for (const undo of restore) undo();
  }
  return count;
}
