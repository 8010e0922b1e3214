/** Types shared by the modules of the bridge. */

export type GL = WebGL2RenderingContext;
export type Canvas = OffscreenCanvas | HTMLCanvasElement;
/** RGBA bytes of an image, row by row. */
export type PixelData = { data: Uint8Array | Uint8ClampedArray; width: number; height: number };
export type Picture = TexImageSource | PixelData;
/** Typed arrays that hold elements, and `View`, their constructors. */
export type Values = Float32Array | Int32Array | Uint32Array | SmallValues;
type SmallValues = Int16Array | Uint16Array | Int8Array | Uint8Array;
export interface View {
  new (lengthOrValues: number | Values): Values;
  new (memory: ArrayBufferLike, byteOffset: number, length: number): Values;
  BYTES_PER_ELEMENT: number;
}

/** Range of bytes in the caller's memory. */
export type Place = [address: number, byteLength: number];

export interface Options {
  /** Function that returns the caller's current memory. */
  heap?: () => Uint8Array;
  /** Emscripten module whose memory is used instead of `heap`, for example `pyodide._module`. */
  module?: { HEAPU8: Uint8Array };
  /** Canvas for the WebGL2 context; a new canvas outside the page by default. */
  canvas?: Canvas;
}

export interface Format {
  name: string;
  internalFormat: number;
  format: number;
  type: number;
  /** Array class of the elements as stored in the heap; Uint16Array for the bits of float16. */
  View: View;
  elementBytes: number;
  /** Size of a texel in the heap, and in a texture. */
  texelBytes: number;
  storedBytes: number;
  /** WebGL type as which every implementation can read this format. */
  wideType: number;
  WideView: View;
}

/** Format and size of a texture, with its freed textures; `layers` is 0 unless it is an array texture. */
export interface Shape {
  format: Format;
  width: number;
  height: number;
  layers: number;
  target: number;
  bytes: number;
  free: Texture[];
}

/** Object of the GPU that holds a buffer or a temporary; `shape` is its size, with its freed objects. */
export interface Stored<Item, Ahead = unknown> {
  shape: { bytes: number; free: Item[] };
  /** Run whose result it is, and the number of this result. */
  run: Run | null;
  output: number;
  /** Elements that were read together with another result and are not yet asked for. */
  ahead: Ahead | null;
}

export interface Texture extends Stored<Texture, Uint8Array> {
  shape: Shape;
  target: number;
  texture: WebGLTexture;
  framebuffer: WebGLFramebuffer | null;
  /** Number of the texture, by which framebuffers of several textures are found. */
  number: number;
}

/** Results of one run of a plan. `isRead` is true once any of them was read; `wanted` is the plan's. */
export interface Run {
  handles: Int32Array;
  wanted: boolean[];
  isRead: boolean;
}

/** Uniform array of a program: the values that the GPU has, and a function that sends them. */
export interface Scalars {
  words: Int32Array;
  send(): void;
}

/** WebGL objects of a program. */
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

/** First words of a draw: its program, and how it is launched. */
export interface Launch {
  program: { name: string };
}

/**
 * Lists of a draw. `inputs` and `targets` are slots. `floats`, `ints` and `uints` are positions of scalars
 * in the words of a run. `ends` lists the leaves that no later draw reads.
 */
export interface DrawLists {
  targets: Int32Array;
  inputs: Int32Array;
  floats: Int32Array;
  ints: Int32Array;
  uints: Int32Array;
  ends: number[];
}

export interface Draw extends DrawLists {
  program: Program;
  width: number;
  height: number;
}

/**
 * Decoded plan. `shapes` and `slots` list leaves, then outputs, then temporaries. `slots` is filled only
 * during a run.
 */
export interface DecodedPlan<Item, Shape, Draw> {
  leaves: number;
  /** Number of slots with handles: leaves and outputs. */
  named: number;
  shapes: Shape[];
  slots: (Item | null)[];
  draws: Draw[];
  /** For each output, whether it was read after the last run. */
  wanted: boolean[];
  /** Minimum number of words of a run. */
  words: number;
  /** Estimated milliseconds of the GPU per run. */
  cost: number;
}

export interface Plan extends DecodedPlan<Texture, Shape, Draw> {
  /** True once all programs have compiled. */
  ready: boolean;
}

/** Current bindings: plain (`flat`) and array (`layered`) textures by unit, program and others. */
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
  /** True if textures, framebuffers or programs were made since WebGL was last asked for errors. */
  hasNewObjects: boolean;
  reset(): void;
  bind(unit: number, target: number, texture: WebGLTexture): void;
  edit(target: number, texture: WebGLTexture): void;
  use(program: WebGLProgram | null): void;
  into(framebuffer: WebGLFramebuffer | null): void;
  viewport(width: number, height: number): void;
  forget(): void;
  finish(): void;
}

export interface Handles<Item extends Stored<Item>> {
  take(shape: Item["shape"]): Item;
  release(item: Item): void;
  open(handle: number, shape: Item["shape"]): Item;
  get(handle: number): Item;
  find(handle: number): Item | undefined;
  free(handle: number): void;
  lose(handle: number, reason: string): void;
  markChecked(): void;
  giveUp(reason: string): void;
  shrink(limit: number): void;
  poolLimit(bytes: number): void;
  trim(): void;
  resetPeak(): void;
  clear(reason: string): void;
  stats(): { inUse: number; bytesInUse: number; free: number; [name: string]: number };
}

export interface Textures extends Omit<Handles<Texture>, "clear" | "stats"> {
  shape(format: number, width: number, height: number, layers: number): Shape;
  add(handle: number, shape: Shape, fill: (texture: Texture) => void): void;
  verify(now?: boolean): void;
  exhausted(): Error;
  attempt(work: () => void): void;
  alloc(handle: number, format: number, width: number, height: number): void;
  framebuffer(texture: Texture): WebGLFramebuffer;
  joint(textures: Texture[]): WebGLFramebuffer;
  clear(): void;
  stats(): object;
}

export interface Programs {
  register(id: number, name: string, source: string): void;
  get(id: number): Program;
  drop(id: number): void;
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
  upload(handle: number, format: number, width: number, height: number, ...from: Place): number;
  stats(): object;
}

export interface Reader {
  read(handle: number, ...to: Place): void;
  readAsync(handle: number, ...to: Place): Promise<void>;
  clear(): void;
  stats(): object;
}

export interface Pixels {
  draw(handle: number, width: number, height: number, target: Canvas): void;
  fromPixels(handle: number, source: Picture, width: number, height: number): void;
}

export interface Times {
  show(track: string, name: string, start: number, end: number): void;
  add(name: string, started: number, milliseconds: number): void;
  taken(): [string, number][];
}

export interface Timer extends Omit<Times, "add"> {
  reset(): void;
  block(on: boolean): void;
  measure(name: string, draw: () => void): void;
  timings(): Promise<[string, number][]>;
}

export interface Backlog {
  /** Return true if the GPU has so much to do that the caller should wait until it has finished. */
  isFull(): boolean;
  /** Correct the estimates of the plans since the queue was empty: it is empty again. */
  drained(): void;
  /** Return how many plans have been added so far. */
  added(): number;
  /** Count a plan that runs. */
  add(plan: { cost: number }): void;
}

export interface Waiting {
  until(ready: () => boolean): Promise<void>;
  finished(): Promise<void>;
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
  backlog: Backlog;
  waiting: Waiting;
}

/** Factory of one module's functions, which receives the other modules that it needs. */
export type Make<Made, Needed extends keyof Parts> = (parts: Pick<Parts, Needed>) => Made;
