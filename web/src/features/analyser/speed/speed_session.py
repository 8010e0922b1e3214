"""Times of the whole model: warm-up, sizes of its input, memory, and calls for comparisons."""

from collections.abc import Sequence
from statistics import median
from time import perf_counter
from typing import Any

from analyser_session import AnalyserSession
from context_loss import is_loss
from gpu_fence import gpu_done
from input_shapes import example_input, open_sides
from pyodide.ffi import to_js

import py_tensor as pt

ROUNDS = 7


class SpeedSession:
    """Measures the model of the page."""

    def __init__(self, session: AnalyserSession, input_session: Any, output: Any) -> None:
        self._session = session
        self._input = input_session
        self._output = output
        self._pixels: dict[int, bytes] = {}
        self._inputs: dict[str, pt.Tensor] = {}

    async def warm_up(self) -> dict[str, Any]:
        """Compile the model for the present input, and return milliseconds."""
        session = self._session

        def progress(done: int, total: int) -> None:
            session.send("compiling", {"done": done, "total": total})

        start = perf_counter()
        await session.model.warmup(*session.inputs.values(), progress=progress)
        compiled = perf_counter()
        await self._run(session.inputs)
        return {
            "compileMs": (compiled - start) * 1e3,
            "firstMs": (perf_counter() - compiled) * 1e3,
        }

    def memory(self) -> dict[str, Any]:
        """Return the memory in use on the GPU, in bytes, and the number of tensors and programs."""
        memory = pt.memory()
        return {
            "gpuBytes": memory.num_bytes_in_gpu,
            "pooledBytes": memory.num_bytes_in_gpu_free,
            "tensors": memory.num_tensors,
            "programs": memory.num_programs,
        }

    def has_open_sides(self) -> bool:
        """Return True if the first input is an image of any height and width."""
        infos = self._session.model.inputs
        return bool(infos) and bool(open_sides(infos[0].shape or ()))

    async def sizes(self, sides: Sequence[int]) -> list[dict[str, Any]]:
        """Run the model on images of several sizes in alternating rounds; return median times.

        `picture` is the height and width of the output, if the task of the model has pictures.
        """
        session = self._session
        first, *further = session.model.inputs
        rest = {info.name: session.inputs[info.name] for info in further}
        inputs: dict[int, dict[str, pt.Tensor]] = {}
        matrices: dict[int, pt.Tensor] = {}
        for side in sides:
            shape = list(session.inputs[first.name].shape)
            for at in open_sides(first.shape or ()):
                shape[at] = side
            prepared = self._input.sized(side)
            if prepared is None:
                x = example_input(first, shape)
            else:
                x, matrices[side] = prepared
            inputs[side] = {first.name: x, **rest}
        times: dict[int, list[float]] = {side: [] for side in sides}
        failures: dict[int, str] = {}
        for number in range(ROUNDS + 1):
            for side in sides:
                if side in failures:
                    continue
                try:
                    took = await self._run(inputs[side])
                except pt.errors.TensorError as error:
                    if is_loss(error):
                        raise
                    failures[side] = str(error)
                    continue
                # The first round compiles.
                if number:
                    times[side].append(took)
        shapes: dict[int, list[int]] = {}
        for side in matrices.keys() - failures.keys():
            outputs = session.model.run(inputs[side])
            x = inputs[side][first.name]
            picture = await self._output.picture_of(outputs, matrices[side], x)
            if picture is not None:
                shapes[side] = [*picture.shape[:2]]
                self._pixels[side] = await pt.to_pixels(picture)
        return [
            {
                "side": side,
                "failure": failures.get(side),
                "times": times[side],
                "median": median(times[side]) if times[side] else None,
                "picture": shapes.get(side),
            }
            for side in sides
        ]

    def pixels(self, side: int) -> Any:
        """Return the RGBA bytes of the picture of this size, once."""
        return to_js(memoryview(self._pixels.pop(side)))

    # --- comparisons with other libraries ---------------------------------------------------------

    def described(self) -> list[dict[str, Any]]:
        """Return names, shapes and dtypes of the present inputs."""
        return [
            {"name": name, "shape": list(x.shape), "dtype": x.dtype.name}
            for name, x in self._session.inputs.items()
        ]

    def give(self, arrays: Sequence[memoryview]) -> None:
        """Set the inputs of `call` and `values`, in the order of the model's inputs."""
        self._inputs = {
            name: pt.asarray(array.cast("B").cast(array.format, list(x.shape)), x.dtype)
            for (name, x), array in zip(self._session.inputs.items(), arrays, strict=True)
        }

    async def call(self) -> float:
        """Return milliseconds of a call that ends with reading all outputs."""
        start = perf_counter()
        for result in self._session.model.run(self._inputs).values():
            await result.data()
        return (perf_counter() - start) * 1e3

    async def values(self) -> Any:
        """Return all outputs as typed arrays."""
        outputs = self._session.model.run(self._inputs).values()
        views = [memoryview(await output.data()) for output in outputs]
        return to_js([to_js(view.cast("B").cast(view.format)) for view in views])

    async def _run(self, inputs: dict[str, pt.Tensor]) -> float:
        start = perf_counter()
        outputs = self._session.model.run(inputs)
        pt.realize(*outputs.values())
        await gpu_done()
        return (perf_counter() - start) * 1e3
