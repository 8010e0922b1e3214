"""deeplearn.js's graph API: graphs of symbolic tensors, and sessions that evaluate and train them.

Input: a graph, and arrays or input providers fed to it. Output: values and trained variables.
Names in parentheses in docstrings are those of deeplearn.js. Read the modules in this order:

    symbols          symbolic tensors, and the nodes they are outputs of
    shapes           check shapes and infer an operation's output shape
    operations       compute operations for a whole batch
    initializers     initial values of variables
    graph            Graph, with one method per operation, and layers that create their variables
    scopes           memory scopes, and the safe mode that requires them
    input_providers  sources of examples
    feeds            feed entries, and the tensors loaded from them
    optimizers       update rules for variables
    evaluation       jitted functions for an evaluation and a training step
    session          Session, which evaluates and trains

>>> import py_tensor as pt
>>> graph = pt.graph.Graph()
>>> x = graph.placeholder("x", [])
>>> session = pt.graph.Session(graph)
>>> session.eval(graph.multiply(x, graph.constant(2)), [pt.graph.FeedEntry(x, 21.0)]).item()
42.0
"""

from __future__ import annotations

from .feeds import FeedEntry
from .graph import Graph, GraphLayers
from .initializers import (
    ConstantInitializer,
    Initializer,
    NDArrayInitializer,
    OnesInitializer,
    RandomNormalInitializer,
    RandomTruncatedNormalInitializer,
    RandomUniformInitializer,
    VarianceScalingInitializer,
    ZerosInitializer,
)
from .input_providers import (
    BatchInputProvider,
    InCPUMemoryShuffledInputProviderBuilder,
    InGPUMemoryShuffledInputProviderBuilder,
    InputProvider,
)
from .optimizers import (
    AdadeltaOptimizer,
    AdagradOptimizer,
    AdamaxOptimizer,
    AdamOptimizer,
    MomentumOptimizer,
    Optimizer,
    RMSPropOptimizer,
    SGDOptimizer,
)
from .scopes import NDArrayMath, math
from .session import CostReduction, Session, TensorArrayMap
from .symbols import (
    ConstantNode,
    Node,
    OperationNode,
    PlaceholderNode,
    SymbolicTensor,
    VariableNode,
)

__all__ = [
    "AdadeltaOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "AdamaxOptimizer",
    "BatchInputProvider",
    "ConstantInitializer",
    "ConstantNode",
    "CostReduction",
    "FeedEntry",
    "Graph",
    "GraphLayers",
    "InCPUMemoryShuffledInputProviderBuilder",
    "InGPUMemoryShuffledInputProviderBuilder",
    "Initializer",
    "InputProvider",
    "MomentumOptimizer",
    "NDArrayInitializer",
    "NDArrayMath",
    "Node",
    "OnesInitializer",
    "OperationNode",
    "Optimizer",
    "PlaceholderNode",
    "RMSPropOptimizer",
    "RandomNormalInitializer",
    "RandomTruncatedNormalInitializer",
    "RandomUniformInitializer",
    "SGDOptimizer",
    "Session",
    "SymbolicTensor",
    "TensorArrayMap",
    "VariableNode",
    "VarianceScalingInitializer",
    "ZerosInitializer",
    "math",
]
