"""pt.train in a page: what it learns, that the page lives on meanwhile, and what it costs."""

from __future__ import annotations

from typing import Any

from page_python import PagePython

pytest_plugins = ["page_fixtures"]

TICKER = """
let last = performance.now(), n = 0, gap = 0;
setInterval(() => {
  const now = performance.now();
  gap = Math.max(gap, now - last);
  last = now;
  n += 1;
}, 4);
(fresh) => { const seen = [n, gap]; if (fresh) { n = 0; gap = 0; } return seen; };
"""


async def trained(ticker: str, width: int, samples: int, epochs: int) -> dict[str, Any]:
    """A small model's training by `fit`, and by a plain loop of jitted steps that never waits."""
    import random
    from time import perf_counter

    from pyodide.code import run_js

    import py_tensor as pt
    from py_tensor.train import steps

    ticks = run_js(ticker)
    numbers = random.Random(0)

    def table(rows: int, columns: int, scale: float) -> Any:
        return pt.asarray([[numbers.gauss(0, scale) for _ in range(columns)] for _ in range(rows)])

    def function(params: Any, x: Any) -> Any:
        return pt.relu(x @ params["w1"] + params["b1"]) @ params["w2"] + params["b2"]

    def params() -> Any:
        numbers.seed(1)
        first, second = table(64, width, 0.1), table(width, 10, 0.1)
        return {"w1": first, "b1": pt.zeros(width), "w2": second, "b2": pt.zeros(10)}

    x, teacher = table(samples, 64, 1.0), table(64, 10, 1.0)
    y = pt.argmax(x @ teacher, axis=1)
    loss, optimizer = "sparse_categorical_crossentropy", pt.optim.adam(1e-2)
    model = function, params()
    options = {"loss": loss, "optimizer": optimizer, "batch_size": 32}
    start = perf_counter()
    await pt.train.fit(model, (x, y), **options)
    first_seconds = perf_counter() - start

    _, first_gap = ticks(True)
    start = perf_counter()
    history = await pt.train.fit(model, (x, y), epochs=epochs, metrics=["accuracy"], **options)
    seconds = perf_counter() - start
    count, gap = ticks(True)

    state = optimizer.init(params())
    of = pt.train.LOSSES[loss]

    @pt.jit(donate_argnums=0)
    def step(state: Any, x: Any, y: Any) -> Any:
        value, gradients = pt.value_and_grad(lambda p: pt.mean(of(function(p, x), y)))(state.params)
        return optimizer.update(state, gradients), value

    xs, ys = x[:32] * 1.0, pt.astype(y[:32] * 1, "int32")
    state, value = step(state, xs, ys)
    value.item()
    n = len(history.losses)
    start = perf_counter()
    for _ in range(n):
        state, value = step(state, xs, ys)
    dispatched = perf_counter() - start
    await value.data()
    plain = perf_counter() - start
    steps._kept.cache_clear()
    return {
        "accuracy": history["accuracy"],
        "steps": n,
        "milliseconds a step": [seconds / n * 1e3, plain / n * 1e3, dispatched / n * 1e3],
        "first": [first_seconds, first_gap],
        "ticks": count / seconds,
        "gap": gap,
    }


def test_the_page_lives_on(python: PagePython) -> None:
    for width, samples, epochs in ((64, 2048, 10), (512, 2048, 2)):
        seen = python.call(trained, TICKER, width, samples, epochs)
        print(python.thread, width, seen)
    assert seen["accuracy"][-1] > 0.5
