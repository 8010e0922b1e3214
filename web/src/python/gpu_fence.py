"""Wait for the GPU."""

import py_tensor as pt


async def gpu_done() -> None:
    """Return when the GPU has finished all work submitted so far."""
    # The GPU executes commands in order, and more than 16 elements are not computed by Python.
    marker = pt.arange(64) + 1
    pt.realize(marker)
    await marker.data()
