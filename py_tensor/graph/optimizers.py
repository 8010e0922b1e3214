"""Update rules for variables, with deeplearn.js's formulas; one class per optimizer.

In formulas, g is the sum of a variable's gradients over a batch and c is -learning_rate / batch
size. Moments and caches are therefore those of sums, not of means. The default epsilons are
deeplearn.js's constants.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from .. import functions as F
from ..diagnostics.memory import keep
from ..errors import ArgumentError
from ..tensor import Tensor
from .symbols import Node, SymbolicTensor, VariableNode


class Optimizer(ABC):
    """Base class of optimizers, which keeps the slots of each variable between batches.

    In formulas, v is a variable, g the sum of its gradients over a batch, c is -learning_rate /
    batch size, and m' is the next value of m. A subclass implements `updated`.

    Args:
        learning_rate: Factor of each step.
        specified_variable_list: Variables to train, as nodes or tensors; None (default) for all
            that the cost depends on.

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
    """Number of tensors kept per variable; they start as zeros."""

    def __init__(
        self,
        learning_rate: float,
        specified_variable_list: Sequence[Node | SymbolicTensor] | None = None,
    ) -> None:
        self.learning_rate = float(learning_rate)
        self._specified = specified_variable_list
        self._slots_by_node: dict[VariableNode, list[Tensor]] = {}
        self._batches = 0

    def set_learning_rate(self, learning_rate: float) -> None:
        """Set the learning rate from the next batch on (setLearningRate).

        Args:
            learning_rate: The new factor of each step.

        >>> import py_tensor as pt
        >>> optimizer = pt.graph.SGDOptimizer(0.1)
        >>> optimizer.set_learning_rate(0.05)
        >>> optimizer.learning_rate
        0.05
        """
        self.learning_rate = float(learning_rate)

    def dispose(self) -> None:
        """Free the slots and reset the batch count. Variables keep their values."""
        for tensors in self._slots_by_node.values():
            for tensor in tensors:
                tensor.dispose()
        self._slots_by_node = {}
        self._batches = 0

    def variables_among(self, variables: Sequence[SymbolicTensor]) -> list[SymbolicTensor]:
        """Return the variables to train.

        Raises ArgumentError if there are none, or if the cost does not depend on a specified one.
        """
        chosen = [*variables]
        if self._specified is not None:
            known = {tensor.node: tensor for tensor in variables}
            nodes = [x.node if isinstance(x, SymbolicTensor) else x for x in self._specified]
            for node in nodes:
                if node not in known:
                    raise ArgumentError(
                        f"train: the cost does not depend on a variable; got {node!r} in "
                        f"specified_variable_list; choose from {list(known)}"
                    )
            chosen = [known[node] for node in nodes]
        if not chosen:
            raise ArgumentError(
                "train: there is no variable to train; got a cost without variables; create one "
                "with graph.variable"
            )
        return chosen

    def remembered(self, variables: Sequence[VariableNode]) -> list[list[Tensor]]:
        """Return the slots of each variable."""
        return [
            self._slots_by_node.get(node) or [F.zeros(node.data.shape) for _ in range(self.slots)]
            for node in variables
        ]

    def remember(self, variables: Sequence[VariableNode], slots: list[list[Tensor]]) -> None:
        """Keep the slots of each variable after a batch."""
        for node, tensors in zip(variables, slots, strict=True):
            self._slots_by_node[node] = [keep(tensor) for tensor in tensors]
        self._batches += 1

    def numbers(self, batch_size: int) -> list[float]:
        """Return c and the settings that `updated` takes, for the next batch.

        Args:
            batch_size: Number of examples in the batch.

        Returns:
            List of floats.

        >>> import py_tensor as pt
        >>> pt.graph.MomentumOptimizer(0.5, 0.9).numbers(2)
        [-0.25, 0.9]
        """
        return [-self.learning_rate / batch_size, *self.settings(self._batches + 1)]

    def settings(self, batch: int) -> list[float]:
        """Return further numbers of the formula.

        Args:
            batch: Number of the batch, counted from 1.

        Returns:
            List of floats; empty by default.
        """
        return []

    @staticmethod
    @abstractmethod
    def updated(numbers: Any, variable: Tensor, g: Tensor, *slots: Tensor) -> list[Tensor]:
        """Return the variable's next value, followed by the slots' next values.

        Args:
            numbers: Result of `numbers`.
            variable: Current value v.
            g: Sum of the gradients over the batch, of the variable's shape.
            slots: Current slots, `self.slots` tensors of the variable's shape.

        Returns:
            List of 1 + `self.slots` tensors.
        """


class SGDOptimizer(Optimizer):
    """Stochastic gradient descent: v' = v + c * g.

    Args:
        learning_rate: Factor of each step.
        specified_variable_list: Variables to train; None (default) for all.

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
    """Gradient descent with momentum: m' = momentum * m + g; v' = v + c * m'.

    Args:
        learning_rate: Factor of each step.
        momentum: Factor of the previous velocity.
        specified_variable_list: Variables to train; None (default) for all.

    >>> import py_tensor as pt
    >>> graph = pt.graph.Graph()
    >>> w = graph.variable("w", 3.0)
    >>> optimizer = pt.graph.MomentumOptimizer(0.1, 0.9)
    >>> cost = pt.graph.Session(graph).train(graph.square(w), [], 1, optimizer)
    >>> round(w.node.data.item(), 3)
    2.4
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
        """Set the momentum from the next batch on (setMomentum).

        Args:
            momentum: The new factor of the previous velocity.

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


class _DecayOptimizer(Optimizer):
    """Base class of the optimizers with a decay `gamma` of averages."""

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


class RMSPropOptimizer(_DecayOptimizer):
    """RMSProp: a' = gamma * a + (1 - gamma) * g**2; v' = v + c * g / (sqrt(a') + epsilon).

    Args:
        learning_rate: Factor of each step.
        gamma: Decay of the average a.
        specified_variable_list: Variables to train; None (default) for all.
        epsilon: Added to the divisor; default 1e-6.

    >>> import py_tensor as pt
    >>> graph = pt.graph.Graph()
    >>> w = graph.variable("w", 3.0)
    >>> optimizer = pt.graph.RMSPropOptimizer(0.1, 0.9)
    >>> cost = pt.graph.Session(graph).train(graph.square(w), [], 1, optimizer)
    >>> round(w.node.data.item(), 3)
    2.684
    """

    slots = 1

    @staticmethod
    def updated(numbers: Any, variable: Tensor, g: Tensor, *slots: Tensor) -> list[Tensor]:
        c, gamma, epsilon = numbers
        (average,) = slots
        average = gamma * average + (1.0 - gamma) * (g * g)
        return [variable + c * (g / (F.sqrt(average) + epsilon)), average]


class AdagradOptimizer(Optimizer):
    """Adagrad: a' = a + g**2; v' = v + c * g / (sqrt(a') + epsilon).

    Args:
        learning_rate: Factor of each step.
        specified_variable_list: Variables to train; None (default) for all.
        epsilon: Added to the divisor; default 1e-6.

    >>> import py_tensor as pt
    >>> graph = pt.graph.Graph()
    >>> w = graph.variable("w", 3.0)
    >>> optimizer = pt.graph.AdagradOptimizer(0.1)
    >>> cost = pt.graph.Session(graph).train(graph.square(w), [], 1, optimizer)
    >>> round(w.node.data.item(), 3)
    2.9
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
        return [variable + c * (g / (F.sqrt(total) + epsilon)), total]


class AdadeltaOptimizer(_DecayOptimizer):
    """Adadelta: d = sqrt((u + epsilon) / (a + epsilon)) * g; v' = v + c * d.

    Then a' = gamma * a + (1 - gamma) * g**2 and u' = gamma * u + (1 - gamma) * d**2. As in
    deeplearn.js, d uses the cache from before this batch.

    Args:
        learning_rate: Factor of each step.
        gamma: Decay of the averages a and u.
        specified_variable_list: Variables to train; None (default) for all.
        epsilon: Added to both averages; default 1e-6.

    >>> import py_tensor as pt
    >>> graph = pt.graph.Graph()
    >>> w = graph.variable("w", 3.0)
    >>> optimizer = pt.graph.AdadeltaOptimizer(0.1, 0.8)
    >>> cost = pt.graph.Session(graph).train(graph.square(w), [], 1, optimizer)
    >>> round(w.node.data.item(), 3)
    2.4
    """

    slots = 2

    @staticmethod
    def updated(numbers: Any, variable: Tensor, g: Tensor, *slots: Tensor) -> list[Tensor]:
        c, gamma, epsilon = numbers
        average, updates = slots
        step = F.sqrt(updates + epsilon) / F.sqrt(average + epsilon) * g
        average = gamma * average + (1.0 - gamma) * (g * g)
        updates = gamma * updates + (1.0 - gamma) * (step * step)
        return [variable + c * step, average, updates]


class _MomentsOptimizer(Optimizer):
    """Base class of the optimizers with decays `beta1` and `beta2` of two moments."""

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


class AdamOptimizer(_MomentsOptimizer):
    """Adam: m' = beta1 * m + (1 - beta1) * g; s' = beta2 * s + (1 - beta2) * g**2.

    v' = v + c * (m' / (1 - beta1**t)) / (sqrt(s' / (1 - beta2**t)) + epsilon) at batch t, counted
    from 1.

    Args:
        learning_rate: Factor of each step.
        beta1: Decay of the mean m.
        beta2: Decay of the mean square s.
        specified_variable_list: Variables to train; None (default) for all.
        epsilon: Added to the divisor; default 1e-8.

    >>> import py_tensor as pt
    >>> graph = pt.graph.Graph()
    >>> w = graph.variable("w", 3.0)
    >>> optimizer = pt.graph.AdamOptimizer(0.1, 0.9, 0.999)
    >>> cost = pt.graph.Session(graph).train(graph.square(w), [], 1, optimizer)
    >>> round(w.node.data.item(), 3)
    2.9
    """

    def settings(self, batch: int) -> list[float]:
        corrections = [1.0 - self.beta1**batch, 1.0 - self.beta2**batch]
        return [self.beta1, self.beta2, self.epsilon, *corrections]

    @staticmethod
    def updated(numbers: Any, variable: Tensor, g: Tensor, *slots: Tensor) -> list[Tensor]:
        c, beta1, beta2, epsilon, correction1, correction2 = numbers
        mean, square = slots
        mean = beta1 * mean + (1.0 - beta1) * g
        square = beta2 * square + (1.0 - beta2) * (g * g)
        direction = (mean / correction1) / (F.sqrt(square / correction2) + epsilon)
        return [variable + c * direction, mean, square]


class AdamaxOptimizer(_MomentsOptimizer):
    """Adamax: m' = beta1 * m + (1 - beta1) * g; u' = max(beta2 * u, |g|).

    v' = v + c / (1 - beta1**t) * m' / (epsilon + u') at batch t, counted from 1.

    Args:
        learning_rate: Factor of each step.
        beta1: Decay of the mean m.
        beta2: Decay of the norm u.
        specified_variable_list: Variables to train; None (default) for all.
        epsilon: Added to the divisor; default 1e-8.

    >>> import py_tensor as pt
    >>> graph = pt.graph.Graph()
    >>> w = graph.variable("w", 3.0)
    >>> optimizer = pt.graph.AdamaxOptimizer(0.1, 0.9, 0.999)
    >>> cost = pt.graph.Session(graph).train(graph.square(w), [], 1, optimizer)
    >>> round(w.node.data.item(), 3)
    2.9
    """

    def settings(self, batch: int) -> list[float]:
        return [self.beta1, self.beta2, self.epsilon, 1.0 - self.beta1**batch]

    @staticmethod
    def updated(numbers: Any, variable: Tensor, g: Tensor, *slots: Tensor) -> list[Tensor]:
        c, beta1, beta2, epsilon, correction = numbers
        mean, norm = slots
        mean = beta1 * mean + (1.0 - beta1) * g
        norm = F.maximum(beta2 * norm, F.abs(g))
        return [variable + c / correction * (mean / (epsilon + norm)), mean, norm]
