"""How variables change: v becomes what the formula says, of g, the gradients of a batch summed up.

One class an optimizer, with deeplearn.js's formulas. c is -learning_rate / batch size; so moments
and caches are of sums, not of means. Where deeplearn.js has no settings for them, epsilon is its.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from ..accounting import keep
from ..errors import ArgumentError
from ..functions.creation import zeros
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..tensor import Tensor
from .symbols import Node, SymbolicTensor, VariableNode

_sqrt = ELEMENTWISE["sqrt"]


class Optimizer(ABC):
    """Base of the optimizers: it holds what is remembered from batch to batch.

    `specified_variable_list` are the variables to train, as nodes or as their tensors; all that the
    cost depends on where it is None. In formulas v is a variable, g the sum of its gradients over a
    batch, c is -learning_rate / batch size, and m' is what m becomes. A class of its own says in
    `updated` how a variable changes.

    >>> import py_tensor as pt
    >>> class SignDescent(pt.graph.Optimizer):
    ...     @staticmethod
    ...     def updated(numbers, variable, g, *slots):
    ...         (c,) = numbers
    ...         return [variable + c * pt.sign(g)]
    >>> graph = pt.graph.Graph()
    >>> w = graph.variable("w", 3.0)
    >>> cost = pt.graph.Session(graph).train(graph.square(w), [], 1, SignDescent(0.5))
    >>> w.node.data.item()
    2.5
    """

    slots = 0
    """How many tensors are remembered for each variable; zeros in the beginning."""

    def __init__(
        self,
        learning_rate: float,
        specified_variable_list: Sequence[Node | SymbolicTensor] | None = None,
    ) -> None:
        self.learning_rate = float(learning_rate)
        self._specified = specified_variable_list
        self._remembered: dict[VariableNode, list[Tensor]] = {}
        self._batches = 0

    def set_learning_rate(self, learning_rate: float) -> None:
        """Another learning rate from the next batch on (setLearningRate).

        >>> import py_tensor as pt
        >>> optimizer = pt.graph.SGDOptimizer(0.1)
        >>> optimizer.set_learning_rate(0.05)
        >>> optimizer.learning_rate
        0.05
        """
        self.learning_rate = float(learning_rate)

    def dispose(self) -> None:
        """Ends what is remembered; the variables stay. The next batch begins anew."""
        for tensors in self._remembered.values():
            for tensor in tensors:
                tensor.dispose()
        self._remembered = {}
        self._batches = 0

    def variables_among(self, variables: Sequence[SymbolicTensor]) -> list[SymbolicTensor]:
        """Those to train. Raises ArgumentError where there are none, or the cost lacks one."""
        chosen = [*variables]
        if self._specified is not None:
            known = {tensor.node: tensor for tensor in variables}
            nodes = [x.node if isinstance(x, SymbolicTensor) else x for x in self._specified]
            for node in nodes:
                if node not in known:
                    raise ArgumentError(
                        f"train: the cost does not depend on a variable; got {node!r} in "
                        f"specified_variable_list; give some of {list(known)}"
                    )
            chosen = [known[node] for node in nodes]
        if not chosen:
            raise ArgumentError(
                "train: no variable to train; got a cost that depends on none; "
                "make one with graph.variable"
            )
        return chosen

    def remembered(self, variables: Sequence[VariableNode]) -> list[list[Tensor]]:
        """The slots of each variable."""
        return [
            self._remembered.get(node) or [zeros(node.data.shape) for _ in range(self.slots)]
            for node in variables
        ]

    def remember(self, variables: Sequence[VariableNode], slots: list[list[Tensor]]) -> None:
        """What there is to remember after a batch."""
        for node, tensors in zip(variables, slots, strict=True):
            self._remembered[node] = [keep(tensor) for tensor in tensors]
        self._batches += 1

    def numbers(self, batch_size: int) -> list[float]:
        """c, and the settings that `updated` takes, for the next batch.

        >>> import py_tensor as pt
        >>> pt.graph.MomentumOptimizer(0.5, 0.9).numbers(2)
        [-0.25, 0.9]
        """
        return [-self.learning_rate / batch_size, *self.settings(self._batches + 1)]

    def settings(self, batch: int) -> list[float]:
        """Further numbers of a formula, for the batch of that number, counted from 1."""
        return []

    @staticmethod
    @abstractmethod
    def updated(numbers: Any, variable: Tensor, g: Tensor, *slots: Tensor) -> list[Tensor]:
        """The variable's next value, and the slots'."""


class SGDOptimizer(Optimizer):
    """Stochastic gradient descent: v + c * g.

    >>> import py_tensor as pt
    >>> graph = pt.graph.Graph()
    >>> w = graph.variable("w", 3.0)
    >>> session = pt.graph.Session(graph)
    >>> cost = session.train(graph.square(w), [], 1, pt.graph.SGDOptimizer(0.1))
    >>> round(w.node.data.item(), 6)
    2.4
    """

    @staticmethod
    def updated(numbers: Any, variable: Tensor, g: Tensor, *slots: Tensor) -> list[Tensor]:
        (c,) = numbers
        return [variable + c * g]


class MomentumOptimizer(Optimizer):
    """Gradient descent with a velocity: m' = momentum * m + g; v + c * m'.

    >>> import py_tensor as pt
    >>> pt.graph.MomentumOptimizer(0.1, 0.9).momentum
    0.9
    """

    slots = 1

    def __init__(
        self,
        learning_rate: float,
        momentum: float,
        specified_variable_list: Sequence[Node | SymbolicTensor] | None = None,
    ) -> None:
        super().__init__(learning_rate, specified_variable_list)
        self.momentum = float(momentum)

    def set_momentum(self, momentum: float) -> None:
        """Another momentum from the next batch on (setMomentum).

        >>> import py_tensor as pt
        >>> optimizer = pt.graph.MomentumOptimizer(0.1, 0.9)
        >>> optimizer.set_momentum(0.5)
        >>> optimizer.momentum
        0.5
        """
        self.momentum = float(momentum)

    def settings(self, batch: int) -> list[float]:
        return [self.momentum]

    @staticmethod
    def updated(numbers: Any, variable: Tensor, g: Tensor, *slots: Tensor) -> list[Tensor]:
        c, momentum = numbers
        (velocity,) = slots
        velocity = momentum * velocity + g
        return [variable + c * velocity, velocity]


class RMSPropOptimizer(Optimizer):
    """RMSProp: a' = gamma * a + (1 - gamma) * g**2; v + c * g / (sqrt(a') + epsilon).

    >>> import py_tensor as pt
    >>> pt.graph.RMSPropOptimizer(0.1, 0.9).epsilon
    1e-06
    """

    slots = 1

    def __init__(
        self,
        learning_rate: float,
        gamma: float,
        specified_variable_list: Sequence[Node | SymbolicTensor] | None = None,
        *,
        epsilon: float = 1e-6,
    ) -> None:
        super().__init__(learning_rate, specified_variable_list)
        self.gamma = float(gamma)
        self.epsilon = float(epsilon)

    def settings(self, batch: int) -> list[float]:
        return [self.gamma, self.epsilon]

    @staticmethod
    def updated(numbers: Any, variable: Tensor, g: Tensor, *slots: Tensor) -> list[Tensor]:
        c, gamma, epsilon = numbers
        (average,) = slots
        average = gamma * average + (1.0 - gamma) * (g * g)
        return [variable + c * (g / (_sqrt(average) + epsilon)), average]


class AdagradOptimizer(Optimizer):
    """Adagrad: a' = a + g**2; v + c * g / (sqrt(a') + epsilon).

    >>> import py_tensor as pt
    >>> pt.graph.AdagradOptimizer(0.1).epsilon
    1e-06
    """

    slots = 1

    def __init__(
        self,
        learning_rate: float,
        specified_variable_list: Sequence[Node | SymbolicTensor] | None = None,
        *,
        epsilon: float = 1e-6,
    ) -> None:
        super().__init__(learning_rate, specified_variable_list)
        self.epsilon = float(epsilon)

    def settings(self, batch: int) -> list[float]:
        return [self.epsilon]

    @staticmethod
    def updated(numbers: Any, variable: Tensor, g: Tensor, *slots: Tensor) -> list[Tensor]:
        c, epsilon = numbers
        (total,) = slots
        total = total + g * g
        return [variable + c * (g / (_sqrt(total) + epsilon)), total]


class AdadeltaOptimizer(Optimizer):
    """Adadelta: d = sqrt((u + epsilon) / (a + epsilon)) * g; v + c * d.

    Then a' = gamma * a + (1 - gamma) * g**2 and u' = gamma * u + (1 - gamma) * d**2: as in
    deeplearn.js, the step divides by the cache before this batch.

    >>> import py_tensor as pt
    >>> pt.graph.AdadeltaOptimizer(0.1, 0.8).gamma
    0.8
    """

    slots = 2

    def __init__(
        self,
        learning_rate: float,
        gamma: float,
        specified_variable_list: Sequence[Node | SymbolicTensor] | None = None,
        *,
        epsilon: float = 1e-6,
    ) -> None:
        super().__init__(learning_rate, specified_variable_list)
        self.gamma = float(gamma)
        self.epsilon = float(epsilon)

    def settings(self, batch: int) -> list[float]:
        return [self.gamma, self.epsilon]

    @staticmethod
    def updated(numbers: Any, variable: Tensor, g: Tensor, *slots: Tensor) -> list[Tensor]:
        c, gamma, epsilon = numbers
        average, updates = slots
        step = _sqrt(updates + epsilon) / _sqrt(average + epsilon) * g
        average = gamma * average + (1.0 - gamma) * (g * g)
        updates = gamma * updates + (1.0 - gamma) * (step * step)
        return [variable + c * step, average, updates]


class AdamOptimizer(Optimizer):
    """Adam: m' = beta1 * m + (1 - beta1) * g; s' = beta2 * s + (1 - beta2) * g**2.

    v + c * (m' / (1 - beta1**t)) / (sqrt(s' / (1 - beta2**t)) + epsilon) at batch t.

    >>> import py_tensor as pt
    >>> pt.graph.AdamOptimizer(0.1, 0.9, 0.999).epsilon
    1e-08
    """

    slots = 2

    def __init__(
        self,
        learning_rate: float,
        beta1: float,
        beta2: float,
        specified_variable_list: Sequence[Node | SymbolicTensor] | None = None,
        *,
        epsilon: float = 1e-8,
    ) -> None:
        super().__init__(learning_rate, specified_variable_list)
        self.beta1 = float(beta1)
        self.beta2 = float(beta2)
        self.epsilon = float(epsilon)

    def settings(self, batch: int) -> list[float]:
        corrections = [1.0 - self.beta1**batch, 1.0 - self.beta2**batch]
        return [self.beta1, self.beta2, self.epsilon, *corrections]

    @staticmethod
    def updated(numbers: Any, variable: Tensor, g: Tensor, *slots: Tensor) -> list[Tensor]:
        c, beta1, beta2, epsilon, correction1, correction2 = numbers
        mean, square = slots
        mean = beta1 * mean + (1.0 - beta1) * g
        square = beta2 * square + (1.0 - beta2) * (g * g)
        direction = (mean / correction1) / (_sqrt(square / correction2) + epsilon)
        return [variable + c * direction, mean, square]


class AdamaxOptimizer(Optimizer):
    """Adamax: m' = beta1 * m + (1 - beta1) * g; u' = max(beta2 * u, |g|).

    v + c / (1 - beta1**t) * m' / (epsilon + u') at batch t.

    >>> import py_tensor as pt
    >>> pt.graph.AdamaxOptimizer(0.1, 0.9, 0.999).beta2
    0.999
    """

    slots = 2

    def __init__(
        self,
        learning_rate: float,
        beta1: float,
        beta2: float,
        specified_variable_list: Sequence[Node | SymbolicTensor] | None = None,
        *,
        epsilon: float = 1e-8,
    ) -> None:
        super().__init__(learning_rate, specified_variable_list)
        self.beta1 = float(beta1)
        self.beta2 = float(beta2)
        self.epsilon = float(epsilon)

    def settings(self, batch: int) -> list[float]:
        return [self.beta1, self.beta2, self.epsilon, 1.0 - self.beta1**batch]

    @staticmethod
    def updated(numbers: Any, variable: Tensor, g: Tensor, *slots: Tensor) -> list[Tensor]:
        c, beta1, beta2, epsilon, correction = numbers
        mean, norm = slots
        mean = beta1 * mean + (1.0 - beta1) * g
        norm = ELEMENTWISE["maximum"](beta2 * norm, ELEMENTWISE["abs"](g))
        return [variable + c / correction * (mean / (epsilon + norm)), mean, norm]
