/**
 * @file Messages between the page and the worker.
 *
 * The page sends Requests. The worker sends one Answer for each, with the same id, and Events at any time.
 *
 * @typedef {{ id: number, verb: string, args: unknown[] }} Request
 * @typedef {{ id: number, value?: unknown, error?: string }} Answer
 *
 * @typedef {object} Started
 * @property {string} backend name of the backend that computes
 * @property {string | null} renderer name of the GPU that WebGPU or WebGL2 uses; null for other backends
 * @property {string} reason for that backend
 * @property {string[]} files addresses of the files that Python's start has loaded
 *
 * @typedef {{ step: string, fraction: number, downloads: boolean }} Progress `downloads` while bytes are missing
 * @typedef {{ file: string, line: number, name: string, text: string, yours: boolean }} Frame
 * @typedef {{ omitted: number }} OmittedFrames
 * @typedef {{ message: string, hint: string, frames: (Frame | OmittedFrames)[], line: number | null }} Failure
 * @typedef {{ milliseconds: number, stopped: boolean, failure: Failure | null }} Outcome
 *
 * @typedef {{ kind: "text", text: string, error: boolean }} TextOutput
 * @typedef {{ kind: "html", html: string, key: string }} HtmlOutput output with the same key is replaced; "" for none
 * @typedef {{ kind: "picture", title: string, caption: string, bitmap: ImageBitmap }} PictureOutput
 * @typedef {{ kind: "note", text: string }} NoteOutput a remark of the page
 * @typedef {TextOutput | HtmlOutput | PictureOutput | NoteOutput} Output
 *
 * @typedef {{ samples: Float32Array<ArrayBuffer>, rate: number }} Sound samples from -1 to 1, and their number per second
 * @typedef {Record<string, number>} Numbers
 * @typedef {{ milliseconds: number, at: number }} PhotoFrame
 * @typedef {{ section: string, epoch: number }} Recovered after a loss of the GPU; only training has epochs
 *
 * @typedef {{ tensors: number, gpuBytes: number }} MemoryUse memory in use by the library
 * @typedef {MemoryUse & {
 *   epoch: number,
 *   step: number,
 *   losses: number[],
 *   steps: number,
 *   images: number,
 *   drawn: number[] | null,
 * }} DigitsReport
 *   `losses` of the steps since the last report; `steps` and `images` per second; `drawn`: the probability of
 *   each digit for the drawing on the pad
 * @typedef {{ step: number, probabilities: Float32Array }} DigitsTest ten probabilities for each test image
 * @typedef {{ trained: number, pixels: number[][][], labels: number[] }} Digits
 *   the number of training images, and the test images: 8 x 8 pixels from 0 to 16, with their labels
 * @typedef {{ pixels: number[][], probabilities: number[] | null }} DrawnDigit
 *
 * @typedef {[number, number, number]} Point x, y (upwards) from -1 to 1, and the class, 0 or 1
 * @typedef {MemoryUse & {
 *   step: number,
 *   loss: number | null,
 *   accuracy: number | null,
 *   steps: number,
 * }} SurfaceReport
 *
 * @typedef {{ done: number, total: number | null, name: string }} ModelProgress bytes that were read, and the file
 *
 * @typedef {object} AnswerPiece text that was added to an answer of a language model
 * @property {string} piece "" at the start of the answer
 * @property {number} tokens of the answer so far
 * @property {number} tokensPerSecond 0 if it is not known yet
 * @property {number} cacheTokens tokens whose keys and values are on the device
 *
 * @typedef {{ caption: string, heads: string[], rows: string[][] }} TextTable
 *
 * @typedef {object} ModelOutput what a model found, for the page to show
 * @property {string} task
 * @property {number} width of the picture; 0 for none
 * @property {number} height
 * @property {[string, number][]} bars names and scores
 * @property {[string, number, number][]} labels texts at points (x, y) of the picture
 * @property {string[]} texts
 * @property {TextTable[]} tables
 * @property {[number, number, number, number][]} notes start, end, MIDI number, amplitude
 * @property {number} reads from the GPU
 * @property {string} problem why the outputs were not understood; "" if they were
 * @property {[string, number[]][]} outputs names and shapes
 *
 * @typedef {{
 *   progress: Progress,
 *   importing: number,
 *   output: Output,
 *   waiting: null,
 *   sound: Sound,
 *   download: { name: string, blob: Blob },
 *   numbers: Numbers,
 *   photoFrame: PhotoFrame,
 *   recovered: Recovered,
 *   digits: DigitsReport,
 *   digitsTest: DigitsTest,
 *   surface: SurfaceReport,
 *   modelProgress: ModelProgress,
 *   compiling: { done: number, total: number },
 *   modelOutput: ModelOutput,
 *   answer: AnswerPiece,
 * }} Events
 */

export {};
