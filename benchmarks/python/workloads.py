"""The workloads in py_tensor: functions of the inputs that return a function of one repetition.

A repetition returns a lazy result, which the caller computes, or reads or draws itself.
"""

import mobilenet
import training

import py_tensor as pt

WORKLOADS = {}


def workload(make):
    """Register a function under its name."""
    WORKLOADS[make.__name__] = make
    return make


@workload
def matmul(a, b):
    return lambda: a @ b


@workload
def batched_matmul(a, b):
    return lambda: a @ b


def chained(x):
    """Apply eight elementwise operations."""
    return pt.relu(((x * 1.5 + 0.25) * x - 0.25) / 3.0) * 0.5 + x


@workload
def elementwise_chain(x):
    return lambda: chained(x)


@workload
def bias_relu(x, bias):
    return lambda: pt.relu(x + bias)


@workload
def sum(x, axis):
    return lambda: pt.sum(x, axis=axis)


@workload
def softmax(x):
    return lambda: pt.softmax(x)


@workload
def exp(x):
    return lambda: pt.exp(x)


@workload
def eager_add(a, b):
    return lambda: a + b


@workload
def sort(x):
    return lambda: pt.sort(x)


@workload
def layer_norm(x, scale, shift, epsilon):
    def step():
        mean = pt.mean(x, axis=-1, keepdims=True)
        variance = pt.var(x, axis=-1, keepdims=True)
        return (x - mean) * pt.rsqrt(variance + epsilon) * scale + shift

    return step


@workload
def attention(q, k, v, scale):
    return lambda: pt.nn.scaled_dot_product_attention(q, k, v, scale=scale)


@workload
def scatter_add(values, positions, length):
    return lambda: pt.segment_sum(values, positions, length)


@workload
def int8_product(a, b):
    a, b = a.astype("int8"), b.astype("int8")
    pt.realize(a, b)
    return lambda: a.astype("int32") @ b.astype("int32")


@workload
def product_chain(x, w, length):
    @pt.jit
    def products(x, w):
        for _ in range(length):
            x = x @ w
        return x

    return lambda: products(x, w)


@workload
def argmax(x):
    return lambda: pt.argmax(x, axis=-1)


@workload
def transpose(x):
    return lambda: pt.permute_dims(x, (1, 0))


@workload
def gather(table, indices):
    return lambda: pt.take(table, indices, axis=0)


@workload
def cumulative_sum(x):
    return lambda: pt.cumulative_sum(x, axis=-1)


@workload
def concat(*parts):
    return lambda: pt.concat(parts, axis=1)


def added(a, b, length):
    """Add `b` to `a` `length` times."""
    for _ in range(length):
        a = a + b
    return a


@workload
def add_chain(a, b, length):
    return lambda: added(a, b, length)


@workload
def add_chain_jit(a, b, length):
    chain = pt.jit(lambda a, b: added(a, b, length))
    return lambda: chain(a, b)


@workload
def conv2d(x, w, stride):
    return lambda: pt.conv2d(x, w, stride=stride, padding="same")


@workload
def depthwise_conv2d(x, w, stride):
    return lambda: pt.conv2d(x, w, stride=stride, padding="same", groups=x.shape[-1])


@workload
def conv2d_transpose(x, w, stride):
    return lambda: pt.conv2d_transpose(x, w, stride=stride, padding="same")


@workload
def max_pool2d(x, window, stride):
    return lambda: pt.max_pool2d(x, window, stride=stride, padding="valid")


@workload
def mobilenet_v2(image, *weights, blocks):
    return lambda: mobilenet.logits(image, weights, blocks)


@workload
def mobilenet_v2_jit(image, *weights, blocks):
    network = pt.jit(lambda image: mobilenet.logits(image, weights, blocks))
    return lambda: network(image)


@pt.kernel(shape=lambda u, v: u.shape, border="wrap")
def react(i, j, u, v):
    lap_u = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
    lap_v = v[i - 1, j] + v[i + 1, j] + v[i, j - 1] + v[i, j + 1] - 4.0 * v[i, j]
    r = u[i, j] * v[i, j] * v[i, j]
    fed = 0.16 * lap_u - r + 0.035 * (1.0 - u[i, j])
    return u[i, j] + fed, v[i, j] + 0.08 * lap_v + r - 0.1 * v[i, j]


@workload
def gray_scott(u, v, steps):
    @pt.jit
    def run(u, v):
        for _ in range(steps):
            u, v = react(u, v)
        return u + v

    return lambda: run(u, v)


@workload
def train_mlp(*inputs, rate):
    return training.mlp(inputs, rate)


@workload
def train_cnn(*inputs, rate):
    return training.cnn(inputs, rate)


@workload
def upload(data, shape):
    return lambda: pt.relu(pt.asarray(data))


@workload
def read_back(x):
    return lambda: memoryview(x + 1.0)


@workload
def read_back_async(x):
    async def step():
        return await (x + 1.0).data()

    return step


@workload
def draw(x, canvas):
    def step():
        pt.draw((x + 1.0) / 2.0, canvas)
        return canvas

    return step
