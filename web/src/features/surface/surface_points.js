/** @file Shows points over the surface; a click, or the arrow keys and Enter, choose places. */

/** @import { Point } from "../../python/protocol.js" */

const SVG = "http://www.w3.org/2000/svg";
const SIZE = 0.026; // half a point's width; the plane is 2 wide
const STEP = 0.05;
/** @type {Record<string, [number, number]>} */
const KEYS = {
  ArrowUp: [0, STEP],
  ArrowDown: [0, -STEP],
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
};

/**
 * @param {SVGSVGElement} plane
 * @param {(x: number, y: number, other: boolean) => void} onChoose `other` is true if Shift is held
 * @param {(x: number, y: number) => void} onRemove called for the Delete key
 */
export function createSurfacePoints(plane, onChoose, onRemove) {
  const marks = document.createElementNS(SVG, "g");
  const cursor = document.createElementNS(SVG, "path");
  let [x, y] = [0, 0];
  cursor.setAttribute("class", "cursor");
  cursor.setAttribute("d", "M-.07 0H.07M0-.07V.07");
  plane.append(marks, cursor);
  plane.tabIndex = 0;
  move(0, 0);

  plane.onpointerdown = (event) => {
    if (event.button !== 0) return;
    const { left, top, width, height } = plane.getBoundingClientRect();
    moveTo(((event.clientX - left) / width) * 2 - 1, 1 - ((event.clientY - top) / height) * 2);
    onChoose(x, y, event.shiftKey);
  };
  plane.onkeydown = (event) => {
    if (event.key in KEYS) move(...KEYS[event.key]);
    else if (event.key === "Enter" || event.key === " ") onChoose(x, y, event.shiftKey);
    else if (event.key === "Delete" || event.key === "Backspace") onRemove(x, y);
    else return;
    event.preventDefault();
  };

  /** @param {number} right @param {number} up */
  function move(right, up) {
    moveTo(x + right, y + up);
  }

  /** @param {number} toX @param {number} toY */
  function moveTo(toX, toY) {
    [x, y] = [toX, toY].map((value) => Math.min(Math.max(value, -1), 1));
    cursor.setAttribute("transform", `translate(${x} ${-y})`);
  }

  return {
    /** @param {Point[]} points */
    set points(points) {
      marks.replaceChildren(...points.map(markOf));
    },
  };
}

/** Class 0 is round and class 1 square, for visitors who cannot distinguish the colours. @param {Point} point */
function markOf([x, y, label]) {
  const mark = document.createElementNS(SVG, label ? "rect" : "circle");
  const outline = label
    ? { x: x - SIZE, y: -y - SIZE, width: 2 * SIZE, height: 2 * SIZE }
    : { cx: x, cy: -y, r: 1.15 * SIZE };
  for (const [name, value] of Object.entries(outline)) mark.setAttribute(name, value.toFixed(4));
  mark.setAttribute("class", label ? "one" : "zero");
  return mark;
}
