"""Test pt.train in a page: result and responsiveness."""

from __future__ import annotations

from typing import Any

from page_python import PagePython

pytest_plugins = ["page_fixtures"]

TICKER = "let n = 0; setInterval(() => { n += 1; }, 4); () => n"


async def trained(ticker: str) -> dict[str, Any]:
    """Train a small model and return its results and the timer ticks meanwhile."""
    import random

    from pyodide.code import run_js

    import py_tensor as pt

    ticks = run_js(ticker)
    numbers = random.Random(0)

    def table(rows: int, columns: int, scale: float) -> Any:
        return pt.asarray([[numbers.gauss(0, scale) for _ in range(columns)] for _ in range(rows)])

    # Annotations cannot be evaluated in this function; no code may try to.
    def function(params: Any, x: Any, training: bool) -> Any:
        return pt.relu(x @ params["w1"] + params["b1"]) @ params["w2"] + params["b2"]

    x, teacher = table(1024, 32, 1.0), table(32, 10, 1.0)
    y = pt.argmax(x @ teacher, axis=1)
    params = {"w1": table(32, 64, 0.1), "b1": pt.zeros(64), "w2": table(64, 10, 0.1)}
    model = function, params | {"b2": pt.zeros(10)}
    options = {
        "loss": "sparse_categorical_crossentropy_of_logits",
        "optimizer": pt.optim.adam(1e-2),
        "metrics": ["accuracy"],
    }
    # Trace and compile once, so that the ticks of training alone are counted.
    await pt.train.fit(model, (x, y), steps_per_epoch=1, **options)
    before = ticks()
    history = await pt.train.fit(model, (x, y), epochs=4, **options)
    # On a quick machine four epochs leave time for few ticks.
    longer = 0
    while ticks() - before < 20 and longer < 100:
        longer += 1
        await pt.train.fit(model, (x, y), **options)
    return {
        "accuracy": history["accuracy"],
        "steps": len(history.losses),
        "ticks": ticks() - before,
    }


def test_the_page_stays_responsive(python: PagePython) -> None:
    seen = python.call(trained, TICKER)
    assert seen["steps"] == 4 * 32
    assert seen["accuracy"][0] < 0.8 < seen["accuracy"][3]
    assert seen["ticks"] >= 20
