/** @file What the page's address asks for. */

/**
 * @typedef {object} Parameters
 * @property {boolean} auto start on load, and post what comes out
 * @property {string[]} only parts of the names of the workloads to run; all where empty
 * @property {number} scale factor of the large sizes
 * @property {number} rounds
 * @property {number} milliseconds how long a round shall last
 * @property {boolean} growth also run the growth section
 * @property {boolean} stages also time the stages of a call into py_tensor
 * @property {boolean} tiles also time all blocks that contractions may have
 * @property {boolean} wait let Python wait for reads as `runPythonAsync` does, instead of blocking
 */

const FULL = { scale: 1, rounds: 7, milliseconds: 100 };
const QUICK = { scale: 0.25, rounds: 3, milliseconds: 20 };

/**
 * @param {string} search
 * @returns {Parameters}
 */
export function parametersOf(search) {
  const given = new URLSearchParams(search);
  const usual = isOn(given, "quick") ? QUICK : FULL;
  return {
    auto: isOn(given, "auto"),
    only: (given.get("only") ?? "").split(",").filter(Boolean),
    scale: numberOf(given, "scale", usual.scale),
    rounds: Math.ceil(numberOf(given, "rounds", usual.rounds)),
    milliseconds: numberOf(given, "ms", usual.milliseconds),
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

/** @param {URLSearchParams} given @param {string} name @param {number} usual */
function numberOf(given, name, usual) {
  const text = given.get(name);
  if (text === null) return usual;
  const value = Number(text);
  if (value > 0) return value;
  throw new Error(`bench: ${name} is not a positive number; got ${text}; leave it out or give one`);
}
