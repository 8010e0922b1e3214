/** @file Provide Python on the page's thread as the global `python`. */

import { Python } from "./python.js";

globalThis.python = new Python();
