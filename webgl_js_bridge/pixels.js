/** @file Images: draw a texture to a canvas, and copy an image of the page into a texture. */
/** @import { Canvas, Make, Pixels, Program, Shape } from "./types" */
import { ownCanvas } from "./context.js";

const HEAD = `#version 300 es
precision highp float;
precision highp int;
uniform int I[3];`;

/**
 * Draw texel p as pixel p of the image, whose row 0 is at the top. A canvas expects premultiplied alpha.
 */
const TO_CANVAS = `${HEAD}
uniform highp usampler2D x0;
out vec4 color;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int p = (I[1] - 1 - at.y) * I[0] + at.x;
  vec4 straight = vec4(texelFetch(x0, ivec2(p % I[2], p / I[2]), 0)) / 255.0;
  color = vec4(straight.rgb * straight.a, straight.a);
}`;

/** Store pixel p of the image as texel p; texels after the last pixel repeat it. */
const FROM_PICTURE = `${HEAD}
uniform highp sampler2D x0;
out uvec4 pixel;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int p = min(at.y * I[2] + at.x, I[0] * I[1] - 1);
  pixel = uvec4(texelFetch(x0, ivec2(p % I[0], p / I[0]), 0) * 255.0 + 0.5);
}`;

/**
 * Size of each kind of picture that WebGL takes, by the name of its class. The name is the same in every
 * frame of a page, where `instanceof` is not.
 * @type {Record<string, (source: any) => [number, number]>}
 */
const SIZES = {
  HTMLImageElement: (image) => [image.naturalWidth, image.naturalHeight],
  HTMLVideoElement: (video) => [video.videoWidth, video.videoHeight],
  HTMLCanvasElement: (canvas) => [canvas.width, canvas.height],
  OffscreenCanvas: (canvas) => [canvas.width, canvas.height],
  ImageBitmap: (bitmap) => [bitmap.width, bitmap.height],
  ImageData: (image) => [image.width, image.height],
  VideoFrame: (frame) => [frame.displayWidth, frame.displayHeight],
};

/** @param {any} value */
const className = (value) => Object.prototype.toString.call(value).slice(8, -1);

/** Return true for an object like ImageData: `{ data, width, height }`. @param {any} source */
function isPixelData({ data, width, height }) {
  return /^Uint8(Clamped)?Array$/.test(className(data)) && data.length === 4 * width * height;
}

/**
 * Return a source that WebGL takes, whose alpha handling is known. An ImageBitmap may be premultiplied
 * or not and has no property that says which, so it is drawn to a canvas first.
 * @param {any} source @returns {TexImageSource}
 */
function imageSource(source) {
  const { data, width, height } = source;
  if (!(className(source) in SIZES))
    return new ImageData(new Uint8ClampedArray(data), width, height);
  if (className(source) !== "ImageBitmap") return source;
  const canvas = ownCanvas(width, height);
  const flat = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  flat.drawImage(source, 0, 0);
  return canvas;
}

/**
 * Return the width and height of a picture in pixels.
 * @param {any} source @returns {[number, number]}
 * @throws {TypeError} If `source` is no picture. Its name is PictureError.
 */
export function pixelSize(source) {
  const size = SIZES[className(source)];
  if (size) return size(source);
  if (source && isPixelData(source)) return [source.width, source.height];
  // Pyodide passes Python objects as proxies, which know their type.
  const got = className(source) === "PyProxy" ? `a Python ${source.type}` : className(source);
  const error = new TypeError(
    `from_pixels: the source is not a picture; got ${got}; pass an image, a canvas, a video, ` +
      "a VideoFrame, an ImageBitmap, an ImageData or { data, width, height } with 4 bytes a pixel",
  );
  error.name = "PictureError";
  throw error;
}

/** @param {Canvas} canvas @param {number} width @param {number} height */
function resize(canvas, width, height) {
  // Assigning a size clears the canvas even if the size stays the same.
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}

/**
 * Contexts that show pictures, by canvas. Firefox refuses a second getContext of a canvas that another thread gave away.
 *
 * @type {WeakMap<Canvas, any>}
 */
const contexts = new WeakMap();

/** @param {Canvas} canvas */
function contextOf(canvas) {
  const context =
    contexts.get(canvas) ?? canvas.getContext("2d") ?? canvas.getContext("bitmaprenderer");
  if (context) contexts.set(canvas, context);
  return context;
}

/** Copy a canvas to another on the GPU. @param {Canvas} source @param {Canvas} target */
function copy(source, target) {
  resize(target, source.width, source.height);
  const context = contextOf(target);
  if (context && "drawImage" in context) {
    const flat = /** @type {CanvasRenderingContext2D} */ (context);
    flat.save();
    flat.resetTransform();
    Object.assign(flat, { globalAlpha: 1, globalCompositeOperation: "copy", filter: "none" });
    flat.drawImage(source, 0, 0);
    flat.restore();
    return;
  }
  if (!context || !("transferToImageBitmap" in source))
    throw new Error(
      "draw: the canvas is in use otherwise; got one whose context is neither 2d nor bitmaprenderer; " +
        "pass a canvas of its own",
    );
  context.transferFromImageBitmap(source.transferToImageBitmap());
}

/** @type {Make<Pixels, "gl" | "state" | "textures" | "programs">} */
export function createPixels({ gl, state, textures, programs }) {
  const toCanvas = programs.internal("draw", TO_CANVAS);
  const fromPicture = programs.internal("from_pixels", FROM_PICTURE);
  const largest = gl.getParameter(gl.MAX_TEXTURE_SIZE);

  /**
   * Check the size of an image and bind a program with its uniforms. `shape` is the buffer's shape.
   * @param {Program} program @param {number} width @param {number} height @param {Shape} shape
   */
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

  /**
   * Draw one triangle that covers the whole framebuffer.
   * @param {WebGLFramebuffer | null} framebuffer @param {number} width @param {number} height
   */
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
        // Given a size, too, WebGL takes an object that is no picture as the number 0, an offset.
        gl.texImage2D(TEXTURE_2D, 0, RGBA8, RGBA, UNSIGNED_BYTE, imageSource(source));
        cover(textures.framebuffer(texture), texture.shape.width, texture.shape.height);
      } finally {
        gl.deleteTexture(picture);
        state.forget();
      }
    },
  };
}
