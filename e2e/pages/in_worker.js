/** @file Run Python in a worker, with the interface of python.js. */

/** @type {Map<number, { resolve: (value: unknown) => void, reject: (error: Error) => void }>} */
const waiting = new Map();
const worker = new Worker(new URL(`worker.js${location.search}`, import.meta.url), {
  type: "module",
});
let last = 0;

worker.onmessage = ({ data: { id, value, error } }) => {
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) resolve(value);
  else reject(new Error(error));
};

const ask =
  (verb) =>
  (...args) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      worker.postMessage({ id: last, verb, args });
    });

globalThis.python = { start: ask("start"), call: ask("call"), callBlocking: ask("callBlocking") };
