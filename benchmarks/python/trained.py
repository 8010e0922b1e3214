"""Trained models in py_tensor."""

import json
from asyncio import gather
from time import perf_counter

from pyodide.ffi import to_js

import py_tensor as pt


async def load(url, shapes, backend=None):
    """Load a model, given the shapes of its inputs as JSON; null for declared ones."""
    choose(backend)
    start = perf_counter()
    model = await pt.models.load(url, cache=False)
    return Trained(model, json.loads(shapes), (perf_counter() - start) * 1e3, backend)


def choose(backend):
    if backend:
        pt.set_backend(backend)


class Trained:
    """A loaded model with its inputs."""

    def __init__(self, model, shapes, milliseconds, backend):
        self.backend = backend
        self.asynchronous = backend == "webgpu"
        self.model = model
        self.milliseconds = milliseconds
        # Open dimensions are batches of one, unless shapes are given.
        declared = [
            [length if isinstance(length, int) and length > 0 else 1 for length in info.shape]
            for info in model.inputs
        ]
        self.shapes = shapes or declared

    def described(self):
        """Return names, shapes and dtypes of the inputs as JSON."""
        return json.dumps(
            [
                {"name": info.name, "shape": shape, "dtype": str(info.dtype)}
                for info, shape in zip(self.model.inputs, self.shapes, strict=True)
            ]
        )

    def give(self, arrays):
        """Take the inputs as typed arrays."""
        choose(self.backend)
        self.inputs = []
        for info, shape, array in zip(self.model.inputs, self.shapes, arrays, strict=True):
            view = array.to_memoryview()
            self.inputs.append(pt.asarray(view.cast("B").cast(view.format, shape), info.dtype))

    def results(self):
        choose(self.backend)
        results = self.model(*self.inputs)
        return results if isinstance(results, tuple) else (results,)

    def run(self):
        """Return milliseconds of a call that ends with reading all outputs."""
        start = perf_counter()
        for result in self.results():
            memoryview(result)
        return (perf_counter() - start) * 1e3

    async def run_async(self):
        """Return milliseconds as `run` does, without blocking reads."""
        start = perf_counter()
        await gather(*(result.data() for result in self.results()))
        return (perf_counter() - start) * 1e3

    def values(self):
        """Return all outputs as a list of typed arrays."""
        return flat([memoryview(result) for result in self.results()])

    async def values_async(self):
        return flat(await gather(*(result.data() for result in self.results())))


def flat(views):
    return to_js([to_js(view.cast("B").cast(view.format)) for view in views])
