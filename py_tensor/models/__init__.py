"""Load and run models of other libraries.

Input: a model's file. Output: a `Model`, a function of tensors. Read the modules in this order:

    graph       neutral description of a model: nodes, constants, names
    layouts     values stored with their axes in another order
    execution   run a graph with a table of operators
    options, folding, common, movement, indexing, reductions, activations
                operators and options that the tables of several formats share; `folding` has those
                of constants
    onnx/       ONNX: files to graphs, and the table of operators
    tfjs/       TensorFlow.js: graph models and layers models
    tflite/     TFLite: the same as for ONNX
    branches    weights of graphs inside of nodes
    passes      changes to a program when it is loaded
    inputs      checks of the inputs of calls
    runner      compiled calls, weights and states
    summary     table of a model's nodes
    model       Model: call, summary, warmup
    readers     files in parts
    web_files   URLs, and repositories of hubs
    sources     paths, files, functions
    progress    reports of bytes
    saving      save: models and modules in one file
    loading     load, loads
    onnx/export, tfjs/export   to_onnx and to_tfjs: functions and modules for other libraries
    transformers/   language models, encoders, speech: load_transformer
    weights/    weights without a model: load_weights, load_torch_state_dict
"""

from ..io.file_cache import CachedFile
from .graph import LinearQuantization, ValueInfo
from .loading import EXAMPLE, load, loads
from .model import Model
from .onnx.export import to_onnx
from .saving import save
from .summary import Layer, Summary, SummaryRow
from .tfjs.export import to_tfjs
from .transformers.loading import load_transformer
from .web_files import cache
from .weights.loading import load_weights
from .weights.torch_layers import Unmatched, load_torch_state_dict

__all__ = [
    "EXAMPLE",
    "CachedFile",
    "Layer",
    "LinearQuantization",
    "Model",
    "Summary",
    "SummaryRow",
    "Unmatched",
    "ValueInfo",
    "cache",
    "load",
    "load_torch_state_dict",
    "load_transformer",
    "load_weights",
    "loads",
    "save",
    "to_onnx",
    "to_tfjs",
]
