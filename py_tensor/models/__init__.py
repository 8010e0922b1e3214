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

from typing import TYPE_CHECKING

from ..late import lazy_names

if TYPE_CHECKING:
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

if not TYPE_CHECKING:
    # Language models need no formats with graphs, and most formats no others.
    __getattr__ = lazy_names(
        __name__,
        homes={
            "CachedFile": "io.file_cache",
            "EXAMPLE": "models.loading",
            "Layer": "models.summary",
            "LinearQuantization": "models.graph",
            "Model": "models.model",
            "Summary": "models.summary",
            "SummaryRow": "models.summary",
            "Unmatched": "models.weights.torch_layers",
            "ValueInfo": "models.graph",
            "cache": "models.web_files",
            "load": "models.loading",
            "load_torch_state_dict": "models.weights.torch_layers",
            "load_transformer": "models.transformers.loading",
            "load_weights": "models.weights.loading",
            "loads": "models.loading",
            "save": "models.saving",
            "to_onnx": "models.onnx.export",
            "to_tfjs": "models.tfjs.export",
        },
    )
