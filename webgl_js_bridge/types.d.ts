/** What the parts of the bridge are to each other. */

export type GL = WebGL2RenderingContext;
export type Canvas = OffscreenCanvas | HTMLCanvasElement;
export type Picture = ImageBitmap | ImageData | HTMLImageElement | HTMLVideoElement | Canvas;
/** Any of the typed arrays, and what makes one. */
export type Values = Float32Array | Int32Array | Uint32Array | SmallValues;
type SmallValues = Int16Array | Uint16Array | Int8Array | Uint8Array;
export interface View {
  new (lengthOrValues: number | Values): Values;
  new (memory: ArrayBufferLike, byteOffset: number, length: number): Values;
  BYTES_PER_ELEMENT: number;
}

/** Bytes of the caller's memory. */
export type Place = [address: number, byteLength: number];

export interface Options {
  /** Returns the caller's memory as it is now. */
  heap?: () => Uint8Array;
  /** An Emscripten module, whose memory is taken in place of `heap`. */
  module?: { HEAPU8: Uint8Array };
  /** Where the context lives; without one, a canvas of its own. */
  canvas?: Canvas;
}

export interface Format {
  name: string;
  internalFormat: number;
  format: number;
  type: number;
  /** Elements as they lie in the heap: halves as their bits. */
  View: View;
  elementBytes: number;
  texelBytes: number;
  /** The type every implementation reads this format as. */
  wideType: number;
  WideView: View;
}

/** Textures of one format and size; layers are 0 for a plain one, else those of an array texture. */
export interface Shape {
  format: Format;
  width: number;
  height: number;
  layers: number;
  target: number;
  bytes: number;
  free: Texture[];
}

export interface Texture {
  shape: Shape;
  target: number;
  texture: WebGLTexture;
  framebuffer: WebGLFramebuffer | null;
}

/** One uniform array of a program, and what the GPU has of it. */
export interface Scalars {
  words: Int32Array;
  send(): void;
}

/** What a program has in one context. */
export interface Compiled {
  linked: WebGLProgram | null;
  shader: WebGLShader | null;
  floats: Scalars;
  ints: Scalars;
  uints: Scalars;
}

export interface Program extends Compiled {
  name: string;
  source: string;
}

/** A draw: slots it reads and writes, where in a run's words its scalars are, which leaves end with it. */
export interface Draw {
  program: Program;
  target: number;
  width: number;
  height: number;
  inputs: Int32Array;
  floats: Int32Array;
  ints: Int32Array;
  uints: Int32Array;
  ends: number[];
}

/** Slots and shapes are those of leaves, outputs, temporaries; slots are filled only while running. */
export interface Plan {
  leaves: number;
  /** How many slots have handles: leaves and outputs. */
  named: number;
  shapes: Shape[];
  slots: (Texture | null)[];
  draws: Draw[];
  words: number;
  ready: boolean;
}

/** What is bound: textures by unit, plain and layered ones apart. */
export interface Bindings {
  flat: WebGLTexture[];
  layered: WebGLTexture[];
  unit: number;
  program?: WebGLProgram | null;
  framebuffer?: WebGLFramebuffer | null;
  width?: number;
  height?: number;
}

export interface State {
  units: number;
  reset(): void;
  bind(unit: number, target: number, texture: WebGLTexture): void;
  edit(target: number, texture: WebGLTexture): void;
  use(program: WebGLProgram | null): void;
  into(framebuffer: WebGLFramebuffer | null): void;
  viewport(width: number, height: number): void;
  forget(): void;
  finish(): void;
}

export interface Textures {
  shape(format: number, width: number, height: number, layers: number): Shape;
  take(shape: Shape): Texture;
  release(texture: Texture): void;
  open(handle: number, shape: Shape): Texture;
  alloc(handle: number, format: number, width: number, height: number): void;
  get(handle: number): Texture;
  free(handle: number): void;
  framebuffer(texture: Texture): WebGLFramebuffer;
  poolLimit(bytes: number): void;
  trim(): void;
  clear(): void;
  stats(): object;
}

export interface Programs {
  register(id: number, name: string, source: string): void;
  get(id: number): Program;
  internal(name: string, source: string): Program;
  prepare(draws: { program: Program }[]): void;
  ready(draws: { program: Program }[]): number;
  clear(): void;
  stats(): object;
}

export interface Plans {
  register(id: number, words: Int32Array): void;
  run(id: number, words: Int32Array): void;
  ready(id: number): number;
  drop(id: number): void;
  checks(on: boolean): void;
  profile(on: boolean): void;
  clear(): void;
  stats(): object;
}

export interface Uploader {
  upload(handle: number, format: number, width: number, height: number, ...from: Place): void;
  stats(): object;
}

export interface Reader {
  read(handle: number, ...to: Place): void;
  readAsync(handle: number, ...to: Place): Promise<void>;
  stats(): object;
}

export interface Pixels {
  draw(handle: number, width: number, height: number, target: Canvas): void;
  fromPixels(handle: number, source: Picture, width: number, height: number): void;
}

export interface Timer {
  reset(): void;
  measure(name: string, draw: () => void): void;
  timings(): Promise<[string, number][]>;
}

export interface Waiting {
  until(ready: () => boolean): Promise<void>;
  rejectAll(reason: string): void;
  close(): void;
}

export interface Parts {
  gl: GL;
  heap: () => Uint8Array;
  state: State;
  textures: Textures;
  programs: Programs;
  timer: Timer;
  waiting: Waiting;
}

/** A function that makes one part of those it needs. */
export type Make<Made, Needed extends keyof Parts> = (parts: Pick<Parts, Needed>) => Made;
