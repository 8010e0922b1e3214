"""py_tensor in the benchmark: prepare workloads and run rounds of repetitions."""

import json
from inspect import isawaitable, iscoroutinefunction
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


async def ready(backend):
    """Set up a backend that needs to be waited for."""
    if backend == "webgpu":
        await pt.ready(backend)


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
        self.start(WORKLOADS[workload["operation"]](*inputs, **options), canvas)

    def start(self, step, canvas):
        """Measure a function of one repetition."""
        self.step = step
        self.canvas = canvas
        self.asynchronous = iscoroutinefunction(step) or self.backend == "webgpu"
        self.on_gpu = pt.get_backend() in ("webgl", "webgpu")
        self.thread_ms = None
        # More elements than are evaluated on the host.
        self.resident = pt.ones((64,)) + 1.0
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
        self.submitted(start)
        self.finish(result)
        return (perf_counter() - start) * 1e3

    async def round_async(self, repetitions):
        """Return milliseconds as `round` does, without blocking reads.

        A step may read its values itself.
        """
        step = self.step
        self.choose()
        await self.resident[0].data()
        start = perf_counter()
        result = None
        for _ in range(repetitions):
            del result
            result = step()
            if isinstance(result, pt.Tensor):
                pt.realize(result)
            elif isawaitable(result):
                await result
        if isinstance(result, pt.Tensor):
            self.submitted(start)
            await result[(0,) * result.ndim].data()
        return (perf_counter() - start) * 1e3

    def submitted(self, start):
        """Remember the time from the start of a round until all its work was submitted."""
        if self.on_gpu:
            self.thread_ms = (perf_counter() - start) * 1e3

    def values(self):
        """Return all values of one repetition."""
        self.choose()
        return self.flat(self.step())

    async def values_async(self):
        self.choose()
        result = self.step()
        return self.flat(await (result.data() if isinstance(result, pt.Tensor) else result))

    def flat(self, result):
        if result is self.canvas:
            return bench_host.pixels(self.canvas)
        view = memoryview(result)
        return to_js(view.cast("B").cast(view.format))
