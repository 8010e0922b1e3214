"""deeplearn.js's graph API: graphs of symbolic tensors, and sessions that evaluate and train them.

    symbols          tensors without values, and the nodes that they are outputs of
    shapes           what shapes operations give
    operations       what operations compute, for a whole batch
    graph            one method an operation
    layers           layers that make their own variables
    initializers     the variables' first values
    scopes           scopes, and the safe mode that demands them
    input_providers  where examples come from
    feeding          what is fed
    optimizers       how variables change
    evaluation       the traced functions of an evaluation and of a training step
    session          evaluates and trains

>>> import py_tensor as pt
>>> graph = pt.graph.Graph()
>>> x = graph.placeholder("x", [])
>>> session = pt.graph.Session(graph)
>>> session.eval(graph.multiply(x, graph.constant(2)), [pt.graph.FeedEntry(x, 21.0)]).item()
42.0
"""

from __future__ import annotations

from .feeding import FeedEntry
from .graph import Graph
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
from .layers import GraphLayers
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
