/** @file Programs: compiled in parallel, asked for their status only when first needed. */

import { shaderError } from "./shader_errors.js";

/**
 * @typedef {ReturnType<typeof createPrograms>} Programs
 *
 * @typedef {object} Scalars one uniform array of a program, and what the GPU has of it
 * @property {WebGLUniformLocation | null} location
 * @property {Int32Array} words
 * @property {Float32Array | Int32Array | Uint32Array} values the same memory as `words`
 */

/** One triangle that covers the viewport. */
const VERTEX_SHADER = `#version 300 es
void main() {
  gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}`;

/** @returns {Scalars} */
const noScalars = () => ({ location: null, words: new Int32Array(0), values: new Int32Array(0) });

export class Program {
  /**
   * @param {string} name
   * @param {string} source
   */
  constructor(name, source) {
    this.name = name;
    this.source = source;
    /** @type {WebGLProgram | null} */
    this.program = null;
    /** @type {WebGLShader | null} */
    this.shader = null;
    this.checked = false;
    this.floats = noScalars();
    this.ints = noScalars();
    this.uints = noScalars();
  }
}

/**
 * @param {WebGL2RenderingContext} gl
 * @param {import("./state.js").State} state
 */
export function createPrograms(gl, state) {
  /** @type {Map<number, Program>} */
  const registered = new Map();
  /** @type {Set<Program>} */
  const own = new Set();
  /** @type {WebGLShader | null} */
  let vertexShader = null;
  let compiled = 0;

  /**
   * @param {number} type
   * @param {string} source
   */
  function compile(type, source) {
    const shader = gl.createShader(type);
    // Without a shader the context is lost, which whoever asks for the status reports.
    if (shader === null) return null;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    return shader;
  }

  /** @param {Program} program */
  function start(program) {
    if (program.program !== null) return;
    vertexShader ??= compile(gl.VERTEX_SHADER, VERTEX_SHADER);
    const shader = compile(gl.FRAGMENT_SHADER, program.source);
    const linking = gl.createProgram();
    if (!vertexShader || !shader || !linking) return;
    gl.attachShader(linking, vertexShader);
    gl.attachShader(linking, shader);
    gl.linkProgram(linking);
    program.program = linking;
    program.shader = shader;
    if (!own.has(program)) compiled += 1;
  }

  /**
   * Finds the samplers x0, x1, ... and the arrays F, I, U.
   * @param {Program} program
   * @param {WebGLProgram} linked
   */
  function reflect(program, linked) {
    state.use(linked);
    const count = gl.getProgramParameter(linked, gl.ACTIVE_UNIFORMS);
    for (let i = 0; i < count; i++) {
      const info = gl.getActiveUniform(linked, i);
      if (info === null) continue;
      const location = gl.getUniformLocation(linked, info.name);
      const words = new Int32Array(info.size);
      if (info.name === "F[0]")
        program.floats = { location, words, values: new Float32Array(words.buffer) };
      else if (info.name === "I[0]") program.ints = { location, words, values: words };
      else if (info.name === "U[0]")
        program.uints = { location, words, values: new Uint32Array(words.buffer) };
      else if (/^x\d+$/.test(info.name)) gl.uniform1i(location, Number(info.name.slice(1)));
    }
  }

  /**
   * Waits for the compiler; throws what it complains about.
   * @param {Program} program
   */
  function check(program) {
    if (program.checked) return;
    const { program: linked, shader } = program;
    if (linked === null || shader === null || !gl.getProgramParameter(linked, gl.LINK_STATUS)) {
      if (gl.isContextLost() || linked === null || shader === null)
        throw new Error("WebGL context lost");
      const failed = gl.getShaderParameter(shader, gl.COMPILE_STATUS) === false;
      const log = failed ? gl.getShaderInfoLog(shader) : gl.getProgramInfoLog(linked);
      // A compiler that complains says why; none answers where the context died in this very task.
      if (!log) throw new Error("WebGL context lost");
      throw shaderError(program.name, log, program.source);
    }
    reflect(program, linked);
    program.checked = true;
    gl.deleteShader(shader);
    program.shader = null;
  }

  return {
    start,
    check,

    /**
     * @param {number} id
     * @param {string} name
     * @param {string} source
     */
    register(id, name, source) {
      if (registered.has(id)) throw new Error(`program ${id} exists already`);
      const program = new Program(name, source);
      registered.set(id, program);
      start(program);
    },

    /** @param {number} id */
    get(id) {
      const program = registered.get(id);
      if (program === undefined) throw new Error(`no program ${id}`);
      return program;
    },

    /**
     * A program of the bridge itself, which the caller's counts leave out.
     * @param {string} name
     * @param {string} source
     */
    internal(name, source) {
      const program = new Program(name, source);
      own.add(program);
      return program;
    },

    /** Forgets what the lost context had; sources stay, so that programs compile again when needed. */
    clear() {
      vertexShader = null;
      for (const program of [...registered.values(), ...own]) {
        program.program = null;
        program.shader = null;
        program.checked = false;
        program.floats = noScalars();
        program.ints = noScalars();
        program.uints = noScalars();
      }
    },

    stats() {
      return { programs: registered.size, compiled };
    },
  };
}
