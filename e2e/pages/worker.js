/** @file Run Python in a module worker. Reply to { id, verb, args } with { id, value } or { id, error }. */

import { Python } from "./python.js";

const python = new Python();

self.onmessage = async ({ data: { id, verb, args } }) => {
  try {
    self.postMessage({ id, value: await python[verb](...args) });
  } catch (error) {
    self.postMessage({ id, error: error.message });
  }
};
