/** @file Measures one workload in both libraries: compares the results, then times alternate rounds. */

import { Attempt, isTimed } from "./attempt.js";
import { compare } from "./compare.js";
import { randomArrays } from "./inputs.js";
import { nameOf } from "./workloads.js";

/** @import { Outcome, Prepare } from "./attempt.js" */
/** @import { Comparison } from "./compare.js" */
/** @import { DeviceLimits } from "./device_limits.js" */
/** @import { Workload } from "./workloads.js" */

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {number} flops
 * @property {number} bytes
 * @property {Outcome} ours
 * @property {Outcome} theirs
 * @property {Comparison | null} comparison null unless both libraries computed a result
 * @property {number | null} ratio median of TensorFlow.js divided by that of py_tensor
 * @property {number} limit least milliseconds that the device needs
 * @property {number | null} share limit divided by the median of py_tensor
 */

/** Returns true if a library failed or the results differ. @param {Row} row */
export function hasFailed({ ours, theirs, comparison }) {
  return [ours, theirs].some((side) => side && "error" in side) || comparison?.same === false;
}

/**
 * @param {Workload} workload
 * @param {{ ours: Prepare, theirs: Prepare }} sides
 * @param {{ rounds: number, milliseconds: number }} settings
 * @param {DeviceLimits} device
 * @returns {Promise<Row>}
 */
export async function measure(workload, sides, { rounds, milliseconds }, device) {
  const arrays = randomArrays(workload.inputs);
  const ours = new Attempt();
  const theirs = new Attempt();
  await ours.start(() => sides.ours(workload, arrays));
  await theirs.start(() => sides.theirs(workload, arrays));
  const comparison =
    ours.values && theirs.values ? compare(ours.values, theirs.values, workload) : null;
  // The time of a wrong result would be meaningless.
  if (comparison?.same === false) ours.fail(`wrong: ${comparison.text}`);
  await ours.calibrate(milliseconds);
  await theirs.calibrate(milliseconds);
  for (let round = 0; round < rounds; round++) {
    await ours.round();
    await theirs.round();
  }
  ours.close();
  theirs.close();
  const limit =
    1e3 * Math.max(workload.flops / device.flops, workload.bytes / device.bytesPerSecond);
  const our = ours.outcome;
  const their = theirs.outcome;
  return {
    name: nameOf(workload),
    flops: workload.flops,
    bytes: workload.bytes,
    ours: our,
    theirs: their,
    comparison,
    ratio: isTimed(our) && isTimed(their) ? their.median / our.median : null,
    limit,
    share: isTimed(our) ? limit / our.median : null,
  };
}
