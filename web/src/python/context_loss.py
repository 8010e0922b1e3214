"""Repeat work whose tensors were lost with the WebGL context or the WebGPU device."""

import asyncio
from collections.abc import Awaitable, Callable
from time import perf_counter

from awaiting import awaited
from gpu_fence import gpu_done

import py_tensor as pt

RESTORE_SECONDS = 60.0
"""Time that the browser has to restore the context or to give another device."""
PAUSE_SECONDS = 0.1
ATTEMPTS = 3


async def surviving[T](work: Callable[[], Awaitable[T]], recover: Callable[[], object]) -> T:
    """Return the result of `work`.

    If the GPU is lost meanwhile, or was lost before, wait until the browser gives it back, call
    `recover`, which creates the lost tensors again, and repeat the work. Both may meet another
    loss.
    """
    attempt = work

    async def recovered() -> T:
        await awaited(recover())
        return await work()

    for _ in range(ATTEMPTS):
        try:
            return await attempt()
        except pt.errors.BackendError as error:
            await _restored(error)
            attempt = recovered
    return await attempt()


def is_loss(error: Exception) -> bool:
    """Return True if an error says that the GPU, or a tensor with it, was lost."""
    return isinstance(error, pt.errors.BackendError) and "lost" in str(error)


async def _restored(loss: pt.errors.BackendError) -> None:
    """Wait until the GPU computes; raise the last error if it does not."""
    if not is_loss(loss):
        raise loss
    end = perf_counter() + RESTORE_SECONDS
    while True:
        try:
            return await gpu_done()
        except pt.errors.BackendError:
            if perf_counter() > end:
                raise
            await asyncio.sleep(PAUSE_SECONDS)
