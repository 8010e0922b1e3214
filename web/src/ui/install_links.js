/** @file The address of the wheel in the commands that install it. */

import { make } from "./dom.js";

const wheel = document.querySelector("[data-wheel]");
for (const place of document.querySelectorAll("[data-wheel-address]"))
  place.replaceWith(make("span", {}, wheel instanceof HTMLAnchorElement ? wheel.href : ""));
