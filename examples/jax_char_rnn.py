"""Train a recurrent network to predict the next character, with `lax.scan` over time.

Gradients are clipped by their norm.
"""

import jax
import jax.numpy as jnp
import py_tensor as pt
from jax import lax

TEXT = "hello world, hello tensors, hello world, hello shaders, "
CHARS = sorted(set(TEXT))
HIDDEN = 24


def init():
    n = len(CHARS)
    shapes = {"wx": (n, HIDDEN), "wh": (HIDDEN, HIDDEN), "wy": (HIDDEN, n)}
    params = {}
    for i, (name, (a, b)) in enumerate(shapes.items()):
        k = jnp.arange(a * b, dtype=jnp.float32).reshape(a, b)
        params[name] = 0.3 * jnp.sin(k * 1.1 + i)
    params["bh"] = jnp.zeros(HIDDEN)
    params["by"] = jnp.zeros(n)
    return params


def cell(params, h, x):
    h = jnp.tanh(x @ params["wx"] + h @ params["wh"] + params["bh"])
    return h, h @ params["wy"] + params["by"]


def loss_fn(params, inputs, targets):
    _, logits = lax.scan(lambda h, x: cell(params, h, x), jnp.zeros(HIDDEN), inputs)
    return -jnp.mean(jnp.sum(targets * jax.nn.log_softmax(logits), axis=-1))


@jax.jit
def update(params, inputs, targets):
    loss, grads = jax.value_and_grad(loss_fn)(params, inputs, targets)
    norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree_util.tree_leaves(grads)))
    scale = jnp.minimum(1.0, 1.0 / (norm + 1e-6))
    return {k: params[k] - 0.5 * scale * grads[k] for k in params}, loss


def main():
    index = jnp.array([CHARS.index(c) for c in TEXT])
    one_hot = jax.nn.one_hot(index, len(CHARS))
    params = init()
    losses = []
    for i in range(60):
        params, loss = update(params, one_hot[:-1], one_hot[1:])
        losses.append(float(loss))
    print("losses:", " ".join(f"{loss:.3f}" for loss in losses[::15]))
    h, text = jnp.zeros(HIDDEN), "h"
    for _ in range(10):
        h, logits = cell(params, h, jax.nn.one_hot(CHARS.index(text[-1]), len(CHARS)))
        text += CHARS[int(jnp.argmax(logits))]
    print(text)
    pt.show(pt.plot.line(losses, label="loss", title="Training"))
    return losses[0], losses[5], losses[-1] < 0.6 * losses[0]


if __name__ == "__main__":
    main()
