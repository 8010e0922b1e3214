/** @file Decode and check the words of a plan, which README.md lists. */
/** @import { DecodedPlan, DrawLists, Launch } from "./types" */
import { GUESSED_MILLISECONDS } from "./backlog.js";

/** Error of a donated leaf after the run that reused its memory has failed. */
export const DONATED =
  "the tensor was donated to a function that failed; got no elements; compute it again";

/**
 * @template Item, Shape
 * @template {Launch} First
 * @param {number} id
 * @param {Int32Array} words
 * @param {(next: () => number) => Shape} readShape reads the words of an output or a temporary
 * @param {(next: () => number) => First} readLaunch reads the first words of a draw
 * @returns {DecodedPlan<Item, Shape, First & DrawLists>}
 */
export function decodePlan(id, words, readShape, readLaunch) {
  let at = 0;
  const next = () => words[at++];
  const list = (length = next()) => {
    at += length;
    return words.subarray(at - length, at);
  };
  const [leaves, outputs, temporaries, count] = list(4);
  const named = leaves + outputs;
  let last = named;
  const shapes = new Array(leaves);
  for (let i = 0; i < outputs + temporaries; i++) shapes.push(readShape(next));
  const places = () => {
    const found = list().map((index) => 1 + named + index);
    last = Math.max(last, ...found);
    return found;
  };
  const draws = Array.from({ length: count }, () => ({
    ...readLaunch(next),
    targets: list(),
    inputs: list(),
    floats: places(),
    ints: places(),
    uints: places(),
    ends: /** @type {number[]} */ ([]),
  }));
  if (at !== words.length)
    throw new Error(`plan ${id} has ${at} words by its counts; got ${words.length}`);
  for (const { targets, inputs } of draws)
    if (Math.min(...targets) < leaves || Math.max(...targets, ...inputs) >= shapes.length)
      throw new Error(
        `plan ${id} draws with slots it lacks; it has ${shapes.length}, of which ${leaves} leaves`,
      );
  for (let leaf = 0; leaf < leaves; leaf++)
    draws.findLast(({ inputs }) => inputs.includes(leaf))?.ends.push(leaf);
  return {
    leaves,
    named,
    shapes,
    slots: new Array(shapes.length).fill(null),
    draws,
    wanted: new Array(outputs).fill(false),
    words: last + 1,
    cost: GUESSED_MILLISECONDS,
  };
}
