/** @file Defers work until a part of the page is about to become visible. */

/**
 * Calls `act` once, when the element is less than 200 pixels from the viewport.
 *
 * @param {Element} element
 * @param {() => void} act
 */
export function whenVisible(element, act) {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      act();
    },
    { rootMargin: "200px" },
  );
  observer.observe(element);
}
