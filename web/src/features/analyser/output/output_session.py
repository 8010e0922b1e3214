"""The outputs of the model: decoded and drawn after each run, and shown as numbers."""

import math
from typing import Any

from context_loss import is_loss
from findings import Findings, Scene, painted
from tasks import decoded

import py_tensor as pt
from py_tensor.runtime.executor import backend

SHOWN = 200
"""Numbers of an output in its table."""
BINS = 32


class OutputSession:
    """Draws what the model found to a canvas."""

    def __init__(self, session: Any, input_session: Any) -> None:
        self._session = session
        self._input = input_session
        self._canvas: Any = None
        self._way = "texture"
        self._pixels: tuple[bytes, int, int] | None = None

    def canvas(self, canvas: Any) -> None:
        """Set the canvas to draw on."""
        self._canvas = canvas

    def begin(self, way: str) -> None:
        """Present outputs of the new model: "texture" draws them, "read" reads the pixels first."""
        self._way, self._pixels = way, None
        self._session.present = self.present

    async def present(self, outputs: dict[str, pt.Tensor]) -> None:
        """Decode the outputs, draw them, and send the findings to the page."""
        source = self._input
        x = self._session.inputs.get(source.input_name)
        scene = self._scene(outputs, source.matrix, x)
        before = _reads()
        problem = ""
        findings = Findings()
        if source.kind == "numbers" or source.task == "raw" or self._has_input():
            try:
                findings = await decoded(source.task, scene)
            except (
                ValueError,
                StopIteration,
                KeyError,
                AssertionError,
                pt.errors.TensorError,
            ) as error:
                if is_loss(error):
                    raise
                problem = str(error) or f"{source.task}: the outputs have other shapes"
        picture = source.view if findings.picture is None else findings.picture
        findings.picture = None
        if picture is not None and self._canvas is not None:
            await self._show(painted(picture, findings))
        height, width = (0, 0) if picture is None else picture.shape[:2]
        self._session.send(
            "modelOutput",
            {
                "task": source.task,
                "width": width,
                "height": height,
                "bars": findings.bars,
                "labels": findings.labels,
                "texts": findings.texts,
                "tables": findings.tables,
                "notes": findings.notes,
                "reads": _reads() - before,
                "problem": problem,
                "outputs": [[name, [*output.shape]] for name, output in outputs.items()],
            },
        )

    def _has_input(self) -> bool:
        source = self._input
        if source.kind == "text":
            return bool(source.text.is_ready)
        return source.kind == "sound" or source.matrix is not None

    async def _show(self, picture: pt.Tensor) -> None:
        """Draw the picture's texture, or read the pixels for the page to draw."""
        if self._way == "texture":
            pt.draw(picture, self._canvas)
            return
        height, width = picture.shape[:2]
        self._pixels = (await pt.to_pixels(picture), height, width)

    def pixels(self) -> Any:
        """Return the pixels that were read last, as RGBA bytes, or nothing."""
        if self._pixels is None:
            return None
        from pyodide.ffi import to_js

        return to_js(memoryview(self._pixels[0]))

    async def picture_of(
        self, outputs: dict[str, pt.Tensor], matrix: pt.Tensor, x: pt.Tensor
    ) -> pt.Tensor | None:
        """Return the picture that outputs for an input make, or None if they make none."""
        source = self._input
        if source.task == "raw":
            return None
        findings = await decoded(source.task, self._scene(outputs, matrix, x))
        return painted(source.view if findings.picture is None else findings.picture, findings)

    def _scene(
        self, outputs: dict[str, pt.Tensor], matrix: pt.Tensor | None, x: pt.Tensor | None
    ) -> Scene:
        size = (1, 1)
        if x is not None and x.ndim == 4:
            size = x.shape[2:4] if x.shape[3] not in (1, 3, 4) else x.shape[1:3]
        source = self._input
        text = source.text if source.kind == "text" and source.text.is_ready else None
        return Scene(
            outputs, source.view, matrix, size, source.frames, source.helpers, source.labels, text
        )

    # --- numbers ----------------------------------------------------------------------------------

    async def numbers(self, name: str) -> dict[str, Any] | None:
        """Return the first numbers of an output, its histogram and some statistics.

        None for an output of a model that was replaced meanwhile.
        """
        output = self._session.outputs.get(name)
        if output is None:
            return None
        flat = output.reshape((-1,)).astype("float32")
        finite = pt.isfinite(flat)
        kept = pt.where(finite, flat, 0.0)
        low, high = (pt.where(finite, flat, limit) for limit in (math.inf, -math.inf))
        low, high = pt.min(low), pt.max(high)
        width = pt.maximum(high - low, 1e-30)
        bins = pt.clip(pt.floor((kept - low) / width * BINS), 0, BINS - 1).astype("int32")
        counts = pt.bincount(pt.where(finite, bins, BINS), minlength=BINS + 1)
        mean = pt.sum(kept) / pt.maximum(pt.sum(finite.astype("float32")), 1.0)
        spread = pt.sqrt(pt.mean(pt.where(finite, (kept - mean) ** 2, 0.0)))
        few = flat[:SHOWN]
        table = pt.stack([low, high, mean, spread])
        pt.realize(few, table, counts)
        smallest, largest, center, deviation = _list(await table.data())
        histogram = _list(await counts.data())
        return {
            "shape": [*output.shape],
            "dtype": output.dtype.name,
            "values": [_number(value) for value in _list(await few.data())],
            "low": _number(smallest),
            "high": _number(largest),
            "mean": _number(center),
            "deviation": _number(deviation),
            "histogram": histogram[:BINS],
            "notFinite": histogram[BINS],
        }

    async def values(self, name: str, of: str) -> Any:
        """Return all float32 values of an input ("input") or output ("output") as bytes."""
        from pyodide.ffi import to_js

        tensor = (self._session.inputs if of == "input" else self._session.outputs)[name]
        data = tensor.astype("float32").reshape((-1,))
        pt.realize(data)
        return to_js(memoryview(bytes(memoryview(await data.data()).cast("B"))))

    def exported(self) -> Any:
        """Return the bytes of an ONNX file of the model, for the shapes of the present inputs."""
        from pyodide.ffi import to_js

        session = self._session
        return to_js(
            pt.models.to_onnx(
                session.model,
                *session.inputs.values(),
                input_names=[*session.inputs],
                output_names=[info.name for info in session.model.outputs],
            )
        )

    def shapes(self) -> dict[str, Any]:
        """Return shapes and dtypes of the present inputs and outputs."""
        return {
            kind: {name: [[*x.shape], x.dtype.name] for name, x in tensors.items()}
            for kind, tensors in (
                ("inputs", self._session.inputs),
                ("outputs", self._session.outputs),
            )
        }


def _reads() -> int:
    """Return how often anything was read from the GPU so far."""
    return backend().statistics().get("reads", 0)


def _list(values: Any) -> list[Any]:
    return values.tolist() if hasattr(values, "tolist") else list(values)


def _number(value: float) -> float | str:
    """Return a number that JSON can hold, or its text."""
    return value if math.isfinite(value) else str(value)
