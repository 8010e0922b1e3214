/**
 * @file HTML of a program without anything that acts: anybody can link to a program, which must not run scripts in
 * the page.
 */

const ELEMENTS = new Set(
  (
    "b caption code div figcaption figure i img label p pre progress small span table tbody td tfoot th thead tr " +
    "circle g image line path polygon polyline rect svg text title"
  ).split(" "),
);
const ATTRIBUTES = new Set(
  (
    "align alt aria-label cellpadding colspan height max role rowspan title value width " +
    "cx cy d fill fill-opacity font-family font-size font-weight image-rendering points preserveAspectRatio r rx " +
    "stroke stroke-linecap stroke-linejoin stroke-opacity stroke-width text-anchor transform viewBox x x1 x2 y y1 y2"
  ).split(" "),
);

/**
 * Returns the elements of a text that show data, with attributes that load nothing. Other elements are left out.
 *
 * @param {string} html
 * @returns {DocumentFragment}
 */
export function harmless(html) {
  const fragment = document.createDocumentFragment();
  // A parsed document neither runs scripts nor loads images.
  copy(new DOMParser().parseFromString(html, "text/html").body, fragment);
  return fragment;
}

/**
 * @param {Element} from
 * @param {Node} to
 */
function copy(from, to) {
  for (const node of from.childNodes) {
    if (node instanceof Text) to.appendChild(document.createTextNode(node.data));
    if (!(node instanceof Element) || !ELEMENTS.has(node.localName)) continue;
    const element = document.createElementNS(node.namespaceURI, node.localName);
    for (const { name, value } of node.attributes) {
      const isImage = (name === "src" || name === "href") && value.startsWith("data:image/png;");
      if (isImage || (ATTRIBUTES.has(name) && !value.includes("url("))) {
        element.setAttribute(name, value);
      }
    }
    copy(node, element);
    to.appendChild(element);
  }
}
