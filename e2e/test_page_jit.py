"""pt.jit and pt.warmup in a page: traced once, replayed by one call, ready before the first."""

from __future__ import annotations

from typing import Any

from page_python import PagePython

pytest_plugins = ["page_fixtures"]


def replayed() -> dict[str, Any]:
    """What a jitted training step computes and what it costs, beside the same without."""
    import py_tensor as pt
    from py_tensor.runtime import backend

    def counts() -> list[int]:
        info, stats = pt.cache_info(), backend().bridge.stats()
        return [stats["compiled"], stats["plans"], info.plan_misses, info.plan_hits]

    def step(params: dict[str, Any], x: Any, rate: float) -> Any:
        h = pt.tanh(x @ params["w"] + params["b"])
        loss = pt.mean(h * h)
        params["w"] -= rate * loss * params["w"]
        return loss

    def run(function: Any) -> tuple[list[float], list[list[int]]]:
        params = {"w": pt.eye(8) * 0.5, "b": pt.zeros(8)}
        x = pt.asarray([[(i * j) % 5 - 2.0 for j in range(8)] for i in range(6)])
        losses, seen = [], []
        for at in range(4):
            before = counts()
            losses.append(function(params, x, 0.5 / (at + 1)).item())
            seen.append([now - then for now, then in zip(counts(), before, strict=True)])
        return losses, seen

    plans = backend().bridge.stats()["plans"]
    jitted = pt.jit(step)
    losses, seen = run(jitted)
    without, _ = run(step)
    while_alive = backend().bridge.stats()["plans"] - plans
    del jitted
    return {"losses": losses, "without": without, "seen": seen, "alive": while_alive > 0}


def test_a_step_is_replayed(python: PagePython) -> None:
    seen = python.call(replayed)
    assert seen["losses"] == seen["without"]
    first, *others = seen["seen"]
    assert first[0] >= 1
    # The first call also makes what it is given.
    assert others == [[0, 0, 0, 1]] * 3
    assert seen["alive"]


def dropped() -> list[int]:
    """Plans the bridge has before, during and after the life of a jitted function."""
    import py_tensor as pt
    from py_tensor.runtime import backend

    def plans() -> int:
        count: int = backend().bridge.stats()["plans"]
        return count

    before = plans()
    f = pt.jit(lambda x: x * 1.5 + 0.25)
    f(pt.asarray([1.0]))
    during = plans()
    del f
    return [during - before, plans() - before]


def test_plans_die_with_the_function(python: PagePython) -> None:
    assert python.call(dropped) == [1, 0]


def peaks() -> list[int]:
    """Bytes of textures that updates of 8 parameters take: without and with giving them away."""
    import py_tensor as pt
    from py_tensor.runtime import backend

    def update(params: list[Any], rate: float) -> list[Any]:
        return [p * rate for p in params]

    def peak(**options: Any) -> int:
        step = pt.jit(update, **options)
        params = [pt.full((64, 64), float(n)) + 1.0 for n in range(8)]
        pt.realize(*params)
        backend().bridge.trim()
        for _ in range(3):
            params = step(params, 0.5)
        memory = pt.memory()
        assert params[7][63, 63].item() == 1.0
        return memory.num_bytes_in_gpu + memory.num_bytes_in_gpu_free

    return [peak(), peak(donate_argnums=0)]


def test_donated_textures_are_used_again(python: PagePython) -> None:
    without, donated = python.call(peaks)
    assert without - donated == 7 * 64 * 64 * 4


def refused() -> list[str]:
    import js

    import py_tensor as pt

    def drawn(x: Any) -> None:
        pt.draw(x, js.OffscreenCanvas.new(2, 2))

    def picture(x: Any) -> Any:
        return x + pt.from_pixels(js.ImageData.new(2, 2))[:, :, 0]

    def read(x: Any) -> float:
        return float(x.sum())

    messages = []
    x = pt.ones((2, 2))
    for function in (drawn, picture, read):
        try:
            pt.jit(function)(x)
        except pt.errors.TraceError as error:
            messages.append(str(error))
    return messages


def test_what_a_trace_refuses(python: PagePython) -> None:
    advice = "use pt.where, or make the argument static with static_argnums"
    unknown = f"jit: the value of a traced tensor is not known; got {{}}; {advice}"
    assert python.call(refused) == [
        unknown.format("draw of uint8[2, 2, 4]"),
        "from_pixels: every call of picture would see the picture of the first; "
        "got a picture inside jit; pass the tensor as an argument",
        unknown.format("float of float32[]"),
    ]


async def warmed() -> dict[str, Any]:
    """Progress, turns the event loop got meanwhile, and what the first call made."""
    import asyncio

    import py_tensor as pt
    from py_tensor.runtime import backend

    def network(params: list[Any], x: Any, rate: float) -> Any:
        for at, w in enumerate(params):
            x = pt.softmax(pt.tanh(x @ w) * (rate + 0.125 * at) + pt.sin(x * (at + 1)), axis=1)
        return x

    turns = 0

    async def tick() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    ticking = asyncio.ensure_future(tick())
    progress: list[tuple[int, int]] = []
    spec = pt.ShapeDtype((16, 16))
    step = await pt.warmup(
        network, [spec] * 4, spec, 0.5, progress=lambda *counts: progress.append(counts)
    )
    ticking.cancel()
    before = backend().bridge.stats()
    x = pt.eye(16) * 1.0
    pt.realize(x)
    made = backend().bridge.stats()
    misses = pt.cache_info().plan_misses
    total = pt.sum(step([x] * 4, x, 0.25)).item()
    return {
        "progress": progress,
        "turns": turns,
        "misses": pt.cache_info().plan_misses - misses,
        "ran before": made["draws"] - before["draws"],
        "total": total,
    }


def test_warmup_keeps_the_page_alive(python: PagePython) -> None:
    seen = python.call(warmed)
    done, totals = zip(*seen["progress"], strict=True)
    assert len(set(totals)) == 1 and done[-1] == totals[0] >= 5
    assert list(done) == sorted(set(done))
    assert seen["turns"] >= len(done) - 1
    assert seen["misses"] == 1  # that of pt.sum
    assert abs(seen["total"] - 16) < 1e-3


def overhead() -> list[int]:
    """Calls of Python functions in a call of a chain of 12 operations: jitted, and without."""
    import sys

    import py_tensor as pt

    def chain(x: Any, y: Any) -> Any:
        for _ in range(6):
            x = x * y + 1.0
        return x

    def eager(x: Any, y: Any) -> None:
        pt.realize(chain(x, y))

    def calls(function: Any) -> int:
        counted = 0

        def count(_frame: Any, event: str, _function: Any) -> None:
            nonlocal counted
            counted += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            function(x, y)
        finally:
            sys.setprofile(None)
        return counted

    x, y = pt.asarray([1.0] * 64), pt.asarray([2.0] * 64)
    jitted = pt.jit(chain)
    for function in (jitted, eager):
        # Traced, compiled and remembered, so that what every later call does is left.
        function(x, y)
        function(x, y)
    return [calls(jitted), calls(eager)]


def test_a_call_skips_what_tracing_did(python: PagePython) -> None:
    jitted, eager = python.call(overhead)
    assert jitted * 10 < eager, (jitted, eager)
