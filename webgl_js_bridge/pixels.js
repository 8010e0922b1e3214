/** @file Images: draw a texture to a canvas, and copy an image of the page into a texture. */
/** @import { Make, Pixels, Program, Shape } from "./types" */
import { ownCanvas } from "./context.js";
import { className, copyCanvas, isNamed, resize } from "./pictures.js";

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
 * Return a source that WebGL takes, whose alpha handling is known. An ImageBitmap may be premultiplied
 * or not and has no property that says which, so it is drawn to a canvas first.
 * @param {any} source @returns {TexImageSource}
 */
function imageSource(source) {
  const { data, width, height } = source;
  if (!isNamed(source)) return new ImageData(new Uint8ClampedArray(data), width, height);
  if (className(source) !== "ImageBitmap") return source;
  const canvas = ownCanvas(width, height);
  const flat = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  flat.drawImage(source, 0, 0);
  return canvas;
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
      if (target !== gl.canvas) copyCanvas(gl.canvas, target);
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
