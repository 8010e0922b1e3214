/** @file Pictures: a texture drawn to a canvas, and a picture of the page put into a texture. */

import { ownCanvas } from "./context.js";

/**
 * @typedef {ImageBitmap | ImageData | HTMLImageElement | HTMLVideoElement | HTMLCanvasElement | OffscreenCanvas} Source
 * @typedef {import("./context.js").Canvas} Canvas
 */

/** Pixel p of the picture, row 0 on top, is texel p; a canvas wants its colours multiplied by alpha. */
const TO_CANVAS = `#version 300 es
precision highp float;
precision highp int;
uniform highp usampler2D x0;
uniform int I[2];
out vec4 color;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int p = (I[1] - 1 - at.y) * I[0] + at.x;
  vec4 straight = vec4(texelFetch(x0, ivec2(p & 2047, p >> 11), 0)) / 255.0;
  color = vec4(straight.rgb * straight.a, straight.a);
}`;

const FROM_PICTURE = `#version 300 es
precision highp float;
precision highp int;
uniform highp sampler2D x0;
uniform int I[2];
out uvec4 pixel;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int p = min((at.y << 11) + at.x, I[0] * I[1] - 1);
  pixel = uvec4(texelFetch(x0, ivec2(p % I[0], p / I[0]), 0) * 255.0 + 0.5);
}`;

const UINT8 = 7;
const ROW = 2048;

/**
 * @param {Source} source
 * @returns {[number, number]}
 */
export function pixelSize(source) {
  if ("naturalWidth" in source) return [source.naturalWidth, source.naturalHeight];
  if ("videoWidth" in source) return [source.videoWidth, source.videoHeight];
  if ("width" in source && "height" in source) return [source.width, source.height];
  throw new Error(
    "from_pixels: not a picture; got an object without width and height; " +
      "pass an image, a canvas, a video, an ImageBitmap or an ImageData",
  );
}

/**
 * An ImageBitmap has its colours multiplied by alpha or not, and does not tell; a canvas sorts it out.
 * @param {Source} source
 */
function unmultiplied(source) {
  if (typeof ImageBitmap === "undefined" || !(source instanceof ImageBitmap)) return source;
  const canvas = ownCanvas(source.width, source.height);
  const flat = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  flat.drawImage(source, 0, 0);
  return canvas;
}

/**
 * @param {WebGL2RenderingContext} gl
 * @param {object} parts
 * @param {import("./state.js").State} parts.state
 * @param {import("./textures.js").Textures} parts.textures
 * @param {import("./programs.js").Programs} parts.programs
 */
export function createPixels(gl, { state, textures, programs }) {
  const toCanvas = programs.internal("draw", TO_CANVAS);
  const fromPicture = programs.internal("from_pixels", FROM_PICTURE);
  const largest = gl.getParameter(gl.MAX_TEXTURE_SIZE);

  /**
   * @param {import("./programs.js").Program} program
   * @param {number} width
   * @param {number} height
   */
  function use(program, width, height) {
    const got = `${program.name}: the picture is`;
    if (width * height === 0)
      throw new Error(`${got} empty; got ${width} x ${height}; wait until it has loaded`);
    if (Math.max(width, height) > largest)
      throw new Error(
        `${got} too large; got ${width} x ${height}; at most ${largest} each way here`,
      );
    programs.start(program);
    programs.check(program);
    state.use(/** @type {WebGLProgram} */ (program.program));
    gl.uniform1iv(program.ints.location, [width, height]);
  }

  /**
   * Copies the context's own canvas to `target`, on the GPU.
   * @param {Canvas} target
   */
  function present(target) {
    const { width, height } = gl.canvas;
    if (target.width !== width) target.width = width;
    if (target.height !== height) target.height = height;
    const flat = /** @type {CanvasRenderingContext2D | null} */ (target.getContext("2d"));
    if (flat) {
      flat.save();
      flat.resetTransform();
      flat.globalAlpha = 1;
      flat.globalCompositeOperation = "copy";
      flat.filter = "none";
      flat.drawImage(gl.canvas, 0, 0);
      flat.restore();
      return;
    }
    const bitmap = /** @type {ImageBitmapRenderingContext | null} */ (
      target.getContext("bitmaprenderer")
    );
    if (!bitmap || !("transferToImageBitmap" in gl.canvas))
      throw new Error(
        "draw: the canvas is in use otherwise; got one whose context is neither 2d nor bitmaprenderer; " +
          "pass a canvas of its own",
      );
    bitmap.transferFromImageBitmap(gl.canvas.transferToImageBitmap());
  }

  return {
    /**
     * @param {number} handle
     * @param {number} width
     * @param {number} height
     * @param {Canvas} target
     */
    draw(handle, width, height, target) {
      const texture = textures.get(handle);
      use(toCanvas, width, height);
      if (gl.canvas.width !== width) gl.canvas.width = width;
      if (gl.canvas.height !== height) gl.canvas.height = height;
      state.bind(0, texture);
      state.into(null);
      state.viewport(width, height);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
      if (target !== gl.canvas) present(target);
    },

    /**
     * @param {number} handle
     * @param {Source} source
     * @param {number} width
     * @param {number} height
     */
    fromPixels(handle, source, width, height) {
      const texels = width * height;
      const rows = Math.ceil(texels / ROW);
      const columns = rows > 1 ? ROW : 2 ** Math.ceil(Math.log2(texels));
      use(fromPicture, width, height);
      const picture = gl.createTexture();
      state.edit(gl.TEXTURE_2D, picture);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
      try {
        gl.texImage2D(
          gl.TEXTURE_2D,
          0,
          gl.RGBA8,
          width,
          height,
          0,
          gl.RGBA,
          gl.UNSIGNED_BYTE,
          unmultiplied(source),
        );
        const texture = textures.open(handle, textures.shape(UINT8, columns, rows, 0));
        // A new texture is bound for its allocation, where the picture was.
        state.edit(gl.TEXTURE_2D, picture);
        state.into(textures.framebuffer(texture));
        state.viewport(columns, rows);
        gl.drawArrays(gl.TRIANGLES, 0, 3);
      } finally {
        state.forget(picture, null);
        gl.deleteTexture(picture);
      }
    },
  };
}
