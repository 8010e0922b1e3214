/**
 * @file Lays a graph out with dagre, part by part.
 *
 * A network is mostly a chain of small parts: all that follows depends on one node. Dagre takes seconds for 1,000 nodes, and
 * its recursions overflow the stack of a worker, so each part is laid out alone, and hung below the last node of the part
 * before.
 */

import dagre from "@dagrejs/dagre";

/**
 * @typedef {{ number: number, count: number, size: Size, edges: Edge[] }} LayoutRequest
 * @typedef {{ width: number, height: number }} Size of each node
 * @typedef {[number, number]} Edge
 * @typedef {{ x: number, y: number }} Point
 * @typedef {{ centers: Point[], lines: Point[][] }} Places
 * @typedef {{ number: number, width: number, height: number } & Places} Layout
 */

const LEAST_PART = 12; // nodes; smaller parts are laid out with the next one
const GAP = { nodesep: 18, ranksep: 34 };

/** @param {LayoutRequest} request @returns {Omit<Layout, "number">} */
export function layout({ count, size, edges }) {
  /** @type {Point[]} */
  const centers = new Array(count);
  /** @type {Point[][]} */
  const lines = new Array(edges.length);
  const cuts = [...cutsOf(count, edges), count - 1];
  const parts = edgesOfParts(cuts, edges);
  let first = 0;
  let bottom = 0;
  for (const [at, last] of cuts.entries()) {
    const inside = parts[at];
    const placed = part(
      first,
      last,
      size,
      inside.map((edge) => edges[edge]),
    );
    const top = Math.min(...placed.centers.map(({ y }) => y));
    // The first node has a place already, as the last one of the part before.
    const known = at > 0 ? centers[first] : placed.centers[0];
    const moved = {
      x: known.x - placed.centers[0].x,
      y: at > 0 ? bottom - top : 0,
    };
    const move = (/** @type {Point} */ { x, y }) => ({ x: x + moved.x, y: y + moved.y });
    for (let node = at > 0 ? first + 1 : first; node <= last; node++)
      centers[node] = move(placed.centers[node - first]);
    for (const [i, edge] of inside.entries()) lines[edge] = placed.lines[i].map(move);
    bottom = Math.max(bottom, ...placed.centers.map(({ y }) => y + moved.y));
    if (at > 0) joinLines(inside, edges, first, lines, known, size);
    first = last;
  }
  return bounded(centers, lines, size);
}

/** Nodes that no edge passes, in the order of the nodes. @param {number} count @param {Edge[]} edges */
function cutsOf(count, edges) {
  const passing = new Int32Array(count + 1);
  for (const [from, to] of edges) {
    passing[Math.min(from, to) + 1] += 1;
    passing[Math.max(from, to)] -= 1;
  }
  const cuts = [];
  let now = 0;
  for (let node = 0; node < count - 1; node++) {
    now += passing[node];
    if (now === 0 && node - (cuts.at(-1) ?? 0) >= LEAST_PART) cuts.push(node);
  }
  return cuts;
}

/** Positions of the edges of each part. @param {number[]} cuts @param {Edge[]} edges */
function edgesOfParts(cuts, edges) {
  /** @type {number[][]} */
  const parts = cuts.map(() => []);
  const partOf = new Int32Array((cuts.at(-1) ?? 0) + 1);
  let at = 0;
  for (let node = 0; node < partOf.length; node++) {
    if (node > cuts[at]) at += 1;
    partOf[node] = at;
  }
  for (const [edge, [from, to]] of edges.entries()) parts[partOf[Math.max(from, to)]].push(edge);
  return parts;
}

/**
 * @param {number} first
 * @param {number} last
 * @param {Size} size
 * @param {Edge[]} edges
 * @returns {Places}
 */
function part(first, last, size, edges) {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "TB", ...GAP });
  graph.setDefaultEdgeLabel(() => ({}));
  for (let node = first; node <= last; node++) graph.setNode(String(node), { ...size });
  for (const [from, to] of edges) graph.setEdge(String(from), String(to));
  try {
    dagre.layout(graph);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return levels(first, last, size, edges);
  }
  const centers = [];
  for (let node = first; node <= last; node++) {
    const { x, y } = graph.node(String(node));
    centers.push({ x, y });
  }
  return {
    centers,
    lines: edges.map(([from, to]) => graph.edge(String(from), String(to)).points),
  };
}

/**
 * Places of a part that is too deep for dagre: each node is one level below those that it reads.
 *
 * @param {number} first
 * @param {number} last
 * @param {Size} size
 * @param {Edge[]} edges
 * @returns {Places}
 */
function levels(first, last, size, edges) {
  const level = new Int32Array(last - first + 1);
  for (const [from, to] of [...edges].sort((a, b) => a[1] - b[1]))
    if (from < to) level[to - first] = Math.max(level[to - first], level[from - first] + 1);
  /** @type {number[]} */
  const widths = [];
  const centers = [...level].map((row) => {
    const column = widths[row] ?? 0;
    widths[row] = column + 1;
    return { x: column * (size.width + GAP.nodesep), y: row * (size.height + GAP.ranksep) };
  });
  const lines = edges.map(([from, to]) => [
    { x: centers[from - first].x, y: centers[from - first].y + size.height / 2 },
    { x: centers[to - first].x, y: centers[to - first].y - size.height / 2 },
  ]);
  return { centers, lines };
}

/**
 * Lets the lines of a part's first node begin where that node is.
 *
 * @param {number[]} inside positions of the part's edges
 * @param {Edge[]} edges
 * @param {number} node
 * @param {Point[][]} lines
 * @param {Point} center
 * @param {Size} size
 */
function joinLines(inside, edges, node, lines, center, size) {
  for (const edge of inside) {
    if (edges[edge][0] === node) lines[edge][0] = { x: center.x, y: center.y + size.height / 2 };
  }
}

/** @param {Point[]} centers @param {Point[][]} lines @param {Size} size */
function bounded(centers, lines, size) {
  const all = [...centers, ...lines.flat()];
  let [left, right, top, bottom] = [0, 0, 0, 0];
  if (all.length) {
    left = top = Number.POSITIVE_INFINITY;
    right = bottom = Number.NEGATIVE_INFINITY;
  }
  for (const { x, y } of all) {
    left = Math.min(left, x - size.width / 2);
    right = Math.max(right, x + size.width / 2);
    top = Math.min(top, y - size.height / 2);
    bottom = Math.max(bottom, y + size.height / 2);
  }
  const move = (/** @type {Point} */ { x, y }) => ({ x: x - left, y: y - top });
  return {
    width: right - left,
    height: bottom - top,
    centers: centers.map(move),
    lines: lines.map((points) => points.map(move)),
  };
}
