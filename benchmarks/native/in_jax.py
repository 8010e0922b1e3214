"""The workloads in plain JAX; functions of the inputs that return a function of one repetition."""

import jax
import jax.numpy as jnp
from jax import lax


def compiled(function):
    jitted = jax.jit(function)
    return lambda *inputs: lambda: jitted(*inputs)


def chained(x):
    return jnp.maximum(((x * 1.5 + 0.25) * x - 0.25) / 3.0, 0.0) * 0.5 + x


matmul = compiled(jnp.matmul)
chain = compiled(chained)
softmax = compiled(lambda x: jax.nn.softmax(x, axis=-1))


def eager_add(a, b):
    return lambda: a + b


def convolved(x, w, stride=1, groups=1):
    return lax.conv_general_dilated(
        x,
        w,
        (stride, stride),
        "SAME",
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        feature_group_count=groups,
    )


def mobilenet(blocks):
    def logits(image, weights):
        layers = iter(zip(weights[::2], weights[1::2], strict=True))

        def layer(x, stride=1, groups=1):
            w, bias = next(layers)
            return convolved(x, w, stride, groups) + bias

        x = jax.nn.relu6(layer(image, stride=2))
        for block in blocks:
            y = jax.nn.relu6(layer(x)) if block["expand"] else x
            y = jax.nn.relu6(layer(y, stride=block["stride"], groups=y.shape[-1]))
            y = layer(y)
            x = x + y if block["residual"] else y
        x = jax.nn.relu6(layer(x))
        w, bias = next(layers)
        return jnp.mean(x, axis=(1, 2)) @ w + bias

    return compiled(logits)


def training(logits):
    """Return a workload: a step of Adam, as `pt.optim.adam` takes it."""

    def loss(weights, images, labels):
        scores = jax.nn.log_softmax(logits(images, weights))
        return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=-1))

    def update(state, images, labels):
        weights, first, second, count = state
        value, gradients = jax.value_and_grad(loss)(weights, images, labels)
        count = count + 1
        first = [0.9 * m + 0.1 * g for m, g in zip(first, gradients, strict=True)]
        second = [0.999 * v + 0.001 * g * g for v, g in zip(second, gradients, strict=True)]
        rate = 1e-3 * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        weights = [
            w - rate * m / (jnp.sqrt(v) + 1e-7)
            for w, m, v in zip(weights, first, second, strict=True)
        ]
        return (weights, first, second, count), value

    step = jax.jit(update, donate_argnums=0)

    def made(images, labels, weights):
        # Donated weights must not be those of another workload.
        weights = [jnp.array(w) for w in weights]
        zeros = [jnp.zeros_like(w) for w in weights]
        state = (weights, zeros, [jnp.zeros_like(w) for w in weights], jnp.float32(0))

        def run():
            nonlocal state
            state, value = step(state, images, labels)
            return value

        return run

    return made


def mlp_logits(x, weights):
    *hidden, (w, b) = zip(weights[::2], weights[1::2], strict=True)
    for v, c in hidden:
        x = jax.nn.relu(x @ v + c)
    return x @ w + b


def cnn_logits(x, weights):
    *hidden, (w, b) = zip(weights[::2], weights[1::2], strict=True)
    for v, c in hidden:
        x = jax.nn.relu(convolved(x, v) + c)
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x.reshape(x.shape[0], -1) @ w + b


mlp_step, cnn_step = training(mlp_logits), training(cnn_logits)
