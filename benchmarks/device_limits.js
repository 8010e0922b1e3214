/** @file Measures the limits of the device with plain WebGL2: arithmetic, copies, small draws. */

/**
 * @typedef {object} DeviceLimits
 * @property {string} renderer
 * @property {number} flops multiplications and additions per second
 * @property {{ megabytes: number, bytesPerSecond: number }[]} copies bytes read and written per second, for textures
 *   of several sizes
 * @property {number} bytesPerSecond the maximum of `copies`
 * @property {number} drawMicroseconds time of one small draw with a change of the framebuffer
 */

const MIN_MILLISECONDS = 50;
const TRIES = 3;
const MEGABYTE = 2 ** 20;
const TEXEL_BYTES = 16;
const SIDE = 512;
const CHAINS = 8;
const STEPS = 64;
const FLOPS_OF_VEC4 = 8;
const COPY_WIDTH = 2048;
const COPY_HEIGHTS = [128, 512, 2048];
const SMALL_DRAWS = 64;

const VERTEX = `#version 300 es
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}`;

const HEAD = `#version 300 es
precision highp float;
uniform highp sampler2D source;
uniform int steps;
out vec4 value;`;

const COPY = `${HEAD}
void main() { value = texelFetch(source, ivec2(gl_FragCoord.xy), 0); }`;

const chains = Array.from({ length: CHAINS }, (_, number) => `c${number}`);

/** Independent chains of operations. The number of steps is a uniform, which prevents constant folding. */
const MULTIPLY_ADD = `${HEAD}
void main() {
  vec4 scale = vec4(0.999, 0.998, 0.997, 0.996) + gl_FragCoord.x * 1e-7;
  ${chains.map((name, number) => `vec4 ${name} = gl_FragCoord.xyxy * 1e-3 + ${number}.0;`).join("\n  ")}
  for (int i = 0; i < steps; i++) {
    ${chains.map((name) => `${name} = ${name} * scale + 0.001;`).join("\n    ")}
  }
  value = ${chains.join(" + ")};
}`;

/** @param {WebGL2RenderingContext} gl @param {string} fragment */
function link(gl, fragment) {
  const program = gl.createProgram();
  /** @type {[number, string][]} */
  const stages = [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, fragment],
  ];
  for (const [type, text] of stages) {
    const shader = gl.createShader(type);
    if (!shader) throw new Error("device limits: WebGL context lost");
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS))
    throw new Error(`device limits: shader does not link; got ${gl.getProgramInfoLog(program)}`);
  gl.useProgram(program);
  gl.uniform1i(gl.getUniformLocation(program, "steps"), STEPS);
}

/** @param {WebGL2RenderingContext} gl @param {number} width @param {number} height */
function target(gl, width, height) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, width, height);
  const framebuffer = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
  const { FRAMEBUFFER, COLOR_ATTACHMENT0, TEXTURE_2D } = gl;
  gl.framebufferTexture2D(FRAMEBUFFER, COLOR_ATTACHMENT0, TEXTURE_2D, texture, 0);
  gl.clear(gl.COLOR_BUFFER_BIT);
  return { texture, framebuffer };
}

/**
 * Measures the seconds that `work` takes: repeats it for `MIN_MILLISECONDS`, and returns the best of `TRIES`.
 *
 * @param {WebGL2RenderingContext} gl
 * @param {() => void} work
 */
function seconds(gl, work) {
  const pixel = new Float32Array(4);
  const finish = () => gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.FLOAT, pixel);
  /** @param {number} repetitions */
  const measure = (repetitions) => {
    finish();
    const start = performance.now();
    for (let i = 0; i < repetitions; i++) work();
    finish();
    return performance.now() - start;
  };
  let repetitions = 1;
  work();
  let best = measure(repetitions);
  while (best < MIN_MILLISECONDS) {
    repetitions *= 2;
    best = measure(repetitions);
  }
  for (let i = 1; i < TRIES; i++) best = Math.min(best, measure(repetitions));
  return best / repetitions / 1e3;
}

/**
 * Draws from one texture to another and back; returns seconds per draw.
 *
 * @param {WebGL2RenderingContext} gl
 * @param {number} width
 * @param {number} height
 * @param {number} draws
 */
function pingPong(gl, width, height, draws) {
  const ends = [target(gl, width, height), target(gl, width, height)];
  gl.viewport(0, 0, width, height);
  const taken = seconds(gl, () => {
    for (let i = 0; i < draws; i++) {
      gl.bindTexture(gl.TEXTURE_2D, ends[i % 2].texture);
      gl.bindFramebuffer(gl.FRAMEBUFFER, ends[1 - (i % 2)].framebuffer);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
  });
  for (const { texture, framebuffer } of ends) {
    gl.deleteFramebuffer(framebuffer);
    gl.deleteTexture(texture);
  }
  return taken / draws;
}

/**
 * Calls a function with a new context, which it loses afterwards: browsers limit the number of contexts, and this one
 * would count until it is garbage-collected.
 *
 * @template T
 * @param {(gl: WebGL2RenderingContext) => T} use
 */
function withContext(use) {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl?.getExtension("EXT_color_buffer_float"))
    throw new Error("device limits: no WebGL2 that renders to floats in this browser");
  try {
    return use(gl);
  } finally {
    gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

/** @param {WebGL2RenderingContext} gl */
function nameOf(gl) {
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  return String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
}

export const rendererName = () => withContext(nameOf);

/** @returns {DeviceLimits} */
export function measureDevice() {
  return withContext((gl) => {
    gl.bindVertexArray(gl.createVertexArray());
    link(gl, MULTIPLY_ADD);
    const drawSeconds = pingPong(gl, SIDE, SIDE, 2);
    const flops = (SIDE * SIDE * STEPS * CHAINS * FLOPS_OF_VEC4) / drawSeconds;
    link(gl, COPY);
    const copies = COPY_HEIGHTS.map((height) => {
      const bytes = COPY_WIDTH * height * TEXEL_BYTES;
      const bytesPerSecond = (2 * bytes) / pingPong(gl, COPY_WIDTH, height, 2);
      return { megabytes: bytes / MEGABYTE, bytesPerSecond };
    });
    return {
      renderer: nameOf(gl),
      flops,
      copies,
      bytesPerSecond: Math.max(...copies.map((copy) => copy.bytesPerSecond)),
      drawMicroseconds: pingPong(gl, 1, 1, SMALL_DRAWS) * 1e6,
    };
  });
}
