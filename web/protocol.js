/**
 * @file The messages between the page and the worker.
 *
 * The page asks with a Request; each gets one Answer with the same id. Events come unasked.
 *
 * @typedef {{ id: number, verb: string, args: unknown[] }} Request
 * @typedef {{ id: number, value?: unknown, error?: string }} Answer
 *
 * @typedef {{ step: string, fraction: number }} Progress
 * @typedef {{ file: string, line: number, name: string, text: string, yours: boolean }} Frame
 * @typedef {{ message: string, frames: Frame[], line: number | null }} Failure
 * @typedef {{ milliseconds: number, stopped: boolean, failure: Failure | null }} Outcome
 *
 * @typedef {{ kind: "text", text: string, error: boolean }} TextOutput
 * @typedef {{ kind: "table", caption: string, rows: (string[] | null)[] }} TableOutput
 *   a null row stands for the rows left out, a cell "…" for the columns left out
 * @typedef {{ kind: "picture", title: string, caption: string, bitmap: ImageBitmap }} PictureOutput
 * @typedef {TextOutput | TableOutput | PictureOutput} Output
 *
 * @typedef {Record<string, number>} Numbers
 * @typedef {{ milliseconds: number, at: number }} PhotoFrame
 *
 * @typedef {{ tensors: number, gpuBytes: number }} Held what the library holds at that moment
 * @typedef {Held & {
 *   epoch: number,
 *   step: number,
 *   losses: number[],
 *   steps: number,
 *   images: number,
 *   drawn: number[] | null,
 * }} DigitsReport
 *   the losses of the steps since the last report, steps and images a second, and how likely each
 *   digit is for what is on the pad
 * @typedef {{ step: number, probabilities: Float32Array }} DigitsTest ten for each image held out
 * @typedef {{ trained: number, pixels: number[][][], labels: number[] }} Digits
 *   how many images are trained on, and the images held out: 8 x 8 pixels from 0 to 16
 * @typedef {{ pixels: number[][], probabilities: number[] | null }} DrawnDigit
 *
 * @typedef {[number, number, number]} Point x and y (upwards), from -1 to 1, and the class, 0 or 1
 * @typedef {Held & {
 *   step: number,
 *   loss: number | null,
 *   accuracy: number | null,
 *   steps: number,
 * }} SurfaceReport
 *
 * @typedef {{
 *   progress: Progress,
 *   output: Output,
 *   numbers: Numbers,
 *   photoFrame: PhotoFrame,
 *   digits: DigitsReport,
 *   digitsTest: DigitsTest,
 *   surface: SurfaceReport,
 * }} Events
 */

export {};
