/** @file Programs: compiled in parallel, asked for their status only when first needed. */
/** @import { Compiled, Make, Program, Programs } from "./types" */
import { shaderError } from "./shader_errors.js";

/** One triangle that covers the viewport. */
const VERTEX_SHADER = `#version 300 es
void main() {
  gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}`;

/** Of KHR_parallel_shader_compile. */
const COMPLETION_STATUS = 0x91b1;

const none = { words: new Int32Array(0), send() {} };

/** @returns {Compiled} */
const nothing = () => ({ linked: null, shader: null, floats: none, ints: none, uints: none });

/** @type {Make<Programs, "gl" | "state">} */
export function createPrograms({ gl, state }) {
  /** @type {Map<number, Program>} */
  const registered = new Map();
  /** @type {Set<Program>} the bridge's own, which the caller's counts leave out */
  const own = new Set();
  /** @type {WebGLShader | null} */
  let vertexShader = null;
  let compiled = 0;

  /** @param {number} type @param {string} source */
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
   * Finds the samplers x0, x1, ... and the arrays F, I, U.
   * @param {Program} program @param {WebGLProgram} linked
   */
  function reflect(program, linked) {
    state.use(linked);
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

  /** Waits for the compiler; throws what it complains about. @param {Program} program */
  function check(program) {
    const { linked, shader } = program;
    if (linked === null) throw new Error("WebGL context lost");
    // It went when the program was found to be good.
    if (shader === null) return;
    if (!gl.getProgramParameter(linked, gl.LINK_STATUS)) {
      const failed = gl.getShaderParameter(shader, gl.COMPILE_STATUS) === false;
      const log = failed ? gl.getShaderInfoLog(shader) : gl.getProgramInfoLog(linked);
      // A compiler that complains says why; none answers where the context died in this very task.
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

    internal(name, source) {
      const program = { name, source, ...nothing() };
      own.add(program);
      return program;
    },

    /** Makes their programs ready; all compile before the first is waited for. */
    prepare(draws) {
      for (const { program } of draws) start(program);
      for (const { program } of draws) check(program);
    },

    /** Counts those that can run. Where the context cannot tell which, one more is waited for. */
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

    /** Forgets what the lost context had; sources stay, so that programs compile again when needed. */
    clear() {
      vertexShader = null;
      for (const program of [...registered.values(), ...own]) Object.assign(program, nothing());
    },

    stats: () => ({ programs: registered.size, compiled }),
  };
}
