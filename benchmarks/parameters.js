/** @file Parameters in the query of the page's address. */

/**
 * @typedef {object} Parameters
 * @property {boolean} auto start on load and post the results
 * @property {string[]} only parts of the names of the workloads to run; empty for all
 * @property {number} scale factor of the large sizes
 * @property {number} rounds
 * @property {number} milliseconds target duration of a round
 * @property {boolean} growth also run the growth section
 * @property {boolean} stages also time the stages of a call into py_tensor
 * @property {boolean} tiles also time all candidate blocks of contractions
 * @property {boolean} wait suspend Python during reads as `runPythonAsync` does, instead of blocking
 */

const FULL = { scale: 1, rounds: 7, milliseconds: 100 };
const QUICK = { scale: 0.25, rounds: 3, milliseconds: 20 };

/**
 * @param {string} search
 * @returns {Parameters}
 */
export function parametersOf(search) {
  const given = new URLSearchParams(search);
  const standard = isOn(given, "quick") ? QUICK : FULL;
  return {
    auto: isOn(given, "auto"),
    only: (given.get("only") ?? "").split(",").filter(Boolean),
    scale: numberOf(given, "scale", standard.scale),
    rounds: Math.ceil(numberOf(given, "rounds", standard.rounds)),
    milliseconds: numberOf(given, "ms", standard.milliseconds),
    growth: isOn(given, "growth"),
    stages: isOn(given, "stages"),
    tiles: isOn(given, "tiles"),
    wait: isOn(given, "wait"),
  };
}

/** @param {URLSearchParams} given @param {string} name */
function isOn(given, name) {
  return given.has(name) && given.get(name) !== "0";
}

/** @param {URLSearchParams} given @param {string} name @param {number} standard */
function numberOf(given, name, standard) {
  const text = given.get(name);
  if (text === null) return standard;
  const value = Number(text);
  if (value > 0) return value;
  throw new Error(`bench: ${name} is not a positive number; got ${text}; leave it out or give one`);
}
