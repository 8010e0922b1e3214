"""py_tensor in the benchmark: prepare workloads and run rounds of repetitions."""

import json
from inspect import iscoroutinefunction
from time import perf_counter

import bench_host
import kernel_workloads  # noqa: F401  (adds its workloads)
from pyodide.ffi import to_js
from workloads import WORKLOADS

import py_tensor as pt


def version():
    return pt.__version__


def has(operation):
    return operation in WORKLOADS


def prepare(workload, arrays, canvas, backend=None):
    """Prepare a workload from its description as JSON and its inputs as typed arrays."""
    return Measured(json.loads(workload), arrays, canvas, backend)


class Measured:
    """A workload with its inputs on the device."""

    def __init__(self, workload, arrays, canvas, backend):
        self.backend = backend
        self.choose()
        views = [array.to_memoryview() for array in arrays]
        inputs = [
            view.cast("B").cast(view.format, spec["shape"])
            for view, spec in zip(views, workload["inputs"], strict=True)
        ]
        if not workload.get("onHost"):
            inputs = [pt.asarray(view) for view in inputs]
        options = workload.get("options", {})
        if workload["operation"] == "draw":
            options["canvas"] = canvas
        self.canvas = canvas
        self.step = WORKLOADS[workload["operation"]](*inputs, **options)
        self.asynchronous = iscoroutinefunction(self.step)
        self.resident = pt.ones((4,)) + 1.0
        pt.realize(self.resident)

    def choose(self):
        """Compute on the backend of this workload from now on."""
        if self.backend:
            pt.set_backend(self.backend)

    def drain(self):
        """Wait until the device has executed all commands."""
        self.choose()
        self.resident[0].item()

    def finish(self, result):
        """Wait for a result by reading one element or pixel."""
        if isinstance(result, pt.Tensor):
            result[(0,) * result.ndim].item()
        elif result is self.canvas:
            bench_host.firstPixel(self.canvas)

    def round(self, repetitions):
        """Return milliseconds of the repetitions, including the read of one element of the last."""
        step = self.step
        self.drain()
        start = perf_counter()
        result = None
        for _ in range(repetitions):
            # As in TensorFlow.js, a result is freed before the next one is computed.
            del result
            result = step()
            if isinstance(result, pt.Tensor):
                pt.realize(result)
        self.finish(result)
        return (perf_counter() - start) * 1e3

    async def round_async(self, repetitions):
        """Return milliseconds of the repetitions of a step that reads its values itself."""
        step = self.step
        self.drain()
        start = perf_counter()
        for _ in range(repetitions):
            await step()
        return (perf_counter() - start) * 1e3

    def values(self):
        """Return all values of one repetition."""
        self.choose()
        return self.flat(self.step())

    async def values_async(self):
        return self.flat(await self.step())

    def flat(self, result):
        if result is self.canvas:
            return bench_host.pixels(self.canvas)
        view = memoryview(result)
        return to_js(view.cast("B").cast(view.format))
