/** @file Worker that lays a graph out with dagre: 1,000 nodes take a second or two. */

import dagre from "@dagrejs/dagre";

/**
 * @typedef {{ width: number, height: number }} Size
 * @typedef {{ number: number, sizes: Size[], edges: [number, number][] }} LayoutRequest
 * @typedef {{ x: number, y: number }} Point
 * @typedef {{ number: number, width: number, height: number, centers: Point[], lines: Point[][] }} Layout
 */

self.onmessage = (
  /** @type {MessageEvent<LayoutRequest>} */ { data: { number, sizes, edges } },
) => {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 18, ranksep: 34, ranker: "tight-tree" });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const [at, size] of sizes.entries()) graph.setNode(String(at), { ...size });
  for (const [from, to] of edges) graph.setEdge(String(from), String(to));
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const centers = sizes.map((_, at) => {
    const { x, y } = graph.node(String(at));
    return { x, y };
  });
  const lines = edges.map(([from, to]) => graph.edge(String(from), String(to)).points);
  self.postMessage({ number, width, height, centers, lines });
};
