/** @file Measures workloads in any number of libraries: compares the results, then times rounds, each in another order. */

import { Attempt, isTimed } from "./attempt.js";
import { compare } from "./compare.js";
import { randomArrays } from "./inputs.js";
import { referenceOf } from "./reference.js";
import { digits } from "./results.js";
import { geometricMean } from "./timing.js";
import { OURS } from "./trained.js";
import { nameOf } from "./workloads.js";

/** @import { Outcome, Prepare, Submission } from "./attempt.js" */
/** @import { Section } from "./results.js" */
/** @import { Workload } from "./workloads.js" */

/**
 * A library on one of its backends.
 *
 * @typedef {{ name: string, version?: string, prepare: Prepare }} Engine
 *
 * @typedef {object} EngineRow one workload
 * @property {string} name
 * @property {number} flops
 * @property {number} bytes of inputs and result
 * @property {boolean} product a matrix product or a convolution, whose speed is also told in GFLOP/s
 * @property {Record<string, Outcome>} outcomes by engine
 * @property {Record<string, Submission>} submissions by engine, of those on the GPU
 * @property {Record<string, number>} errors largest difference to the reference, divided by its largest value, by engine
 */

/** Milliseconds until V8 has compiled hot functions a second time. */
const WARM_UP = 300;
const WRONG = "wrong";
const PRODUCTS = /matmul|conv|attention|product/;
/** Operations for each byte up to which the speed of memory says more. */
const MEMORY_BOUND = 2;
/** Operations from which loops in 64-bit floats take too long. */
const REFERENCE_FLOPS = 1e10;

/** Returns true if a library gave a wrong result, or py_tensor failed; another library may lack an operation. @param {EngineRow} row */
export function hasFailed({ outcomes }) {
  return Object.entries(outcomes).some(
    ([name, outcome]) =>
      outcome && "error" in outcome && (name.startsWith(OURS) || outcome.error.startsWith(WRONG)),
  );
}

/**
 * @param {Workload} workload
 * @param {Engine[]} engines
 * @param {{ rounds: number, milliseconds: number }} settings
 * @returns {Promise<EngineRow>}
 */
export async function measureEngines(workload, engines, { rounds, milliseconds }) {
  const arrays = randomArrays(workload.inputs);
  const attempts = engines.map(() => new Attempt());
  for (const [at, { prepare }] of engines.entries()) {
    await attempts[at].start(() => prepare(workload, arrays));
  }
  const reference = workload.flops < REFERENCE_FLOPS ? referenceOf(workload, arrays) : null;
  // Training and networks have no reference in 64-bit floats: there the last library is one.
  const expected = reference ?? attempts.findLast(({ values }) => values)?.values;
  /** @type {Record<string, number>} */
  const errors = {};
  for (const [at, attempt] of attempts.entries()) {
    if (!attempt.values || !expected) continue;
    const { same, worst, text } = compare(attempt.values, expected, workload);
    errors[engines[at].name] = worst / largest(expected);
    // The time of a wrong result would be meaningless.
    if (!same) attempt.fail(`${WRONG}: ${text}`);
    attempt.values = null;
  }
  for (const attempt of attempts) await attempt.warm(WARM_UP);
  for (const attempt of attempts) await attempt.submit(milliseconds);
  for (const attempt of attempts) await attempt.calibrate(milliseconds);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < attempts.length; turn++) {
      await attempts[(round + turn) % attempts.length].round();
    }
  }
  for (const attempt of attempts) attempt.close();
  return {
    name: nameOf(workload),
    flops: workload.flops,
    bytes: workload.bytes,
    product: PRODUCTS.test(workload.operation),
    outcomes: Object.fromEntries(attempts.map(({ outcome }, at) => [engines[at].name, outcome])),
    submissions: Object.fromEntries(
      attempts.flatMap(({ submission }, at) =>
        submission ? [[engines[at].name, submission]] : [],
      ),
    ),
    errors,
  };
}

/** @param {ArrayLike<number>} values */
function largest(values) {
  let result = Number.MIN_VALUE;
  for (let i = 0; i < values.length; i++) result = Math.max(result, Math.abs(values[i]));
  return result;
}

/** @param {Outcome | undefined} outcome */
function shownTime(outcome) {
  if (!outcome) return "-";
  return isTimed(outcome) ? digits(outcome.median) : "failed";
}

/** The other engine's time divided by the first engine's time. @param {EngineRow} row @param {string} first @param {string} other */
function ratioOf({ outcomes }, first, other) {
  const [ours, theirs] = [outcomes[first] ?? null, outcomes[other] ?? null];
  return isTimed(ours) && isTimed(theirs) ? theirs.median / ours.median : null;
}

/** Line of one workload, for a log. @param {EngineRow} row */
export function engineLine({ name, outcomes }) {
  const cells = Object.entries(outcomes).map(
    ([engine, outcome]) => `${engine} ${shownTime(outcome)}`,
  );
  return `${name}: ${cells.join(", ")}`;
}

/**
 * Tables of times with ratios to the first library and their geometric means, of the speeds of products, and of errors.
 *
 * @param {EngineRow[]} rows
 * @param {string[]} engines names of libraries
 * @returns {Section[]}
 */
export function engineSections(rows, engines) {
  const [first, ...others] = engines;
  /** @param {number | null | undefined} value */
  const shown = (value) => (value == null ? "-" : digits(value));
  const cells = rows.map((row) => [
    row.name,
    ...engines.map((engine) => shownTime(row.outcomes[engine])),
    ...others.map((other) => shown(ratioOf(row, first, other))),
  ]);
  const ratios = others.map((other) => rows.flatMap((row) => ratioOf(row, first, other) ?? []));
  const blank = engines.map(() => "");
  const means = ratios.map((all) => (all.length > 0 ? digits(geometricMean(all)) : "-"));
  const slower = ratios.map((all) => `${all.filter((ratio) => ratio < 1).length} of ${all.length}`);
  cells.push(["geometric mean", ...blank, ...means]);
  cells.push([`${first} is slower`, ...blank, ...slower]);
  const products = rows.filter(({ product }) => product);
  /** @param {string} title @param {EngineRow[]} rows @param {(row: EngineRow, engine: string) => string} cell */
  const section = (title, rows, cell) => ({
    title,
    columns: ["", ...engines],
    rows: rows.map((row) => [row.name, ...engines.map((engine) => cell(row, engine))]),
    notes: [],
  });
  return [
    {
      title: "Milliseconds",
      columns: ["", ...engines, ...others.map((other) => `/ ${other}`)],
      rows: cells,
      notes: rows.flatMap(({ name, outcomes }) =>
        Object.entries(outcomes).flatMap(([engine, outcome]) =>
          outcome && "error" in outcome ? [`${name}, ${engine}: ${outcome.error}`] : [],
        ),
      ),
    },
    section("GFLOP/s of products", products, (row, engine) => speedOf(row, engine, row.flops)),
    ...(rows.some(({ submissions }) => Object.keys(submissions).length > 0)
      ? submissionSections(rows, section)
      : []),
    section("Largest errors", rows, ({ errors }, engine) => shown(errors[engine])),
  ].filter(({ rows }) => rows.length > 0);
}

/** Amount of work in 1e9 per second. @param {EngineRow} row @param {string} engine @param {number} work */
function speedOf({ outcomes }, engine, work) {
  const outcome = outcomes[engine] ?? null;
  return isTimed(outcome) ? digits(work / outcome.median / 1e6) : "-";
}

/**
 * Tables about libraries on the GPU.
 *
 * @param {EngineRow[]} rows
 * @param {(title: string, rows: EngineRow[], cell: (row: EngineRow, engine: string) => string) => Section} section
 */
function submissionSections(rows, section) {
  const moving = rows.filter(({ flops, bytes }) => flops <= MEMORY_BOUND * bytes);
  const submitted = rows.filter(({ submissions }) => Object.keys(submissions).length > 0);
  return [
    section("GB/s of inputs and result", moving, (row, engine) => speedOf(row, engine, row.bytes)),
    section("First call, ms", rows, ({ outcomes }, engine) => {
      const outcome = outcomes[engine] ?? null;
      return isTimed(outcome) ? digits(outcome.first) : "-";
    }),
    section("Kernels of a call", submitted, ({ submissions }, engine) =>
      String(submissions[engine]?.kernels ?? "-"),
    ),
    section("Page's thread, us for a kernel", submitted, ({ submissions }, engine) => {
      const { kernels, milliseconds } = submissions[engine] ?? { kernels: 0, milliseconds: 0 };
      return kernels > 0 ? digits((1e3 * milliseconds) / kernels) : "-";
    }),
  ];
}
