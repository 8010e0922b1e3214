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
 * @typedef {{
 *   progress: Progress,
 *   output: Output,
 *   numbers: Numbers,
 *   photoFrame: PhotoFrame,
 * }} Events
 */

export {};
