/** @file Programs: compiled in parallel; their status is queried only before their first use. */
/** @import { Compiled, Make, Program, Programs } from "./types" */
import { shaderError } from "./shader_errors.js";

/** Vertex shader of one triangle that covers the viewport. */
const VERTEX_SHADER = `#version 300 es
void main() {
  gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}`;

/** COMPLETION_STATUS_KHR of the extension KHR_parallel_shader_compile. */
const COMPLETION_STATUS = 0x91b1;

const none = { words: new Int32Array(0), send() {} };

/** @returns {Compiled} */
const nothing = () => ({ linked: null, shader: null, floats: none, ints: none, uints: none });

/** @type {Make<Programs, "gl" | "state">} */
export function createPrograms({ gl, state }) {
  /** @type {Map<number, Program>} */
  const registered = new Map();
  /** @type {Set<Program>} the bridge's internal programs, not counted in `stats` */
  const own = new Set();
  /** @type {WebGLShader | null} */
  let vertexShader = null;
  let compiled = 0;

  /** @param {number} type @param {string} source */
  function compile(type, source) {
    const shader = gl.createShader(type);
    // createShader() returns null only if the context is lost; check() reports that.
    if (shader === null) return null;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    return shader;
  }

  /** Start compiling a program without waiting for the result. @param {Program} program */
  function start(program) {
    if (program.linked !== null) return;
    vertexShader ??= compile(gl.VERTEX_SHADER, VERTEX_SHADER);
    const shader = compile(gl.FRAGMENT_SHADER, program.source);
    const linked = gl.createProgram();
    if (!vertexShader || !shader || !linked) return;
    gl.attachShader(linked, vertexShader);
    gl.attachShader(linked, shader);
    gl.linkProgram(linked);
    Object.assign(program, { linked, shader });
    if (!own.has(program)) compiled += 1;
  }

  /**
   * Find the uniforms of a program: the samplers x0, x1, ... and the arrays F, I, U.
   * @param {Program} program @param {WebGLProgram} linked
   */
  function reflect(program, linked) {
    state.use(linked);
    state.hasNewObjects = true;
    const count = gl.getProgramParameter(linked, gl.ACTIVE_UNIFORMS);
    for (let i = 0; i < count; i++) {
      const { name, size } = /** @type {WebGLActiveInfo} */ (gl.getActiveUniform(linked, i));
      const at = gl.getUniformLocation(linked, name);
      const words = new Int32Array(size);
      const floats = new Float32Array(words.buffer);
      const uints = new Uint32Array(words.buffer);
      if (name === "F[0]") program.floats = { words, send: () => gl.uniform1fv(at, floats) };
      else if (name === "I[0]") program.ints = { words, send: () => gl.uniform1iv(at, words) };
      else if (name === "U[0]") program.uints = { words, send: () => gl.uniform1uiv(at, uints) };
      else if (/^x\d+$/.test(name)) gl.uniform1i(at, Number(name.slice(1)));
    }
  }

  /** Wait for the compiler and throw a ShaderError with its first complaint. @param {Program} program */
  function check(program) {
    const { linked, shader } = program;
    if (linked === null) throw new Error("WebGL context lost");
    // The shader was deleted when an earlier check succeeded.
    if (shader === null) return;
    if (!gl.getProgramParameter(linked, gl.LINK_STATUS)) {
      const failed = gl.getShaderParameter(shader, gl.COMPILE_STATUS) === false;
      const log = failed ? gl.getShaderInfoLog(shader) : gl.getProgramInfoLog(linked);
      // A failed compilation leaves a log; an empty log means that the context was lost in this task.
      if (gl.isContextLost() || !log) throw new Error("WebGL context lost");
      throw shaderError(program.name, log, program.source);
    }
    reflect(program, linked);
    gl.deleteShader(shader);
    program.shader = null;
  }

  return {
    register(id, name, source) {
      if (registered.has(id)) throw new Error(`program ${id} exists already`);
      const program = { name, source, ...nothing() };
      registered.set(id, program);
      start(program);
    },

    get(id) {
      const program = registered.get(id);
      if (program === undefined) throw new Error(`no program ${id}`);
      return program;
    },

    drop(id) {
      const program = registered.get(id);
      if (program === undefined) return;
      registered.delete(id);
      // WebGL keeps a deleted program alive while it is the current one.
      state.use(null);
      gl.deleteShader(program.shader);
      gl.deleteProgram(program.linked);
      Object.assign(program, nothing());
    },

    internal(name, source) {
      const program = { name, source, ...nothing() };
      own.add(program);
      return program;
    },

    /** Compile the programs of some draws. All compilations start before the first wait. */
    prepare(draws) {
      for (const { program } of draws) start(program);
      for (const { program } of draws) check(program);
    },

    /**
     * Return the number of programs that have compiled. Without KHR_parallel_shader_compile the context
     * cannot say which have, so each call waits for one more program.
     */
    ready(draws) {
      const tells = gl.getExtension("KHR_parallel_shader_compile") !== null;
      let turns = 1;
      let done = 0;
      for (const program of new Set(draws.map((draw) => draw.program))) {
        start(program);
        const { linked, shader } = program;
        if (linked !== null && shader !== null) {
          const compiled = tells ? gl.getProgramParameter(linked, COMPLETION_STATUS) : turns-- > 0;
          if (!compiled) continue;
        }
        check(program);
        done += 1;
      }
      return done;
    },

    /** Drop the lost context's objects. Sources are kept, so programs compile again before the next use. */
    clear() {
      vertexShader = null;
      for (const program of [...registered.values(), ...own]) Object.assign(program, nothing());
    },

    stats: () => ({ programs: registered.size, compiled }),
  };
}
