/** @file What is to happen once a part of the page comes near the screen. */

/** @param {Element} element @param {() => void} act called once */
export function whenNear(element, act) {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      act();
    },
    { rootMargin: "200px" },
  );
  observer.observe(element);
  return () => observer.disconnect();
}
