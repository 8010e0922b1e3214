/** @file The navigation that all pages of the site have; web/navigation.json lists the pages. */

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** @type {{ title: string, page: string }[]} */
const PAGES = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "web", "navigation.json"), "utf8"),
);

/** Returns the address of the site's folder, relative to a page of it. @param {string} page */
export function rootOf(page) {
  return "../".repeat(page.split("/").length - 1) || "./";
}

/**
 * Returns the navigation as HTML.
 *
 * @param {string} page address of the page that gets it, relative to the site's folder
 * @param {string} icon address of the icon, relative to the same folder
 */
export function navigation(page, icon) {
  const root = rootOf(page);
  const folder = page.slice(0, page.lastIndexOf("/") + 1);
  const links = PAGES.map(({ title, page: target }) => {
    const isHere = target.slice(0, target.lastIndexOf("/") + 1) === folder;
    const current = isHere ? ` aria-current="${target === page ? "page" : "true"}"` : "";
    return `<a href="${root}${target}"${current}>${title}</a>`;
  });
  const brand = `<a class="brand" href="${root}index.html"><img src="${root}${icon}" alt="">py_tensor</a>`;
  return `<nav class="site-navigation" aria-label="Site">${brand}${links.join("")}</nav>`;
}
