/** @file Notes on a piano roll, as SVG. */

const NAMES = ["C", "C♯", "D", "D♯", "E", "F", "F♯", "G", "G♯", "A", "A♯", "B"];
const SPACE = "http://www.w3.org/2000/svg";
const [WIDTH, KEY, LEFT, BOTTOM] = [640, 13, 40, 22];

/** @param {number} midi */
function noteName(midi) {
  return `${NAMES[midi % 12]}${Math.floor(midi / 12) - 1}`;
}

/** Draws notes: start and end in seconds, MIDI number, amplitude. @param {[number, number, number, number][]} notes */
export function pianoRoll(notes) {
  const pitches = notes.map(([, , pitch]) => pitch);
  const [low, high] = [Math.min(...pitches) - 1, Math.max(...pitches) + 1];
  const seconds = Math.max(...notes.map(([, end]) => end), 1);
  const height = (high - low + 1) * KEY;
  const x = (/** @type {number} */ time) => LEFT + (time / seconds) * (WIDTH - LEFT);
  const y = (/** @type {number} */ pitch) => (high - pitch) * KEY;
  const list = notes.map(
    ([start, end, pitch]) => `${noteName(pitch)} at ${start.toFixed(1)} to ${end.toFixed(1)} s`,
  );
  const svg = element("svg", {
    viewBox: `0 0 ${WIDTH} ${height + BOTTOM}`,
    role: "img",
    "aria-label": `Piano roll with ${notes.length} notes: ${list.join(", ")}`,
    class: "piano-roll",
  });
  for (let pitch = low; pitch <= high; pitch += 1) {
    const isBlack = NAMES[pitch % 12].length > 1;
    const row = { x: LEFT, y: y(pitch), width: WIDTH - LEFT, height: KEY - 1 };
    svg.append(element("rect", { ...row, class: isBlack ? "black key" : "key" }));
    if (!isBlack) svg.append(text(LEFT - 6, y(pitch) + KEY - 3, noteName(pitch), "end"));
  }
  for (let second = 0; second <= seconds; second += 1) {
    const at = { x1: x(second), x2: x(second), y1: 0, y2: height };
    svg.append(element("line", at), text(x(second), height + 15, `${second} s`, "middle"));
  }
  for (const [start, end, pitch, amplitude] of notes) {
    const box = { x: x(start), y: y(pitch), width: Math.max(x(end) - x(start), 2) };
    const look = { height: KEY - 1, rx: 3, opacity: 0.35 + 0.65 * Math.min(amplitude, 1) };
    const note = element("rect", { ...box, ...look, class: "note" });
    note.dataset.pitch = String(pitch);
    svg.append(note);
  }
  return svg;
}

/** @param {string} name @param {Record<string, unknown>} attributes */
function element(name, attributes) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return /** @type {SVGElement} */ (made);
}

/** @param {number} x @param {number} y @param {string} content @param {string} anchor */
function text(x, y, content, anchor) {
  const made = element("text", { x, y, "text-anchor": anchor });
  made.textContent = content;
  return made;
}
