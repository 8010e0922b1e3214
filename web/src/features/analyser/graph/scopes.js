/** @file Groups layers by the scopes of their names, for example `block1/conv`, and finds the items of a graph. */

/** @import { Layer, Value } from "../analyser.js" */

/**
 * @typedef {object} Item a node of the graph: a layer, a collapsed scope, or an input or output of the model
 * @property {string} scope path of the scope, "" for others
 * @property {number[]} layers none for an input or output
 * @property {Value} [input]
 * @property {Value} [output]
 *
 * @typedef {{ path: string, scopes: Map<string, Scope>, layers: number[], count: number }} Scope
 */

const MOST_SHOWN = 150; // layers that are shown without collapsing any scope
const MOST_OF = 0.8; // share of all layers
const MOST_ITEMS = 90; // items that a larger model begins with

export class Scopes {
  #layers;
  #inputs;
  #outputs;
  #root;
  /** Layers that compute constants, for example casts of weights, and the layers that read them. @type {Map<number, number>} */
  #folded;
  /** @type {Map<number, string[]>} paths of the scopes around a layer, from the outermost one */
  #around = new Map();
  /** Paths of the scopes that are open. @type {Set<string>} */
  #open = new Set();

  /** @param {{ layers: Layer[], inputs: Value[], outputs: Value[] }} model */
  constructor({ layers, inputs, outputs }) {
    this.#layers = layers;
    this.#inputs = inputs;
    this.#outputs = outputs;
    this.#folded = readersOfConstants(layers, inputs);
    const separator = layers.some(({ name }) => name.includes("/")) ? "/" : ".";
    this.#root = emptyScope("");
    for (const [at, { name }] of layers.entries()) this.#insert(at, name.split(separator));
    if (layers.length <= MOST_SHOWN) this.openAll();
    else this.#openSome();
  }

  /** @param {number} at @param {string[]} parts of the layer's name */
  #insert(at, parts) {
    let scope = this.#root;
    scope.count += 1;
    const paths = [];
    for (const part of parts.slice(0, -1)) {
      const path = scope.path ? `${scope.path}/${part}` : part;
      const inner = scope.scopes.get(part) ?? emptyScope(path);
      scope.scopes.set(part, inner);
      scope = inner;
      scope.count += 1;
      paths.push(path);
    }
    scope.layers.push(at);
    this.#around.set(at, paths);
  }

  /** Opens scopes from the outside in, as long as there are few items. */
  #openSome() {
    let level = [this.#root];
    let items = 1;
    while (level.length > 0) {
      const next = [];
      for (const scope of level) {
        const more = scope.scopes.size + scope.layers.length - 1;
        if (items + more > MOST_ITEMS && scope !== this.#root) continue;
        items += more;
        this.#open.add(scope.path);
        next.push(...scope.scopes.values());
      }
      level = next;
    }
  }

  openAll() {
    for (const paths of this.#around.values()) for (const path of paths) this.#open.add(path);
  }

  closeAll() {
    this.#open.clear();
    // A scope that contains almost everything says nothing.
    let scope = /** @type {Scope | undefined} */ (this.#root);
    while (scope) {
      scope = [...scope.scopes.values()].find(({ count }) => count > MOST_OF * this.#layers.length);
      if (scope) this.#open.add(scope.path);
    }
  }

  get hasScopes() {
    return this.#root.scopes.size > 0;
  }

  /** @param {string} path */
  open(path) {
    this.#open.add(path);
  }

  /** Closes the innermost scope around an item; false if there is none. @param {Item} item */
  close(item) {
    const around = this.#around.get(item.layers[0]) ?? [];
    const inner = item.scope ? around.slice(0, around.indexOf(item.scope)) : around;
    const path = inner.at(-1);
    if (path === undefined) return false;
    this.#open.delete(path);
    return true;
  }

  /** Opens the scopes around a layer. Returns false if they were open. @param {number} at */
  reveal(at) {
    const closed = (this.#around.get(at) ?? []).filter((path) => !this.#open.has(path));
    for (const path of closed) this.#open.add(path);
    return closed.length > 0;
  }

  /** Items that are shown now, and the edges between them. */
  shown() {
    /** @type {Item[]} */
    const items = this.#inputs.map((input) => ({ scope: "", layers: [], input }));
    /** @type {Map<string, number>} */
    const groups = new Map();
    const places = this.#layers.map((_, at) => {
      if (this.#folded.has(at)) return -1;
      const closed = (this.#around.get(at) ?? []).find((path) => !this.#open.has(path));
      const group = closed === undefined ? undefined : groups.get(closed);
      if (group !== undefined) {
        items[group].layers.push(at);
        return group;
      }
      if (closed !== undefined) groups.set(closed, items.length);
      items.push({ scope: closed ?? "", layers: [at] });
      return items.length - 1;
    });
    for (const [at, reader] of this.#folded) places[at] = places[reader];
    const edges = this.#edges(places, items.length);
    items.push(...this.#outputs.map((output) => ({ scope: "", layers: [], output })));
    return { items, places, edges };
  }

  /**
   * @param {number[]} places of the layers among the items
   * @param {number} first place of the first output
   * @returns {[number, number][]}
   */
  #edges(places, first) {
    /** Places of the items that make the values. @type {Map<string, number>} */
    const makers = new Map(this.#inputs.map(({ name }, at) => [name, at]));
    for (const [at, { outputs }] of this.#layers.entries())
      for (const name of outputs) makers.set(name, places[at]);
    /** @type {Map<string, [number, number]>} */
    const edges = new Map();
    const join = (/** @type {string} */ name, /** @type {number} */ to) => {
      const from = makers.get(name);
      if (from !== undefined && from !== to) edges.set(`${from} ${to}`, [from, to]);
    };
    for (const [at, { inputs }] of this.#layers.entries())
      for (const name of inputs) join(name, places[at]);
    for (const [at, { name }] of this.#outputs.entries()) join(name, first + at);
    return [...edges.values()];
  }
}

/** Layers whose inputs are all constants, with a layer that reads each. @param {Layer[]} layers @param {Value[]} inputs */
function readersOfConstants(layers, inputs) {
  const changing = new Set(inputs.map(({ name }) => name));
  /** @type {Map<string, number>} */
  const readers = new Map();
  const constant = [];
  for (const [at, layer] of layers.entries()) {
    const names = layer.inputs.filter(Boolean);
    for (const name of names) if (!readers.has(name)) readers.set(name, at);
    if (names.length > 0 && !names.some((name) => changing.has(name))) constant.push(at);
    else for (const name of layer.outputs) changing.add(name);
  }
  /** @type {Map<number, number>} */
  const folded = new Map();
  // A layer that reads a constant comes later, and may itself be one.
  for (const at of constant.reverse()) {
    const reader = layers[at].outputs
      .map((name) => readers.get(name))
      .find((to) => to !== undefined);
    if (reader !== undefined) folded.set(at, folded.get(reader) ?? reader);
  }
  return folded;
}

/** @param {string} path @returns {Scope} */
function emptyScope(path) {
  return { path, scopes: new Map(), layers: [], count: 0 };
}
