"""Print how long py_tensor's stages take in a page, beside TensorFlow.js in the same page.

usage: python tools/measure_page.py   (after make site; CHROMIUM names the browser)
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "e2e"))

from conftest import FLAGS  # type: ignore[import-not-found]  # noqa: E402
from page_python import PagePython, link_pages  # type: ignore[import-not-found]  # noqa: E402
from server import serve  # type: ignore[import-not-found]  # noqa: E402

ROUNDS = 7
TENSORFLOW = ROOT / "node_modules" / "@tensorflow" / "tfjs" / "dist"


def node_building() -> float:
    """Microseconds of `a + b`, whose node is made and dropped."""
    from time import perf_counter

    import py_tensor as pt

    a, b = pt.zeros((64, 64)) + 1.0, pt.zeros((64, 64)) + 2.0
    pt.realize(a, b)
    total = 0.0
    for _ in range(25):
        start = perf_counter()
        for _ in range(800):
            a + b
        total += perf_counter() - start
        start = perf_counter()
        for _ in range(800):
            pass
        total -= perf_counter() - start
        pt.realize(a + b)
    return total / 20_000 * 1e6


def chain(passes: int, whole: bool) -> float:
    """Milliseconds a pass of 100 chained adds that reads one element, or all of them."""
    from time import perf_counter

    import py_tensor as pt

    a, b = pt.zeros((64, 64)) + 1.0, pt.zeros((64, 64)) + 0.5
    pt.realize(a, b)
    start = 0.0
    for number in range(passes + 1):
        if number == 1:
            start = perf_counter()
        x = a
        for _ in range(100):
            x = x + b
        assert (memoryview(x)[0, 0] if whole else x[0, 0].item()) == 51.0
    return (perf_counter() - start) / passes * 1e3


def stages(passes: int) -> dict[str, float]:
    """Milliseconds a pass of each stage of the chain, read whole."""
    from time import perf_counter

    import py_tensor as pt
    from py_tensor.graph import linearise
    from py_tensor.runtime import backend, runtime

    engine: Any = backend()
    a, b = pt.zeros((64, 64)) + 1.0, pt.zeros((64, 64)) + 0.5
    pt.realize(a, b)
    pt.realize()
    x = a
    for _ in range(100):
        x = x + b
    pt.realize(x)
    marks = [0.0] * 7
    target = bytearray(64 * 64 * 4)
    for _ in range(passes):
        # Counts pending nodes from zero; else their limit would cut a chain in two.
        pt.realize()
        times = [perf_counter()]
        x = a
        for _ in range(100):
            x = x + b
        times.append(perf_counter())
        linear = linearise([x._node])
        times.append(perf_counter())
        key = (engine, linear.key)
        plan = runtime.plans.get(key)
        times.append(perf_counter())
        leaves = [node.buffer for node in linear.leaves]
        times.append(perf_counter())
        ((_, buffer),) = engine.run(plan, leaves, [node.value for node in linear.scalars])
        times.append(perf_counter())
        engine.bridge.read(buffer.handle, memoryview(target))
        times.append(perf_counter())
        del linear, x
        times.append(perf_counter())
        marks = [
            mark + after - before
            for mark, before, after in zip(marks, times[:-1], times[1:], strict=True)
        ]
    names = ("build nodes", "linearise", "look up key", "leaves", "run", "read", "drop nodes")
    return {name: mark / passes * 1e3 for name, mark in zip(names, marks, strict=True)}


START_TENSORFLOW = """async (address) => {
  const script = document.createElement("script");
  script.src = address;
  document.head.append(script);
  await new Promise((resolve, reject) => { script.onload = resolve; script.onerror = reject; });
  tf.env().set("SOFTWARE_WEBGL_ENABLED", true);
  await tf.setBackend("webgl");
  await tf.ready();
  return tf.version_core;
}"""
TENSORFLOW_CHAIN = """async ([passes, whole]) => {
  const a = tf.ones([64, 64]);
  const b = tf.fill([64, 64], 0.5);
  let start = 0;
  for (let number = 0; number <= passes; number++) {
    if (number === 1) start = performance.now();
    const value = tf.tidy(() => {
      let x = a;
      for (let i = 0; i < 100; i++) x = tf.add(x, b);
      return (whole ? x : tf.slice(x, [0, 0], [1, 1])).dataSync()[0];
    });
    if (value !== 51) throw new Error(`wrong value ${value}`);
  }
  const took = (performance.now() - start) / passes;
  a.dispose();
  b.dispose();
  return took;
}"""
READS = {"one element": False, "all elements": True}


def say(name: str, values: list[float], unit: str) -> None:
    few = ", ".join(f"{value:.3g}" for value in sorted(values))
    print(f"{name:44} {median(values):8.3f} {unit}   ({few})", flush=True)


def measure_python(python: PagePython) -> None:
    # A browser compiles WebAssembly a second time, better, while it runs.
    for _ in range(20):
        python.call(chain, 20, True)
        python.call(node_building)
    for verb in (python.call, python.call_blocking):
        waits = "may wait" if verb == python.call else "blocks"
        where = f"{python.thread}, {waits}"
        if verb == python.call:
            say(f"a + b ({where})", [verb(node_building) for _ in range(ROUNDS)], "us")
        for what, whole in READS.items():
            times = [verb(chain, 60, whole) for _ in range(ROUNDS)]
            say(f"100 adds, {what} ({where})", times, "ms")
        rounds = [verb(stages, 60) for _ in range(ROUNDS)]
        for stage in rounds[0]:
            say(f"  {stage}", [times[stage] for times in rounds], "ms")


def main() -> None:
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        link_pages(folder)
        (folder / "tensorflow").symlink_to(TENSORFLOW)
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM"), args=FLAGS)
        with serve(folder) as url:
            for thread in ("page", "worker"):
                page = browser.new_page()
                measure_python(PagePython(page, url, thread))
                if thread == "page":
                    version = page.evaluate(START_TENSORFLOW, f"{url}/tensorflow/tf.min.js")
                    for what, whole in READS.items():
                        times = [
                            page.evaluate(TENSORFLOW_CHAIN, [60, whole]) for _ in range(ROUNDS)
                        ]
                        say(f"100 adds, {what} (TensorFlow.js {version})", times, "ms")
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
