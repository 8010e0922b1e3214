/** @file The graph of a model: zoom, search, and scopes that are opened and closed. */

import { find, make } from "../../../ui/dom.js";
import { textOf } from "../../../ui/error_text.js";
import { formatCount, shapeText } from "../../../ui/metrics.js";
import { GraphCanvas, HEIGHT, WIDTH } from "./graph_canvas.js";
import { Scopes } from "./scopes.js";

/** @import { Analyser } from "../analyser.js" */
/** @import { Box } from "./graph_canvas.js" */
/** @import { Layout, LayoutRequest } from "./layout.js" */
/** @import { Item } from "./scopes.js" */

const TITLE_LENGTH = 24; // characters that fit into a node
const TEXT_LENGTH = 24;
/** @type {[RegExp, string][]} colors of operators by their kind */
const KINDS = [
  [/conv|matmul|gemm|dense|fully|einsum|lstm|gru|attention/i, "--blue"],
  [/relu|sigmoid|tanh|softmax|swish|gelu|elu|clip|activation|hard|logistic/i, "--green"],
  [/pool|mean|reduce|max|norm|sum|argmax|resize/i, "--red"],
];

/** @param {Analyser} analyser */
export function createGraphView(analyser) {
  const panel = find("graph", HTMLElement);
  const search = make("input", { type: "search", placeholder: "name or operator" });
  const status = make("p", { className: "status", role: "status" });
  const canvas = make("canvas", {
    tabIndex: 0,
    role: "application",
    ariaLabel:
      "Graph of the layers: arrow keys go to other layers, Enter opens a scope, Backspace closes it, plus, minus and 0 zoom",
  });
  const tools = {
    "Zoom in": () => drawn.zoom(1.3),
    "Zoom out": () => drawn.zoom(1 / 1.3),
    Fit: () => drawn.fit(),
    "Open all": () => changeScopes(() => scopes?.openAll()),
    "Close all": () => changeScopes(() => scopes?.closeAll()),
    "Full screen": () => changeScreen(),
  };
  /** @type {Map<string, HTMLButtonElement>} */
  const buttons = new Map();
  for (const [title, act] of Object.entries(tools)) {
    const sign = { "Zoom in": "+", "Zoom out": "−" }[title] ?? title;
    const button = make("button", { type: "button", ariaLabel: title }, sign);
    button.onclick = act;
    buttons.set(title, button);
  }
  panel.append(
    make("div", { className: "bar" }, make("label", {}, "Search ", search), ...buttons.values()),
    canvas,
    status,
  );
  const drawn = new GraphCanvas(canvas);
  buttons.get("Full screen")?.toggleAttribute("hidden", !document.fullscreenEnabled);
  panel.addEventListener("fullscreenchange", () => {
    const isFull = document.fullscreenElement === panel;
    buttons.get("Full screen")?.setAttribute("aria-pressed", String(isFull));
  });
  /** @type {Scopes | null} */
  let scopes = null;
  /** @type {{ items: Item[], places: number[], edges: [number, number][] }} */
  let shown = { items: [], places: [], edges: [] };
  /** @type {Layout | null} */
  let layout = null;
  /** @type {Worker | null} */
  let worker = null;
  let number = 0;
  let current = -1;
  let selected = -1;
  /** @type {(number | null)[]} */
  let times = [];
  /** Layers that match the search, and the position in this list of the one that is shown. */
  let matches = /** @type {number[]} */ ([]);
  let position = -1;

  drawn.onPick = (at) => pick(at);
  search.oninput = runSearch;
  search.onkeydown = (event) => {
    if (event.key !== "Enter" || matches.length === 0) return;
    position = (position + (event.shiftKey ? -1 : 1) + matches.length) % matches.length;
    analyser.emit("select", matches[position]);
    status.textContent = `${position + 1} of ${matches.length} found`;
  };
  canvas.onkeydown = onKey;
  analyser.on("model", (model) => {
    scopes = new Scopes(model);
    selected = current = -1;
    times = [];
    search.value = "";
    matches = [];
    for (const title of ["Open all", "Close all"]) {
      const button = buttons.get(title);
      if (button) button.hidden = !scopes.hasScopes;
    }
    drawn.show(null, []);
    arrange(() => drawn.start());
  });
  analyser.on("select", (at) => {
    selected = at;
    if (scopes?.reveal(at)) arrange(() => focusOn(shown.places[at]));
    else focusOn(shown.places[at]);
  });
  analyser.on("times", (measured) => {
    times = measured;
    drawn.boxes = boxes();
  });

  async function changeScreen() {
    try {
      if (document.fullscreenElement) await document.exitFullscreen();
      else await panel.requestFullscreen();
    } catch (error) {
      status.textContent = `The browser allows no full screen: ${textOf(error)}`;
    }
  }

  /** Lays the graph out again, in a worker. @param {() => void} then */
  function arrange(then) {
    if (!scopes) return;
    shown = scopes.shown();
    number += 1;
    const asked = number;
    // A layout that is no longer wanted is not waited for.
    worker?.terminate();
    worker = new Worker(new URL("./layout_worker.js", import.meta.url), { type: "module" });
    status.textContent = `Arranging ${shown.items.length} nodes…`;
    canvas.ariaBusy = "true";
    worker.onmessage = (/** @type {MessageEvent<Layout>} */ { data }) => {
      if (data.number !== asked) return;
      worker?.terminate();
      worker = null;
      layout = data;
      drawn.show(layout, boxes());
      canvas.ariaBusy = "false";
      const { length } = shown.items.filter(({ layers }) => layers.length > 0);
      const groups = shown.items.filter(({ scope }) => scope).length;
      status.textContent = groups
        ? `${length} nodes, ${groups} of them closed scopes; select one to open it`
        : `${length} layers`;
      then();
    };
    worker.onerror = ({ message }) => {
      canvas.ariaBusy = "false";
      status.textContent = `The graph could not be arranged: ${message}`;
    };
    /** @type {LayoutRequest} */
    const request = {
      number: asked,
      count: shown.items.length,
      size: { width: WIDTH, height: HEIGHT },
      edges: shown.edges,
    };
    worker.postMessage(request);
  }

  /** @param {() => void} change */
  function changeScopes(change) {
    change();
    arrange(() => {
      current = selected < 0 ? -1 : shown.places[selected];
      drawn.selected = current;
      drawn.fit();
    });
  }

  /** @returns {Box[]} */
  function boxes() {
    const layers = analyser.description?.layers ?? [];
    const marked = new Set(matches.map((at) => shown.places[at]));
    return shown.items.map(({ scope, layers: inside, input, output }, at) => {
      const port = input ?? output;
      if (port)
        return {
          title: shortened(`${input ? "Input" : "Output"} ${port.name}`, TITLE_LENGTH),
          text: shortened(portText(port), TEXT_LENGTH),
          color: "--ink",
          isGroup: false,
          isFound: false,
        };
      const first = layers[inside[0]];
      const measured = inside.map((layer) => times[layer]).filter((ms) => typeof ms === "number");
      const took = measured.reduce((sum, ms) => sum + ms, 0);
      const time = measured.length ? `${took.toFixed(took < 1 ? 3 : 2)} ms` : "";
      const about = scope
        ? `${inside.length} layers`
        : first.shape === "?"
          ? endOf(first.name)
          : shapeText(first.shape);
      return {
        title: shortened(scope ? (scope.split("/").at(-1) ?? "") : first.operator, TITLE_LENGTH),
        text: shortened(time || about, TEXT_LENGTH),
        color: scope ? "--alpha" : colorOf(first.operator),
        isGroup: scope !== "",
        isFound: marked.has(at),
      };
    });
  }

  /** @param {number} at an item */
  function pick(at) {
    const item = shown.items[at];
    if (!item) return;
    if (item.scope) openScope(item);
    else if (item.layers.length === 0) focusOn(at);
    else analyser.emit("select", item.layers[0]);
  }

  /** @param {Item} item */
  function openScope(item) {
    scopes?.open(item.scope);
    arrange(() => focusOn(shown.places[item.layers[0]]));
  }

  /** @param {number} at an item */
  function focusOn(at) {
    current = at;
    drawn.selected = at;
    drawn.reveal(at);
    const item = shown.items[at];
    const port = item?.input ?? item?.output;
    if (port)
      status.textContent = `${item.input ? "Input" : "Output"} ${port.name}, ${portText(port)}`;
    const layer = item && analyser.description?.layers[item.layers[0]];
    if (!layer) return;
    status.textContent = item.scope
      ? `Scope ${item.scope}, ${item.layers.length} layers`
      : `${layer.operator} ${layer.name}, ${formatCount(layer.parameters)} parameters`;
  }

  function runSearch() {
    const wanted = search.value.trim().toLowerCase();
    const layers = analyser.description?.layers ?? [];
    matches = wanted
      ? layers.flatMap(({ name, operator }, at) =>
          `${name} ${operator}`.toLowerCase().includes(wanted) ? [at] : [],
        )
      : [];
    position = -1;
    drawn.boxes = boxes();
    status.textContent = wanted
      ? `${matches.length} found; Enter goes to the next one`
      : `${layers.length} layers`;
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const at = current < 0 ? (shown.places[0] ?? 0) : current;
    const next = {
      ArrowDown: () => neighbour(at, 1),
      ArrowUp: () => neighbour(at, -1),
      ArrowRight: () => beside(at, 1),
      ArrowLeft: () => beside(at, -1),
    }[event.key];
    if (next) {
      const to = next();
      focusOn(to);
      const item = shown.items[to];
      if (item?.layers.length && !item.scope && item.layers[0] !== selected) {
        analyser.emit("select", item.layers[0]);
      }
    } else if (event.key === "Enter") pick(at);
    else if (event.key === "Backspace") closeScope(at);
    else if (event.key === "+") drawn.zoom(1.3);
    else if (event.key === "-") drawn.zoom(1 / 1.3);
    else if (event.key === "0") drawn.fit();
    else return;
    event.preventDefault();
  }

  /** @param {number} at */
  function closeScope(at) {
    const item = shown.items[at];
    if (item && scopes?.close(item)) arrange(() => focusOn(shown.places[item.layers[0]]));
  }

  /** The first node that reads this one, or that this one reads. @param {number} at @param {1 | -1} direction */
  function neighbour(at, direction) {
    const [mine, other] = direction === 1 ? [0, 1] : [1, 0];
    return shown.edges.find((edge) => edge[mine] === at)?.[other] ?? at;
  }

  /** The nearest node to the left or right, on the same level. @param {number} at @param {1 | -1} direction */
  function beside(at, direction) {
    const centers = layout?.centers ?? [];
    const from = centers[at];
    let best = at;
    let least = Number.POSITIVE_INFINITY;
    for (const [to, center] of centers.entries()) {
      const distance = (center.x - (from?.x ?? 0)) * direction;
      if (center.y === from?.y && distance > 0 && distance < least) {
        best = to;
        least = distance;
      }
    }
    return best;
  }
}

/** @param {import("../analyser.js").Value} port */
function portText({ shape, dtype }) {
  return `${shape === null ? "any shape" : shape.map((n) => n ?? "?").join(" × ") || "scalar"} ${dtype}`;
}

/** @param {string} operator */
function colorOf(operator) {
  return KINDS.find(([pattern]) => pattern.test(operator))?.[1] ?? "--alpha";
}

/** @param {string} text @param {number} length */
function shortened(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** @param {string} name */
function endOf(name) {
  return name.length > TEXT_LENGTH ? `…${name.slice(1 - TEXT_LENGTH)}` : name;
}
