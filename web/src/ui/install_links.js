/** @file The address of the wheel in the commands that install it. */

import { make } from "./dom.js";

const wheel = document.querySelector("[data-wheel]");
for (const element of document.querySelectorAll("[data-wheel-address]"))
  element.replaceWith(make("span", {}, wheel instanceof HTMLAnchorElement ? wheel.href : ""));
