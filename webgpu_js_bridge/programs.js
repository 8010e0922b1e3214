/** @file Programs: compute pipelines, compiled in parallel from the time at which they are registered. */
/** @import { Layout, Make, Program, Programs } from "./types" */
import { shaderError } from "../webgl_js_bridge/shader_errors.js";
import { LOST } from "./device.js";

const BINDING = /@binding\(\s*(\d+)\s*\)\s*var\s*<\s*(storage|uniform)\s*(?:,\s*(\w+)\s*)?>/g;

/** @type {{ [kind: string]: GPUBufferBindingType }} */
const TYPES = { r: "read-only-storage", w: "storage", u: "uniform" };

/**
 * Return the kinds of a source's bindings, by their numbers: r for read-only storage, w for storage that is
 * written, u for a uniform block, - for a number without a declaration.
 * @param {string} source
 */
export function bindingsOf(source) {
  /** @type {string[]} */
  const kinds = [];
  for (const [, number, space, access] of source.matchAll(BINDING))
    kinds[Number(number)] = space === "uniform" ? "u" : access === "read_write" ? "w" : "r";
  return Array.from(kinds, (kind) => kind ?? "-").join("");
}

/** @type {Make<Programs, "gpu" | "failures">} */
export function createPrograms({ gpu, failures }) {
  /** @type {Map<number, Program>} */
  const registered = new Map();
  /** @type {Map<string, Layout>} */
  const layouts = new Map();
  let compiled = 0;

  /** Return the layout of bindings of some kinds, which programs share. @param {string} kinds */
  function layoutOf(kinds) {
    const known = layouts.get(kinds);
    if (known) return known;
    const { device } = gpu;
    const entries = Array.from(kinds, (kind, binding) => ({ kind, binding }))
      .filter(({ kind }) => kind !== "-")
      .map(({ kind, binding }) => ({
        binding,
        visibility: GPUShaderStage.COMPUTE,
        buffer: { type: TYPES[kind] },
      }));
    const group = device.createBindGroupLayout({ entries });
    const pipeline = device.createPipelineLayout({ bindGroupLayouts: [group] });
    const layout = { group, pipeline };
    layouts.set(kinds, layout);
    return layout;
  }

  /**
   * Return an error with the compiler's first complaint.
   * @param {Program} program @param {GPUShaderModule} module @param {Error} error
   */
  async function explain({ name, source }, module, { message }) {
    const { messages } = await module.getCompilationInfo();
    const first = messages.find(({ type }) => type === "error");
    return shaderError(
      name,
      first ? `ERROR: 0:${first.lineNum}: ${first.message}` : message,
      source,
    );
  }

  /** Start compiling a program without waiting for the result. @param {Program} program */
  function start(program) {
    if (program.compiling !== null || gpu.isLost) return;
    const { device } = gpu;
    // Only the pipeline's error is needed, which names the same fault.
    device.pushErrorScope("validation");
    const layout = program.layout ?? layoutOf(program.kinds);
    const module = device.createShaderModule({ label: program.name, code: program.source });
    const compute = { module, entryPoint: "main" };
    const compiling = device.createComputePipelineAsync({ layout: layout.pipeline, compute });
    failures.pop(device, () => {});
    compiled += 1;
    Object.assign(program, {
      layout,
      module,
      compiling: compiling.then(
        (pipeline) => {
          if (device === gpu.device) Object.assign(program, { pipeline, isCompiled: true });
        },
        async (error) => {
          if (device !== gpu.device || gpu.isLost) return;
          const explained = await explain(program, module, error).catch(() => error);
          program.error = explained;
          if (program.pipeline !== null) failures.cause(explained);
        },
      ),
    });
  }

  /** @type {Programs} */
  const programs = {
    register(id, name, source) {
      if (registered.has(id)) throw new Error(`program ${id} exists already`);
      const program = { name, source, kinds: bindingsOf(source), ...nothing() };
      registered.set(id, program);
      start(program);
    },

    get(id) {
      const program = registered.get(id);
      if (program === undefined) throw new Error(`no program ${id}`);
      return program;
    },

    drop: (id) => void registered.delete(id),

    /**
     * Return a program's pipeline. One that is still compiling is created again: the browser answers at once,
     * and its GPU process compiles before the dispatch. The error of a wrong shader arrives later.
     */
    pipeline(program) {
      if (program.error !== null) throw program.error;
      if (program.pipeline !== null) return program.pipeline;
      start(program);
      const { device } = gpu;
      const { layout, module, compiling } = program;
      if (layout === null || module === null || compiling === null) throw new Error(LOST);
      device.pushErrorScope("validation");
      program.pipeline = device.createComputePipeline({
        layout: layout.pipeline,
        compute: { module, entryPoint: "main" },
      });
      failures.pop(device, () => {});
      failures.expect(compiling);
      return program.pipeline;
    },

    /** Return the layout of a program's bind groups. */
    group(program) {
      program.layout ??= layoutOf(program.kinds);
      return program.layout.group;
    },

    /** Wait until some programs have compiled. */
    async prepare(draws) {
      for (const { program } of draws) start(program);
      for (const { program } of draws) {
        await program.compiling;
        if (program.error !== null) throw program.error;
      }
    },

    /** Return the number of programs that have compiled. */
    ready(draws) {
      let done = 0;
      for (const program of new Set(draws.map((draw) => draw.program))) {
        start(program);
        if (program.error !== null) throw program.error;
        if (program.isCompiled) done += 1;
      }
      return done;
    },

    /** Drop the lost device's objects. Sources are kept, so programs compile again before the next use. */
    clear() {
      layouts.clear();
      for (const program of registered.values()) Object.assign(program, nothing());
    },

    stats: () => ({ programs: registered.size, compiled }),
  };
  return programs;
}

const nothing = () => ({
  layout: null,
  module: null,
  compiling: null,
  pipeline: null,
  isCompiled: false,
  error: null,
});
