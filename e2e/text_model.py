"""A model of texts as an ONNX file, with its tokenizer."""

from __future__ import annotations

import json

import numpy as np
from onnx import TensorProto, helper, numpy_helper

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "fox", "jump", "##s", "over", "a", "dog", "."]
VECTORS = np.random.default_rng(8).normal(size=(len(WORDS), 6)).astype("float32")
CLASSES = np.random.default_rng(9).normal(size=(6, 3)).astype("float32")
LABELS = ["calm", "quick", "lazy"]


def text_model(length: int | str = "tokens") -> bytes:
    """Return an ONNX file: vectors of tokens, their mean without padding, and its classes."""
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, [1, length]) for name in names]
    shapes = {
        "last_hidden_state": [1, length, 6],
        "sentence_embedding": [1, 6],
        "logits": [1, 3],
    }
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in shapes.items()
    ]
    node = helper.make_node
    nodes = [
        node("Gather", ["vectors", "input_ids"], ["words"]),
        node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        node("Cast", ["token_type_ids"], ["types"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["mask", "last"], ["rows"]),
        node("Unsqueeze", ["types", "last"], ["typed"]),
        node("Add", ["words", "typed"], ["last_hidden_state"]),
        node("Mul", ["last_hidden_state", "rows"], ["kept"]),
        node("ReduceSum", ["kept", "steps"], ["total"], keepdims=0),
        node("ReduceSum", ["rows", "steps"], ["count"], keepdims=0),
        node("Div", ["total", "count"], ["sentence_embedding"]),
        node("MatMul", ["sentence_embedding", "classes"], ["logits"]),
    ]
    constants = {
        "vectors": VECTORS,
        "classes": CLASSES,
        "last": np.array([-1], "int64"),
        "steps": np.array([1], "int64"),
    }
    weights = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "texts", inputs, outputs, weights)
    opset = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opset, ir_version=8).SerializeToString()


def tokenizer_file() -> bytes:
    """Return a tokenizer.json."""
    special = [{"content": word, "special": True} for word in WORDS[:4]]
    return json.dumps(
        {
            "model": {
                "type": "WordPiece",
                "vocab": {word: number for number, word in enumerate(WORDS)},
                "unk_token": "[UNK]",
            },
            "normalizer": {"type": "BertNormalizer", "lowercase": True},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {
                "type": "BertProcessing",
                "cls": ["[CLS]", 2],
                "sep": ["[SEP]", 3],
            },
            "added_tokens": [{**one, "id": at} for at, one in enumerate(special)],
        }
    ).encode()


def sentence_vector(ids: list[int], types: list[int]) -> np.ndarray:
    """Return the mean of the vectors of tokens."""
    return (VECTORS[ids] + np.array(types, "float32")[:, None]).mean(axis=0)
