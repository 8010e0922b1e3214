"""The model of the page, its present input, and its last outputs."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from time import perf_counter
from typing import Any

from awaiting import awaited
from context_loss import is_loss
from file_kinds import found_in
from gpu_fence import gpu_done
from input_shapes import example_inputs, example_shapes
from model_description import describe
from weights_alone import weights_in

import py_tensor as pt

Tensors = dict[str, pt.Tensor]
_NOT_ONNX = "not a valid ONNX file"


class AnalyserSession:
    """Holds the loaded model and runs it.

    The parts of the page share it:

    - `model` is the loaded model, or None.
    - `inputs` has the present input: a dict of tensors by name. Until a part sets it, these are
      random numbers in shapes that `example_shapes` chooses.
    - `prepare`, if set, is called at the beginning of each run; it sets `inputs`.
    - `present`, if set, is called with the outputs at the end of each run, to draw them.
    - `outputs` has the outputs of the last run.
    - `on_loss` has functions that create tensors again that a part lost with the GPU.
    """

    def __init__(self, page: Any) -> None:
        self._page = page
        self._loading: asyncio.Task[Any] | None = None
        self._bytes_read = 0
        self._load_ms = 0.0
        self.source: Any = None
        """Address or files of the model."""
        self._shapes: dict[str, list[int]] = {}
        self.lock = asyncio.Lock()
        self.model: Any = None
        self.inputs: Tensors = {}
        self.outputs: Tensors = {}
        self.prepare: Callable[[], Awaitable[None] | None] | None = None
        self.present: Callable[[Tensors], Awaitable[None] | None] | None = None
        self.on_loss: list[Callable[[], Awaitable[None] | None]] = []

    def send(self, event: str, value: Any) -> None:
        """Send an event to the page."""
        self._page.send(event, json.dumps(value))

    # --- loading ----------------------------------------------------------------------------------

    async def load(self, source: Any) -> dict[str, Any]:
        """Load a model and return its description, or what was found instead and why it failed.

        `source` is a URL, or a dict of files by name. If it cannot be loaded, the model before
        stays.
        """
        start = perf_counter()
        try:
            model = await self._loaded(source)
        except (pt.errors.TensorError, MemoryError, OSError) as error:
            if is_loss(error):
                raise
            reason = str(error) or type(error).__name__
            weights = await weights_in(source) if isinstance(error, pt.errors.ModelError) else []
            found, advice = await found_in(source)
            if advice and _NOT_ONNX in reason:
                # A file that no reader knows is read as ONNX, whose fields say nothing about it.
                reason = f"load: file is not a model; got {found}; {advice}"
            return {"problem": {"found": found, "reason": reason, "weights": weights}}
        self._load_ms = (perf_counter() - start) * 1e3
        self.inputs, self.outputs, self.prepare, self.present = {}, {}, None, None
        self.source = source
        self._replace(model)
        return self.reshape(example_shapes(model))

    def _replace(self, model: Any) -> None:
        if self.model is not None:
            self.model.dispose()
        self.model = model

    def reshape(self, shapes: Mapping[str, list[int]]) -> dict[str, Any]:
        """Use random inputs of these shapes, and describe the model for them."""
        self.prepare = None
        self._shapes = {name: [*shape] for name, shape in shapes.items()}
        self._use_examples()
        return {
            **describe(self.model, self._shapes),
            "bytesRead": self._bytes_read,
            "loadMs": self._load_ms,
        }

    def _use_examples(self) -> None:
        self.inputs = example_inputs(self.model, self._shapes)

    async def recover(self) -> None:
        """Load the model again, and create its input and outputs again, after a lost context."""
        if self.model is None:
            return
        try:
            self._replace(await self._loaded(self.source))
        except (pt.errors.TensorError, OSError) as error:
            if is_loss(error):
                raise
            raise RuntimeError(
                "recover: the browser reset the GPU, and the model cannot be loaded again; "
                f"got {error}; open it again"
            ) from error
        self._use_examples()
        for restore in self.on_loss:
            await awaited(restore())
        if self.prepare is not None:
            await awaited(self.prepare())
        if self.outputs:
            self.outputs = self.model.run(self.inputs)
        self.send("recovered", {"section": "analyser", "epoch": 0})

    async def _loaded(self, source: Any) -> Any:
        def progress(done: int, total: int | None, name: str) -> None:
            self._bytes_read = done
            self.send("modelProgress", {"done": done, "total": total, "name": name})

        self._loading = asyncio.current_task()
        try:
            model = await pt.models.load(source, progress=progress)
        finally:
            self._loading = None
        if isinstance(model, pt.models.Model):
            return model
        raise pt.errors.ModelError(
            f"load: file has a module without a graph; got {type(model).__name__} of pt.nn; load "
            "it in Python with pt.models.load, or export it with pt.models.to_onnx"
        )

    def cancel(self) -> None:
        """Stop loading."""
        if self._loading is not None:
            self._loading.cancel()

    # --- running ----------------------------------------------------------------------------------

    async def run(self) -> dict[str, float]:
        """Run the model on the present input and return the milliseconds of each stage."""
        if self.model is None:
            raise RuntimeError("run: no model is loaded; open one first")
        started = perf_counter()
        if self.prepare is not None:
            await awaited(self.prepare())
            await gpu_done()
        prepared = perf_counter()
        self.outputs = self.model.run(self.inputs)
        pt.realize(*self.outputs.values())
        await gpu_done()
        computed = perf_counter()
        if self.present is not None:
            await awaited(self.present(self.outputs))
            await gpu_done()
        end = perf_counter()
        return {
            "input": (prepared - started) * 1e3,
            "model": (computed - prepared) * 1e3,
            "output": (end - computed) * 1e3,
            "total": (end - started) * 1e3,
        }
