/** @file Pictures: a texture drawn to a canvas, and a picture of the page put into a texture. */
/** @import { Canvas, Make, Picture, Pixels, Program, Shape } from "./types" */
import { ownCanvas } from "./context.js";

const HEAD = `#version 300 es
precision highp float;
precision highp int;
uniform int I[3];`;

/** Pixel p of the picture, row 0 on top, is texel p; a canvas wants its colours multiplied by alpha. */
const TO_CANVAS = `${HEAD}
uniform highp usampler2D x0;
out vec4 color;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int p = (I[1] - 1 - at.y) * I[0] + at.x;
  vec4 straight = vec4(texelFetch(x0, ivec2(p % I[2], p / I[2]), 0)) / 255.0;
  color = vec4(straight.rgb * straight.a, straight.a);
}`;

const FROM_PICTURE = `${HEAD}
uniform highp sampler2D x0;
out uvec4 pixel;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int p = min(at.y * I[2] + at.x, I[0] * I[1] - 1);
  pixel = uvec4(texelFetch(x0, ivec2(p % I[0], p / I[0]), 0) * 255.0 + 0.5);
}`;

/** @param {Picture} source @returns {[number, number]} */
export function pixelSize(source) {
  if ("naturalWidth" in source) return [source.naturalWidth, source.naturalHeight];
  if ("videoWidth" in source) return [source.videoWidth, source.videoHeight];
  if ("width" in source && "height" in source) return [source.width, source.height];
  throw new Error(
    "from_pixels: not a picture; got an object without width and height; " +
      "pass an image, a canvas, a video, an ImageBitmap or an ImageData",
  );
}

/** @param {Canvas} canvas @param {number} width @param {number} height */
function resize(canvas, width, height) {
  // Setting a size clears the canvas, even to the same size.
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}

/**
 * An ImageBitmap has its colours multiplied by alpha or not, and does not tell; a canvas sorts it out.
 * @param {Picture} source
 */
function unmultiplied(source) {
  if (typeof ImageBitmap === "undefined" || !(source instanceof ImageBitmap)) return source;
  const canvas = ownCanvas(source.width, source.height);
  const flat = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  flat.drawImage(source, 0, 0);
  return canvas;
}

/** Copies a canvas to another on the GPU. @param {Canvas} source @param {Canvas} target */
function copy(source, target) {
  resize(target, source.width, source.height);
  const flat = /** @type {CanvasRenderingContext2D | null} */ (target.getContext("2d"));
  if (flat) {
    flat.save();
    flat.resetTransform();
    Object.assign(flat, { globalAlpha: 1, globalCompositeOperation: "copy", filter: "none" });
    flat.drawImage(source, 0, 0);
    flat.restore();
    return;
  }
  const bitmap = target.getContext("bitmaprenderer");
  if (!bitmap || !("transferToImageBitmap" in source))
    throw new Error(
      "draw: the canvas is in use otherwise; got one whose context is neither 2d nor bitmaprenderer; " +
        "pass a canvas of its own",
    );
  bitmap.transferFromImageBitmap(source.transferToImageBitmap());
}

/** @type {Make<Pixels, "gl" | "state" | "textures" | "programs">} */
export function createPixels({ gl, state, textures, programs }) {
  const toCanvas = programs.internal("draw", TO_CANVAS);
  const fromPicture = programs.internal("from_pixels", FROM_PICTURE);
  const largest = gl.getParameter(gl.MAX_TEXTURE_SIZE);

  /** @param {Program} program @param {number} width @param {number} height @param {Shape} shape of the buffer */
  function use(program, width, height, shape) {
    const picture = `${program.name}: the picture is`;
    const got = `got ${width} x ${height}`;
    if (width * height === 0) throw new Error(`${picture} empty; ${got}; wait until it has loaded`);
    if (Math.max(width, height) > largest)
      throw new Error(`${picture} too large; ${got}; at most ${largest} each way here`);
    programs.prepare([{ program }]);
    state.use(program.linked);
    program.ints.words.set([width, height, shape.width]);
    program.ints.send();
  }

  /** @param {WebGLFramebuffer | null} framebuffer @param {number} width @param {number} height */
  function cover(framebuffer, width, height) {
    state.into(framebuffer);
    state.viewport(width, height);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  return {
    draw(handle, width, height, target) {
      const { texture, shape } = textures.get(handle);
      use(toCanvas, width, height, shape);
      resize(gl.canvas, width, height);
      state.bind(0, gl.TEXTURE_2D, texture);
      cover(null, width, height);
      if (target !== gl.canvas) copy(gl.canvas, target);
    },

    fromPixels(handle, source, width, height) {
      const { TEXTURE_2D, NEAREST, RGBA, RGBA8, UNSIGNED_BYTE } = gl;
      const texture = textures.get(handle);
      use(fromPicture, width, height, texture.shape);
      const picture = gl.createTexture();
      try {
        state.edit(TEXTURE_2D, picture);
        gl.texParameteri(TEXTURE_2D, gl.TEXTURE_MIN_FILTER, NEAREST);
        gl.texParameteri(TEXTURE_2D, gl.TEXTURE_MAG_FILTER, NEAREST);
        const image = unmultiplied(source);
        gl.texImage2D(TEXTURE_2D, 0, RGBA8, width, height, 0, RGBA, UNSIGNED_BYTE, image);
        cover(textures.framebuffer(texture), texture.shape.width, texture.shape.height);
      } finally {
        gl.deleteTexture(picture);
        state.forget();
      }
    },
  };
}
