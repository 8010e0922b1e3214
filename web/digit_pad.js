/** @file The pad: strokes drawn by mouse, finger or pen, as points from 0 to 1 both ways. */

/** @typedef {[number, number][]} Stroke */

const SIDE = 480; // pixels; more than the pad is wide on the page
const THICKNESS = 30;
const LEAST_STEP = 0.006; // of the pad's width; closer points say nothing more

/**
 * @param {HTMLCanvasElement} canvas
 * @param {(strokes: Stroke[]) => void} onChange
 */
export function createPad(canvas, onChange) {
  const flat = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  /** @type {Stroke[]} */
  let strokes = [];
  /** @type {number | null} the pointer that draws */
  let drawing = null;
  canvas.width = canvas.height = SIDE;

  canvas.onpointerdown = (event) => {
    if (drawing !== null || event.button !== 0) return;
    drawing = event.pointerId;
    canvas.setPointerCapture(drawing);
    strokes.push([placeOf(event)]);
    changed();
  };
  canvas.onpointermove = (event) => {
    if (event.pointerId !== drawing) return;
    const stroke = strokes[strokes.length - 1];
    const moves = event.getCoalescedEvents();
    for (const move of moves.length > 0 ? moves : [event]) {
      const [x, y] = placeOf(move);
      const [lastX, lastY] = stroke[stroke.length - 1];
      if (Math.hypot(x - lastX, y - lastY) >= LEAST_STEP) stroke.push([x, y]);
    }
    changed();
  };
  canvas.onpointerup = canvas.onpointercancel = (event) => {
    if (event.pointerId === drawing) drawing = null;
  };
  canvas.onkeydown = (event) => {
    if (!["Delete", "Backspace", "Escape"].includes(event.key)) return;
    event.preventDefault();
    clear();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  paint();

  /** @param {PointerEvent} event @returns {[number, number]} */
  function placeOf(event) {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    return [(event.clientX - left) / width, (event.clientY - top) / height];
  }

  function changed() {
    paint();
    onChange(strokes);
  }

  function clear() {
    drawing = null;
    strokes = [];
    changed();
  }

  function paint() {
    flat.clearRect(0, 0, SIDE, SIDE);
    flat.strokeStyle = getComputedStyle(canvas).color;
    Object.assign(flat, { lineWidth: THICKNESS, lineCap: "round", lineJoin: "round" });
    for (const stroke of strokes) {
      flat.beginPath();
      for (const [x, y] of stroke) flat.lineTo(x * SIDE, y * SIDE);
      // A dot has a length, too, or it would not be drawn.
      flat.lineTo(stroke[stroke.length - 1][0] * SIDE + 0.1, stroke[stroke.length - 1][1] * SIDE);
      flat.stroke();
    }
  }

  return {
    clear,
    get strokes() {
      return strokes;
    },
  };
}
