"""L-BFGS, as torch.optim.LBFGS computes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...functions.elementwise import abs as magnitude
from ...functions.joining import concat
from ...tensor import Tensor as Value
from ..autograd import enable_grad, no_grad
from .optimizer import Optimizer


class LBFGS(Optimizer):
    """Steps along directions that the last gradients suggest; a step calls its closure often.

    The step is the learning rate: there is no line search.
    """

    def __init__(
        self, params: Any, lr: float = 1.0, max_iter: int = 20, max_eval: int | None = None,
        tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        if line_search_fn is not None:
            raise ValueError(
                f"LBFGS: there is no line search; got {line_search_fn!r}; use pt.optim.lbfgs, "
                "which has one"
            )
        super().__init__(params, {"lr": lr})
        self.max_iter, self.max_eval = max_iter, max_eval or max_iter * 5 // 4
        self.tolerances = tolerance_grad, tolerance_change
        self.history_size = history_size
        self.steps: list[tuple[Value, Value, float]] = []
        """Changes of the gradient and of the parameters, and 1 / their product."""
        self.scale = 1.0
        self.count = 0
        self.direction: Any = None
        self.before: Any = None
        self.length = 0.0

    def _gradient(self) -> Value:
        parts = []
        for p in self.param_groups[0]["params"]:
            parts.append((p.detach() * 0.0 if p.grad is None else p.grad)._read().reshape(-1))
        return concat(parts)

    def _add(self, length: float, direction: Value) -> None:
        start = 0
        for p in self.param_groups[0]["params"]:
            value, size = p._read(), p.numel()
            part = direction[start : start + size].reshape(value.shape)
            value._move((value + length * part)._node)
            start += size

    def _next(self, g: Value) -> None:
        """Find the next direction."""
        self.count += 1
        if self.count == 1:
            self.direction, self.steps, self.scale = -g, [], 1.0
            return
        y, s = g - self.before, self.direction * self.length
        product = (y * s).sum().item()
        if product > 1e-10:
            self.steps = [*self.steps, (y, s, 1.0 / product)][-self.history_size :]
            self.scale = product / (y * y).sum().item()
        q, shares = -g, []
        for y, s, ro in reversed(self.steps):
            shares.append((s * q).sum() * ro)
            q = q - shares[-1] * y
        r = q * self.scale
        for (y, s, ro), share in zip(self.steps, reversed(shares), strict=True):
            r = r + (share - (y * r).sum() * ro) * s
        self.direction = r

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by up to `max_iter` steps; `closure` computes the loss."""
        if closure is None:
            raise RuntimeError("LBFGS: step needs a closure; got None; pass a function")
        with enable_grad():
            first = closure()
        with no_grad():
            self._iterate(closure, float(first))
        return first

    def _iterate(self, closure: Callable[[], Any], loss: float) -> None:
        rate, (tolerance, least) = self.param_groups[0]["lr"], self.tolerances
        g = self._gradient()
        if magnitude(g).max().item() <= tolerance:
            return
        for iteration in range(self.max_iter):
            self._next(g)
            self.before, previous = g, loss
            first = min(1.0, 1.0 / magnitude(g).sum().item()) if self.count == 1 else 1.0
            self.length = first * rate
            slope = (g * self.direction).sum().item()
            if slope > -least:
                return
            self._add(self.length, self.direction)
            if iteration + 1 == self.max_iter or iteration + 2 > self.max_eval:
                return
            with enable_grad():
                loss = float(closure())
            g = self._gradient()
            done = magnitude(g).max().item() <= tolerance or abs(loss - previous) < least
            if done or magnitude(self.direction * self.length).max().item() <= least:
                return
