/** @file Drawing pad for mouse, finger and pen. Strokes are lists of points with x and y from 0 to 1. */

/** @typedef {[number, number][]} Stroke */

const SIDE = 480; // pixels of the canvas; the pad is narrower on the page
const THICKNESS = 30;
const MIN_DISTANCE = 0.006; // between points, as a fraction of the pad's width

/**
 * @param {HTMLCanvasElement} canvas
 * @param {(strokes: Stroke[]) => void} onChange
 */
export function createPad(canvas, onChange) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  /** @type {Stroke[]} */
  let strokes = [];
  /** @type {number | null} id of the pointer that draws; others are ignored */
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
      if (Math.hypot(x - lastX, y - lastY) >= MIN_DISTANCE) stroke.push([x, y]);
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
    context.clearRect(0, 0, SIDE, SIDE);
    context.strokeStyle = getComputedStyle(canvas).color;
    Object.assign(context, { lineWidth: THICKNESS, lineCap: "round", lineJoin: "round" });
    for (const stroke of strokes) {
      context.beginPath();
      for (const [x, y] of stroke) context.lineTo(x * SIDE, y * SIDE);
      // A line of length zero would not be drawn, so a dot gets some length.
      context.lineTo(
        stroke[stroke.length - 1][0] * SIDE + 0.1,
        stroke[stroke.length - 1][1] * SIDE,
      );
      context.stroke();
    }
  }

  return {
    clear,
    get strokes() {
      return strokes;
    },
  };
}
