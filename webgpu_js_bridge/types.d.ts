/** Types shared by the modules of the bridge. */

import type {
  Backlog,
  Canvas,
  DecodedPlan,
  DrawLists,
  Handles,
  Run as RunOfPlan,
  Stored,
  Times,
} from "../webgl_js_bridge/types";

export type { Place } from "../webgl_js_bridge/types";

export interface Options {
  /** Function that returns the caller's current memory. */
  heap?: () => Uint8Array<ArrayBuffer>;
  /** Emscripten module whose memory is used instead of `heap`, for example `pyodide._module`. */
  module?: { HEAPU8: Uint8Array<ArrayBuffer> };
}

export interface Limits {
  maxBufferSize: number;
  maxStorageBufferBindingSize: number;
  minUniformBufferOffsetAlignment: number;
  maxTextureDimension2D: number;
  timer: boolean;
  [name: string]: unknown;
}

/** The device in use, which another one replaces after it was lost. */
export interface Gpu {
  device: GPUDevice;
  limits: Limits;
  isLost: boolean;
  watch(onLost: () => void, onOpened: () => void): void;
  lose(): void;
  restore(): void;
  stop(): void;
}

export interface Failures {
  cause(error: Error): void;
  symptom(message: string): void;
  expect(promise: Promise<unknown>): void;
  pop(device: GPUDevice, answered: (error: GPUError | null) => void): void;
  settled(): Promise<void>;
  taken(): Error | null;
  raise(): void;
  clear(): void;
}

/** Size of a buffer, with its freed buffers. */
export interface Shape {
  bytes: number;
  free: Buffer[];
}

/** Bytes of several results that are read together, and the first one of a result. */
export interface Ahead {
  all: Promise<Uint8Array>;
  start: number;
}

export interface Buffer extends Stored<Buffer, Ahead> {
  shape: Shape;
  buffer: GPUBuffer;
}

export interface Layout {
  group: GPUBindGroupLayout;
  pipeline: GPUPipelineLayout;
}

export interface Program {
  name: string;
  source: string;
  /** Kind of each binding; see `bindingsOf`. */
  kinds: string;
  layout: Layout | null;
  module: GPUShaderModule | null;
  /** Promise that is settled, and never rejected, when the pipeline or the error is known. */
  compiling: Promise<void> | null;
  pipeline: GPUComputePipeline | null;
  isCompiled: boolean;
  error: Error | null;
}

export interface BoundGroup {
  buffers: GPUBuffer[];
  group: GPUBindGroup;
}

export interface Draw extends DrawLists {
  program: Program;
  x: number;
  y: number;
  z: number;
  /** Positions of the scalars in the words of a run, in the order of the block. */
  scalars: Int32Array;
  /** Slots in the order of the bindings. */
  bound: Int32Array;
  /** Place of the block in the plan's parameters; a size of 0 means that there is none. */
  offset: number;
  size: number;
  /** Bind groups of the last runs, and the number of the one that is replaced next. */
  kept: BoundGroup[];
  replaced: number;
}

export interface Plan extends DecodedPlan<Buffer, Shape, Draw> {
  /** Words of the parameters that the GPU has. */
  scalars: Int32Array<ArrayBuffer>;
  parameters: GPUBuffer | null;
  /** Batch that has dispatches of the plan. */
  batch: number;
}

/** Results of one run of a plan, and the handles that it freed. */
export interface Run extends RunOfPlan {
  freed: number[];
}

/** Staging buffer into which `total` bytes are copied. */
export interface Staging {
  buffer: GPUBuffer;
  mapped: Promise<undefined>;
  total: number;
}

export interface Buffers extends Omit<Handles<Buffer>, "clear" | "stats"> {
  shape(bytes: number): Shape;
  alloc(handle: number, bytes: number): void;
  upload(handle: number, bytes: number, address: number, byteLength: number): void;
  clear(): void;
  stats(): object;
}

export interface Programs {
  register(id: number, name: string, source: string): void;
  get(id: number): Program;
  drop(id: number): void;
  pipeline(program: Program): GPUComputePipeline;
  group(program: Program): GPUBindGroupLayout;
  prepare(draws: { program: Program }[]): Promise<void>;
  ready(draws: { program: Program }[]): number;
  clear(): void;
  stats(): object;
}

/** Dispatches that are encoded and not yet submitted. */
export interface Commands {
  /** Number of the current batch, which changes when it is submitted. */
  batch(): number;
  /** Pass of the current batch. */
  pass(): GPUComputePassEncoder;
  /** Note that a dispatch was encoded. */
  dispatched(): void;
  /** Submit the batch if it has waited for long. */
  planEnded(): void;
  /** Submit the batch. */
  flush(): void;
  /** Submit other commands after the batch. `failed` gets the message of their error. */
  submit(own: GPUCommandEncoder, failed?: (message: string) => void): void;
  /** Forget the batch. */
  clear(): void;
}

export interface Plans {
  register(id: number, words: Int32Array): void;
  run(id: number, words: Int32Array): boolean;
  prepare(id: number): Promise<void>;
  ready(id: number): number;
  drop(id: number): void;
  checks(on: boolean): void;
  profile(on: boolean): void;
  clear(): void;
  stats(): object;
}

export interface Reader {
  settle<Answer>(answer: Promise<Answer>): Promise<Answer>;
  finish(): Promise<void>;
  readAhead(run: Run): void;
  copy(buffer: GPUBuffer, bytes: number): Promise<Uint8Array<ArrayBuffer>>;
  read(handle: number, address: number, byteLength: number): Promise<void>;
  rejectAll(reason: string): void;
  close(): void;
  clear(): void;
  stats(): object;
}

/** Dispatch with timestamps. */
export interface Measured {
  name: string;
  started: number;
}

export interface Timer extends Times {
  block(on: boolean): void;
  pass(name: string): GPUComputePassDescriptor | undefined;
  submitted(name: string, started: number): void;
  timings(): Promise<[string, number][]>;
  clear(): void;
}

export interface Pixels {
  draw(handle: number, width: number, height: number, target: Canvas): void;
  fromPixels(handle: number, source: unknown, width: number, height: number): void;
  clear(): void;
}

export interface Parts {
  commands: Commands;
  gpu: Gpu;
  heap: () => Uint8Array<ArrayBuffer>;
  failures: Failures;
  buffers: Buffers;
  programs: Programs;
  reader: Reader;
  timer: Timer;
  backlog: Backlog;
}

/** Factory of one module's functions, which receives the other modules that it needs. */
export type Make<Made, Needed extends keyof Parts> = (parts: Pick<Parts, Needed>) => Made;
