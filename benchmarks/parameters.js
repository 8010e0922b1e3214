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
  const query = new URLSearchParams(search);
  const standard = isOn(query, "quick") ? QUICK : FULL;
  return {
    auto: isOn(query, "auto"),
    only: (query.get("only") ?? "").split(",").filter(Boolean),
    scale: numberOf(query, "scale", standard.scale),
    rounds: Math.ceil(numberOf(query, "rounds", standard.rounds)),
    milliseconds: numberOf(query, "ms", standard.milliseconds),
    growth: isOn(query, "growth"),
    stages: isOn(query, "stages"),
    tiles: isOn(query, "tiles"),
    wait: isOn(query, "wait"),
  };
}

/** @param {URLSearchParams} query @param {string} name */
function isOn(query, name) {
  return query.has(name) && query.get(name) !== "0";
}

/** @param {URLSearchParams} query @param {string} name @param {number} standard */
function numberOf(query, name, standard) {
  const text = query.get(name);
  if (text === null) return standard;
  const value = Number(text);
  if (value > 0) return value;
  throw new Error(`bench: ${name} is not a positive number; got ${text}; leave it out or give one`);
}
