"""Look into single layers: weights, filters, activations, time, kernels and shaders."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from analyser_session import AnalyserSession
from feature_maps import filters_of, maps_of, picture
from json_numbers import finite

import py_tensor as pt

BINS = 40
MEASURED = 3
"""Times that a layer is measured; the least time is reported."""


class LayersSession:
    """Runs the model up to a layer, and describes that layer."""

    def __init__(self, session: AnalyserSession) -> None:
        self._session = session
        self._canvases: dict[str, Any] = {}
        self._model: Any = None
        self._outputs: list[tuple[str, ...]] = []

    def canvases(self, activations: Any, filters: Any) -> None:
        """Set the canvases on which activations and filters are drawn."""
        self._canvases = {"activations": activations, "filters": filters}

    def times(self) -> list[float | None]:
        """Return the milliseconds of each layer alone; None for those computed at load."""
        session = self._session
        best: dict[str, float] = {}
        for _ in range(MEASURED):
            steps = session.model.run_layers(session.inputs)
            while True:
                profile = pt.profile(lambda steps=steps: next(steps, None))
                if profile.result is None:
                    break
                layer, _ = profile.result
                # The first run also compiles shaders.
                took = _milliseconds(profile)
                best[layer.name] = min(took, best.get(layer.name, took))
        return [best.get(layer.name) for layer in session.model.layers]

    def show(self, index: int) -> dict[str, Any]:
        """Describe a layer for the present input, and draw its filters and activations."""
        layer = self._session.model.layers[index]
        profile, results = self._run_alone(layer)
        return {
            "weights": self._weights(layer),
            "filters": self._filters(layer),
            "activations": self._draw_activations(results),
            "milliseconds": None if profile is None else _milliseconds(profile),
            "timer": None if profile is None else profile.timer,
            "kernels": [] if profile is None else [*map(_kernel, profile.kernels)],
        }

    def activations(self, index: int) -> list[dict[str, Any]]:
        """Draw the activations of a layer for the present input, and describe them."""
        names = [name for name in self._session.model.layers[index].outputs if name]
        results = self._session.model.run(self._session.inputs, outputs=names)
        return self._draw_activations(results)

    def _run_alone(self, layer: Any) -> tuple[Any, Mapping[str, Any]]:
        """Run the model up to a layer, and profile it; None if it is computed at load."""
        session, order = self._session, self._order()
        if layer.outputs not in order:
            return None, {}
        # The first profile also compiles the layer's shaders.
        for _ in range(2):
            steps = session.model.run_layers(session.inputs)
            for _ in islice(steps, order.index(layer.outputs)):
                pass
            profile = pt.profile(lambda steps=steps: next(steps))
        return profile, profile.result[1]

    def _order(self) -> list[tuple[str, ...]]:
        """Return the outputs of the layers in the order in which they run."""
        session = self._session
        if self._model is not session.model:
            steps = session.model.run_layers(session.inputs)
            self._model, self._outputs = session.model, [layer.outputs for layer, _ in steps]
        return self._outputs

    def _weights(self, layer: Any) -> list[dict[str, Any]]:
        return [_weight(name, weight) for name, weight in self._stored(layer).items()]

    def _stored(self, layer: Any) -> dict[str, pt.Tensor]:
        """Return the weights that a layer reads, also those that a cast or copy passes to it."""
        model = self._session.model
        known = model.state_dict()
        makers = {name: other for other in model.layers for name in other.outputs}
        stored: dict[str, pt.Tensor] = {}
        for name in layer.inputs:
            while name not in known and name in makers and len(makers[name].inputs) == 1:
                name = makers[name].inputs[0]
            if name in known:
                stored[name] = known[name]
        return stored

    def _filters(self, layer: Any) -> str | None:
        """Draw the filters of a convolution; return what they show, or None without filters."""
        format = self._session.model.format
        for weight in self._stored(layer).values():
            maps, shown = filters_of(weight, layer.operator, format)
            if maps is not None:
                pt.draw(picture(maps), self._canvases["filters"])
                return f"{maps.shape[0]} filters of {_size(maps)} {shown}".strip()
        return None

    def _draw_activations(self, results: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Describe results, and draw the first one that has maps."""
        descriptions: list[dict[str, Any]] = []
        drawn = False
        for name in results:
            value = results[name]
            if not isinstance(value, pt.Tensor):
                descriptions.append({"name": name, "shape": type(value).__name__, "maps": None})
                continue
            about = {"name": name, "shape": f"{value.shape} {value.dtype}", "maps": None}
            maps = None if drawn else maps_of(value, self._session.model.format)
            if maps is not None:
                pt.draw(picture(maps), self._canvases["activations"])
                about["maps"] = f"{maps.shape[0]} maps of {_size(maps)}"
                drawn = True
            elif value.dtype.kind in "fiu" and 1 < value.size <= 100_000 and not drawn:
                numbers = value.reshape((-1,)).astype("float32")
                about["plot"] = pt.plot.line(numbers, height=180)._repr_html_()
            elif value.size == 1:
                about["value"] = f"{value.reshape(()).item():.6g}"
            descriptions.append(about)
        return descriptions


def _milliseconds(profile: Any) -> float:
    return profile.wall_ms if profile.kernel_ms is None else profile.kernel_ms


def _kernel(kernel: Any) -> dict[str, Any]:
    return {
        "name": kernel.name,
        "operations": " ".join(dict.fromkeys(kernel.operations)),
        "inputs": [*map(list, kernel.input_shapes)],
        "output": list(kernel.output_shape),
        "milliseconds": kernel.ms,
        "bytes": kernel.nbytes,
        "shader": kernel.shader,
    }


def _weight(name: str, weight: pt.Tensor) -> dict[str, Any]:
    values = weight.astype("float32")
    numbers = [pt.amin(values), pt.amax(values), pt.mean(values), pt.std(values)]
    low, high, mean, std = finite(pt.stack(numbers).tolist())
    plot = ""
    if weight.size > 1 and low is not None and high is not None:
        plot = pt.plot.histogram(values, BINS, height=160, width=420)._repr_html_()
    return {
        "name": name,
        "shape": f"{weight.shape} {weight.dtype}",
        "low": low,
        "high": high,
        "mean": mean,
        "std": std,
        "plot": plot,
    }


def _size(maps: pt.Tensor) -> str:
    return f"{maps.shape[1]} by {maps.shape[2]}"
