"""Train a small GPT on a repeated sentence and let it continue the text, in plain JAX.

Causal attention with several heads, layer normalization and tied embeddings.
"""

import jax
import jax.numpy as jnp
import py_tensor as pt

TEXT = "the cat sat on the mat. the dog sat on the log. "
CHARS = sorted(set(TEXT))
CONTEXT, WIDTH, HEADS, LAYERS = 12, 16, 2, 1


def weight(rows, columns, seed):
    k = jnp.arange(rows * columns).reshape(rows, columns)
    return 0.35 * jnp.sin(k * (1.3 + 0.17 * seed) + seed)


def init():
    params = {"embed": weight(len(CHARS), WIDTH, 1), "position": weight(CONTEXT, WIDTH, 2)}
    for i in range(LAYERS):
        params[f"block{i}"] = {
            "qkv": weight(WIDTH, 3 * WIDTH, 3 + i),
            "out": weight(WIDTH, WIDTH, 5 + i),
            "up": weight(WIDTH, 4 * WIDTH, 7 + i),
            "down": weight(4 * WIDTH, WIDTH, 9 + i) / 2,
        }
    return params


def normalize(x):
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)


def attention(p, x):
    b, t, c = x.shape
    q, k, v = jnp.split(x @ p["qkv"], 3, axis=-1)
    q, k, v = (z.reshape(b, t, HEADS, c // HEADS).transpose(0, 2, 1, 3) for z in (q, k, v))
    scores = q @ k.swapaxes(-1, -2) / jnp.sqrt(c // HEADS)
    mask = jnp.tril(jnp.ones((t, t), dtype=bool))
    scores = jnp.where(mask, scores, -jnp.inf)
    y = jax.nn.softmax(scores, axis=-1) @ v
    return y.transpose(0, 2, 1, 3).reshape(b, t, c) @ p["out"]


def forward(params, tokens):
    x = params["embed"][tokens] + params["position"][: tokens.shape[1]]
    for i in range(LAYERS):
        p = params[f"block{i}"]
        x = x + attention(p, normalize(x))
        x = x + jax.nn.gelu(normalize(x) @ p["up"]) @ p["down"]
    return normalize(x) @ params["embed"].T


def loss_fn(params, tokens, targets):
    log_p = jax.nn.log_softmax(forward(params, tokens), axis=-1)
    return -jnp.mean(jnp.take_along_axis(log_p, targets[..., None], axis=-1))


@jax.jit
def train_step(params, velocity, tokens, targets):
    loss, grads = jax.value_and_grad(loss_fn)(params, tokens, targets)
    velocity = jax.tree_util.tree_map(lambda v, g: 0.9 * v - 0.1 * g, velocity, grads)
    return jax.tree_util.tree_map(jnp.add, params, velocity), velocity, loss


@jax.jit
def most_likely_next(params, window):
    return forward(params, window)[0, -1].argmax()


def main():
    data = jnp.array([CHARS.index(c) for c in TEXT * 2])
    windows = jnp.arange(0, len(TEXT), 3)[:, None] + jnp.arange(CONTEXT)
    tokens, targets = data[windows], data[windows + 1]
    params = init()
    velocity = jax.tree_util.tree_map(jnp.zeros_like, params)
    losses = []
    for i in range(60):
        params, velocity, loss = train_step(params, velocity, tokens, targets)
        losses.append(float(loss))
        if i % 20 == 0 or i == 59:
            print(f"step {i}: loss {loss:.4f}")
    text = TEXT[:CONTEXT]
    for _ in range(12):
        window = jnp.array([[CHARS.index(c) for c in text[-CONTEXT:]]])
        text += CHARS[int(most_likely_next(params, window))]
    print(text)
    pt.show(pt.plot.line(losses, label="loss", title="Training", x_label="step"))
    return losses[0], losses[-1] < 0.5 * losses[0]


if __name__ == "__main__":
    main()
