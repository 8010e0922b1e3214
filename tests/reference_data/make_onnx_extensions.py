"""Write results of ONNX Runtime for operators of the domain com.microsoft.

Those of language models are in onnx_language_models.json, others in onnx_extensions.json.

Run with a Python that has onnx and onnxruntime: python make_onnx_extensions.py
"""

import base64
import json
from functools import partial
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import helper

rng = np.random.default_rng(0)
CASES = []


def floats(*shape):
    return rng.normal(size=shape).astype("float32")


def small(*shape):
    return rng.integers(0, 255, size=shape).astype("uint8")


def packed(array):
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"dtype": array.dtype.name, "shape": array.shape, "data": data}


def case(operator, *inputs, outputs=1, kept=None, domain="com.microsoft", **attributes):
    arrays = {f"i{at}": np.asarray(x) for at, x in enumerate(inputs) if x is not None}
    names = ["" if x is None else f"i{at}" for at, x in enumerate(inputs)]
    results = [f"o{at}" for at in range(outputs)]
    node = helper.make_node(operator, names, results, domain=domain, **attributes)
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for name, x in arrays.items()
    ]
    outs = [helper.make_empty_tensor_value_info(name) for name in results]
    graph = helper.make_graph([node], operator, infos, outs)
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    CASES.append(
        {
            "operator": f"{domain}.{operator}" if domain else operator,
            "model": base64.b64encode(model).decode(),
            "inputs": {name: packed(x) for name, x in arrays.items()},
            "outputs": [packed(x) for x in session.run(None, arrays)[:kept]],
        }
    )


x, zero = floats(2, 5, 8), np.uint8(120)
scale = [np.float32(number) for number in (0.1, 0.2, 0.15, 0.05, 0.5, 1 / 255)]
mask = np.int32([[1, 1, 1, 0, 0], [1] * 5])
ids = rng.integers(0, 9, (2, 5)).astype("int32")
case("Gelu", x)
case("FastGelu", x, floats(8))
case("BiasGelu", x, floats(8))
case("QuickGelu", x, alpha=1.3)
case("SkipLayerNormalization", x, floats(2, 5, 8), floats(8), floats(8), floats(8), epsilon=1e-5)
case("SkipSimplifiedLayerNormalization", x, floats(2, 5, 8), floats(8), epsilon=1e-5)
case("SimplifiedLayerNormalization", x, floats(8), domain="", epsilon=1e-5)
tables = (floats(9, 8), floats(7, 8), floats(2, 8), floats(8), floats(8))
case("EmbedLayerNormalization", ids, ids % 2, *tables, mask, outputs=2, epsilon=1e-5)
case("FusedMatMul", floats(2, 4, 3), floats(2, 4, 5), alpha=0.5, transA=1)
case("FusedMatMul", floats(2, 3, 4), floats(2, 5, 4), transB=1)
case("FusedMatMul", floats(3, 2, 4), floats(2, 4, 5), transBatchA=1)
image, kernel = floats(1, 3, 6, 6), floats(4, 3, 3, 3)
case("FusedConv", image, kernel, floats(4), activation="Relu", pads=[1, 1, 1, 1])
case("FusedConv", image, kernel, activation="LeakyRelu", activation_params=[0.2])
case("FusedConv", image, kernel, activation="Clip", activation_params=[-0.5, 0.5])
case("FusedConv", image, kernel, floats(4), floats(1, 4, 4, 4), activation="Tanh")
case("FusedGemm", floats(3, 4), floats(5, 4), floats(5), activation="Relu", transB=1)
weights = (floats(8, 24), floats(24))
case("Attention", x, *weights, num_heads=2)
case("Attention", x, *weights, mask, num_heads=2)
case("Attention", x, *weights, np.int32([3, 5]), num_heads=2)
past = floats(2, 2, 2, 3, 4)
case("Attention", x, *weights, None, past, outputs=2, num_heads=2, unidirectional=1)
keys = (floats(2, 6, 8), floats(2, 6, 8))
case("MultiHeadAttention", x, *keys, floats(24), num_heads=2)
case("MultiHeadAttention", x, *keys, None, None, floats(2, 2, 5, 6), num_heads=2)
case("MultiHeadAttention", x, *keys, None, np.int32([[1, 1, 0, 1, 1, 1], [1] * 6]), num_heads=2)
caches = (floats(2, 2, 3, 4), floats(2, 2, 3, 4))
case("MultiHeadAttention", x, x, x, None, None, None, *caches, outputs=3, num_heads=2)
case("RotaryEmbedding", floats(2, 2, 5, 4), np.int64([2]), floats(10, 2), floats(10, 2))
places = np.int64([[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]])
case("RotaryEmbedding", x, places, floats(10, 4), floats(10, 4), interleaved=1)
pair = (small(2, 3, 4), scale[0], zero)
case("QLinearAdd", *pair, small(2, 3, 4), scale[1], np.uint8(3), scale[2], np.uint8(7))
case("QLinearMul", *pair, small(4), scale[1], np.uint8(3), scale[4], np.uint8(7))
case("QLinearSigmoid", *pair, scale[5], np.uint8(0))
case("QLinearLeakyRelu", *pair, scale[3], np.uint8(100), alpha=0.1)
case("QLinearSoftmax", *pair, scale[5], np.uint8(0), axis=-1, opset=13)
pixels = (small(1, 3, 6, 6), scale[0], zero)
case("QLinearGlobalAveragePool", *pixels, scale[3], np.uint8(9))
case("QLinearAveragePool", *pixels, scale[0], np.uint8(9), kernel_shape=[2, 2], strides=[2, 2])
parts = (small(2, 3), scale[0], zero, small(2, 4), scale[1], np.uint8(3))
case("QLinearConcat", scale[0], zero, *parts, axis=1)
case("DynamicQuantizeMatMul", floats(3, 8), small(8, 4), scale[0], zero, floats(4))
integers = (small(3, 8), small(8, 4), scale[0], scale[1], zero, np.uint8(9), floats(4))
case("MatMulIntegerToFloat", *integers)
blocks = (floats(3, 64), small(6, 2, 16), floats(12))
case("MatMulNBits", *blocks, K=64, N=6, bits=4, block_size=32)
case("MatMulNBits", *blocks, small(6), K=64, N=6, bits=4, block_size=32)
case("QuantizeLinear", floats(2, 3, 4), scale[0], zero)
case("DequantizeLinear", small(2, 3, 4), floats(3), small(3), axis=1)
case("Inverse", floats(2, 3, 3))
triangle = (floats(4, 5), np.int64(1))
case("Trilu", *triangle, upper=1)
numbers = rng.uniform(0.01, 0.02, size=2).astype("float32"), small(2)
weights = (small(2, 3, 20), small(2, 5, 20), floats(2, 40))
states = (floats(2, 2, 5), floats(2, 2, 5))
inputs = (floats(4, 2, 3), *weights, None, *states, None, *numbers, *numbers)
case("DynamicQuantizeLSTM", *inputs, outputs=3, hidden_size=5, direction="bidirectional")
sized = (floats(8, 28), floats(28))
case("Attention", x, *sized, num_heads=2, qkv_hidden_sizes=[8, 8, 12])
weights = (floats(8, 24), floats(24))
case("Attention", x, *weights, np.int32([4, 5, 1, 0]), num_heads=2)
case("Attention", x, *weights, np.int32([4, 5, 0, 5, 10, 0, 5, 10]), num_heads=2)
case("Attention", x, *weights, np.int32([[1, 1, 1, 0, 0], [0] * 5]), num_heads=2)
seen = (rng.random((2, 5, 5)) > 0.3).astype("int32")
case("Attention", x, *weights, seen, None, floats(2, 2, 5, 5), num_heads=2, scale=0.7)
heads = (floats(2, 2, 6, 4), floats(2, 2, 6, 4))
case("MultiHeadAttention", x, *heads, num_heads=2)
case("MultiHeadAttention", x, *heads, floats(24), num_heads=2)
case("MultiHeadAttention", x, floats(2, 6, 8), floats(2, 6, 12), floats(28), num_heads=2)
case("MultiHeadAttention", x, x, x, None, np.int32([3, 5]), num_heads=2, unidirectional=1)
case("MultiHeadAttention", x, x, x, None, seen, num_heads=2)
signed = rng.integers(-128, 127, size=(8, 24)).astype("int8")
integers = (small(2, 5, 8), signed, floats(24), np.float32(0.02), np.float32(0.03))
zeros = (np.uint8(120), np.int8(3))
case("QAttention", *integers, None, *zeros, num_heads=2)
case("QAttention", *integers, mask, *zeros, num_heads=2)
columns = (floats(24) ** 2, None, np.uint8(7), np.zeros(24, "int8"))
case("QAttention", *integers[:4], *columns, num_heads=2)
case("QAttention", *integers, None, *zeros, past, outputs=2, num_heads=2, unidirectional=1)
product = (small(3, 8), scale[0], zero, small(8, 4), scale[1], np.uint8(100))
offsets = np.int32([1, -500, 2000, 3])
case("QGemm", *product)
case("QGemm", *product, offsets, alpha=2.0)
case("QGemm", *product, offsets, np.float32(2), np.uint8(100))
columns = (np.int8([[5, -4, 3, 9]] * 4), floats(4) ** 2, np.int8([0, 1, 2, 3]))
case("QGemm", small(4, 3), scale[0], zero, *columns, offsets, transA=1, transB=1)
stored = [small(9, 8), small(7, 8), small(2, 8), small(8), small(8)]
case("QEmbedLayerNormalization", ids, ids % 2, *stored, mask, *scale[:5], *[zero] * 5, outputs=2)
stored[2] = None
factors = (*scale[:2], None, *scale[3:5], zero, zero, None, zero, zero)
case("QEmbedLayerNormalization", ids, None, *stored, None, *factors, outputs=2, epsilon=1e-5)
rows = rng.permutation(np.repeat(np.int32([0, 1]), 32))
for bits, size in ((2, 8), (4, 16), (8, 32)):
    blocks = (floats(3, 64), small(6, 2, size), floats(12))
    options = {"K": 64, "N": 6, "bits": bits, "block_size": 32}
    packed_zeros = small(6 * max(1, bits // 4))
    case("MatMulNBits", *blocks, packed_zeros, **options)
    case("MatMulNBits", *blocks, None, None, floats(6), **options)
    if bits < 8:
        case("MatMulNBits", *blocks, floats(6, 2), **options)
    if bits == 4:
        # With an order, ONNX Runtime ignores packed zero points and reads 2 bits as 4.
        case("MatMulNBits", *blocks, None, rows, **options)
earlier = len(CASES)


def joined(*parts):
    return np.concatenate(parts, axis=-1)


seen, total = np.int32([2, 2]), np.int32(3)
grouped = {"num_heads": 4, "kv_num_heads": 2}
queries, keys = floats(2, 3, 32), (floats(2, 3, 16), floats(2, 3, 16))
turns = (floats(8, 8), floats(8, 8))
rotary = {"do_rotary": 1, "num_heads": 2, "kv_num_heads": 1}
gqa = partial(case, "GroupQueryAttention", outputs=3)
gqa(queries, *keys, None, None, seen, total, **grouped)
gqa(joined(queries, *keys), *[None] * 4, seen, total, *turns, **rotary)
gqa(queries, *keys, None, None, np.int32([1, 2]), total, outputs=1, softcap=2.0, **grouped)
past = (floats(2, 2, 4, 8), floats(2, 2, 4, 8))
turned = [x.reshape((2, 1, 4, 16)) for x in past]
one = (floats(2, 1, 32), floats(2, 1, 16), floats(2, 1, 16))
after = (np.int32([4, 4]), np.int32(5))
gqa(*one, *turned, *after, *turns, rotary_interleaved=1, **rotary)
gqa(*one, *turned, *after, *turns, np.int64([[1], [3]]), local_window_size=3, **rotary)
gqa(*one, *past, *after, scale=0.3, smooth_softmax=1, **grouped)
gqa(*one, *past, *after, None, None, None, floats(1, 4, 1, 5), floats(4), **grouped)
gqa(*one, *past, np.int32([1, 3]), np.int32(4), kept=1, **grouped)
several = [x[:1, :3] for x in (queries, *keys)]
gqa(*several, *(x[:1] for x in turned), np.int32([6]), np.int32(7), *turns, **rotary)
gqa(*several, *(x[:1] for x in past), np.int32([6]), np.int32(7), local_window_size=2, **grouped)
gqa(queries, *keys, None, None, seen, total, causal=0, **grouped)
gqa(*one, *past, np.int32([2, 4]), np.int32(5), *[None] * 9, np.int32([1, 1]), kept=1, **grouped)
one = [floats(2, 1, 8) for _ in range(3)]
buffers = (*caches, np.int32([2]))
decoder = partial(case, "DecoderMaskedMultiHeadAttention", num_heads=2, outputs=3)
shared = {"past_present_share_buffer": 1}
decoder(*one, None, None, *buffers, **shared)
decoder(*one, np.int32([[1, 0, 1], [1] * 3]), None, *buffers, **shared)
decoder(*one, None, floats(1, 2, 1, 3), *buffers, None, None, floats(24), scale=0.4, **shared)
cross = (floats(2, 2, 6, 4), floats(2, 2, 6, 4))
decoder(one[0], *cross, outputs=1)
case("MultiHeadAttention", *one, None, None, None, *buffers, num_heads=2, outputs=3)
for bits in (2, 4, 8):
    table = (small(6, 8 * bits), np.int64([[1, -2], [5, 0]]), floats(6, 4))
    case("GatherBlockQuantized", *table, bits=bits, block_size=16)
    case("GatherBlockQuantized", *table, small(6, max(1, bits // 2)), bits=bits, block_size=16)
codes = np.arange(256, dtype="uint8")
for kind in (0, 1):
    case("MatMulBnb4", floats(3, 32), codes, floats(16), K=32, N=16, block_size=32, quant_type=kind)
case("MatMulBnb4", floats(2, 3, 24), codes[:60], floats(8), K=24, N=5, block_size=16, quant_type=1)
rows, router = floats(6, 8), floats(6, 3)
first, second = (floats(3, 4, 8), floats(3, 4)), (floats(3, 8, 4), floats(3, 8))
moe = partial(case, "MoE", rows, router)
for kind in ("relu", "gelu", "silu", "identity"):
    moe(*first, *second, activation_type=kind, k=2)
moe(*first, *second, activation_type="silu", k=2, normalize_routing_weights=1)
fused = (floats(3, 8, 8), floats(3, 8))
swiglu = {"activation_type": "swiglu", "activation_alpha": 1.7, "activation_beta": 1.0}
moe(*fused, *second, k=2, swiglu_fusion=1, swiglu_limit=1.0, **swiglu)
# ONNX Runtime's kernel for processors always normalizes weights that are not given.
quantized = partial(case, "QMoE")
rows, router = floats(1, 3, 32), floats(3, 3)
for bits in (8, 4):
    parts = (small(3, 32, 4 * bits), floats(3, 32), floats(3, 32))
    parts += (small(3, 32, 2 * bits), floats(3, 32), floats(3, 32))
    options = {"expert_weight_bits": bits, "k": 2, "normalize_routing_weights": 1}
    gated = {"activation_type": "swiglu", "swiglu_fusion": 1, **options}
    quantized(rows, router, *parts, **gated)
    blocks = (parts[0], floats(3, 32, 2), None, parts[3], floats(3, 32, 1), None)
    zeros = (small(3, 32, bits // 4), small(3, 32, 1))
    quantized(rows, router, *blocks, *[None] * 3, *zeros, block_size=16, **gated)
zeros = (small(3, 16), small(3, 16))
quantized(rows, router, *parts, *[None] * 3, *zeros, **gated)
shares = floats(3, 3) ** 2
for normalize in (0, 1):
    given = (*parts, *[None] * 6, shares)
    quantized(rows, router, *given, **gated | {"normalize_routing_weights": normalize})
for name, cases in (("extensions", CASES[:earlier]), ("language_models", CASES[earlier:])):
    text = json.dumps(cases, separators=(",", ":"))
    Path(__file__).with_name(f"onnx_{name}.json").write_text(text + "\n")
