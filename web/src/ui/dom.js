/** @file Finds and creates elements, so that no other file has to handle a missing element. */

/**
 * Returns the element with this id; throws if it is missing or of another type.
 *
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function find(id, type) {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`page: no ${type.name} with id "${id}"`);
  return element;
}

/**
 * Creates an element with children. A name that is a property of the element is set as one (`hidden`, `value`),
 * any other as an attribute.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [properties]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) Reflect.set(element, name, value);
    else element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}
