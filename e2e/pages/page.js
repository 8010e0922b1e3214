/** @file Python on the page's thread, for whoever drives the page. */

import { Python } from "./python.js";

globalThis.python = new Python();
