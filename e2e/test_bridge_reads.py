"""Test that results of one run are read together once the last run's were all read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from bridge_page import (
    DOUBLE,
    FLOAT32,
    assert_stats,
    draw_words,
    plan_words,
    read_floats,
    run_words,
    upload_floats,
)
from playwright.sync_api import Page
from playwright_bridge import PlaywrightBridge

pytest_plugins = ["bridge_fixtures"]

SPY = """() => {
  const { prototype } = WebGL2RenderingContext;
  const { getBufferSubData } = prototype;
  globalThis.together = 0;
  prototype.getBufferSubData = function (...given) {
    together += 1;
    return getBufferSubData.apply(this, given);
  };
  globalThis.unspy = () => Object.assign(prototype, { getBufferSubData });
}"""
FIRST, SECOND, THIRD = 11, 12, 13
VALUES = [1.0, -2.0, 3.5, 0.0]


@pytest.fixture
def page(bridge_page: Page) -> Iterator[Page]:
    bridge_page.evaluate(SPY)
    yield bridge_page
    bridge_page.evaluate("unspy()")


@pytest.fixture
def three(bridge: PlaywrightBridge) -> PlaywrightBridge:
    """Bridge whose plan 1 gives buffer 1 times 2, 4 and 8."""
    bridge.program(1, "double", DOUBLE)
    draws = [draw_words(1, number + 1, (1, 1), [number]) for number in range(3)]
    bridge.plan(1, plan_words(1, [(FLOAT32, 1, 1, 0)] * 3, draws))
    upload_floats(bridge, 1, VALUES)
    return bridge


def run(bridge: PlaywrightBridge, factor: float = 1.0) -> None:
    """Run the plan for buffer 1 times a factor, after freeing earlier results."""
    for handle in (1, FIRST, SECOND, THIRD):
        bridge.free(handle)
    upload_floats(bridge, 1, [factor * value for value in VALUES])
    bridge.run(1, run_words(bridge, [1, FIRST, SECOND, THIRD]))


def times(factor: float) -> list[float]:
    return [factor * value for value in VALUES]


def test_results_that_were_all_read_are_read_together(three: PlaywrightBridge, page: Page) -> None:
    for number in range(1, 5):
        run(three, number)
        assert read_floats(three, FIRST, 4) == times(2 * number)
        assert read_floats(three, SECOND, 4) == times(4 * number)
        assert read_floats(three, THIRD, 4) == times(8 * number)
        assert page.evaluate("together") == number - 1
    assert_stats(three, reads=12)


def test_each_order_gives_the_same_values(three: PlaywrightBridge, page: Page) -> None:
    run(three)
    for handle in (FIRST, SECOND, THIRD):
        read_floats(three, handle, 4)
    run(three, 5)
    assert read_floats(three, THIRD, 3) == times(40)[:3]
    assert read_floats(three, FIRST, 4) == times(10)
    assert read_floats(three, SECOND, 1) == times(20)[:1]
    assert page.evaluate("together") == 1
    assert read_floats(three, SECOND, 4) == times(20)


def test_a_result_that_is_no_longer_read_is_left_out(three: PlaywrightBridge, page: Page) -> None:
    run(three)
    for handle in (FIRST, SECOND, THIRD):
        read_floats(three, handle, 4)
    for number, expected in ((2, 1), (3, 1), (4, 1)):
        run(three, number)
        assert read_floats(three, SECOND, 4) == times(4 * number)
        assert page.evaluate("together") == expected


def test_freed_results_are_left_out(three: PlaywrightBridge, page: Page) -> None:
    run(three)
    for handle in (FIRST, SECOND, THIRD):
        read_floats(three, handle, 4)
    run(three, 3)
    three.free(SECOND)
    three.free(THIRD)
    assert read_floats(three, FIRST, 4) == times(6)
    assert page.evaluate("together") == 0
    # Another buffer takes the texture of a result that was read ahead and freed.
    run(three, 7)
    assert read_floats(three, FIRST, 4) == times(14)
    three.free(FIRST)
    upload_floats(three, FIRST, [9.0])
    assert read_floats(three, FIRST, 1) == [9.0]


def test_reads_after_a_loss(three: PlaywrightBridge, page: Page) -> None:
    for _ in range(2):
        run(three)
        for handle in (FIRST, SECOND, THIRD):
            read_floats(three, handle, 4)
    three.flush()
    three.lose_context()
    assert three.is_lost()
    three.restore_context()
    run(three, 2)
    for handle, factor in ((FIRST, 4), (SECOND, 8), (THIRD, 16)):
        assert read_floats(three, handle, 4) == times(factor)
    assert page.evaluate("together") == 2


def test_asynchronous_reads(three: PlaywrightBridge, page: Page) -> None:
    for number in range(1, 4):
        run(three, number)
        for handle, factor in ((FIRST, 2), (SECOND, 4), (THIRD, 8)):
            target = bytearray(16)
            with pytest.raises(StopIteration):
                three.read_async(handle, target).__await__().__next__()
            assert memoryview(target).cast("f").tolist() == times(factor * number)
        assert page.evaluate("together") == number - 1
