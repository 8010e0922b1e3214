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

from typing import TYPE_CHECKING

from ..late import import_names

if TYPE_CHECKING:
    from .feeds import *
    from .graph import *
    from .initializers import *
    from .input_providers import *
    from .optimizers import *
    from .scopes import *
    from .session import *
    from .symbols import *

_NAMES = {
    "feeds": "FeedEntry",
    "graph": "Graph GraphLayers",
    "initializers": """
        ConstantInitializer Initializer NDArrayInitializer OnesInitializer
        RandomNormalInitializer RandomTruncatedNormalInitializer RandomUniformInitializer
        VarianceScalingInitializer ZerosInitializer""",
    "input_providers": """
        BatchInputProvider InCPUMemoryShuffledInputProviderBuilder
        InGPUMemoryShuffledInputProviderBuilder InputProvider""",
    "optimizers": """
        AdadeltaOptimizer AdagradOptimizer AdamaxOptimizer AdamOptimizer MomentumOptimizer
        Optimizer RMSPropOptimizer SGDOptimizer""",
    "scopes": "NDArrayMath math",
    "session": "CostReduction Session TensorArrayMap",
    "symbols": "ConstantNode Node OperationNode PlaceholderNode SymbolicTensor VariableNode",
}
"""Names by module, separated by spaces."""
__all__ = import_names(__name__, _NAMES)
