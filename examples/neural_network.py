"""Train a network with one hidden layer by hand-written backpropagation on the XOR problem.

The gradient is checked against finite differences first.
"""

import numpy as np
import py_tensor as pt


class Network:
    def __init__(self, sizes):
        self.weights, self.biases = [], []
        for n_in, n_out in zip(sizes[:-1], sizes[1:]):
            k = np.arange(n_in * n_out).reshape(n_in, n_out)
            self.weights.append(np.sin(3.0 * k + 1) * np.sqrt(2 / n_in))
            self.biases.append(np.zeros(n_out))

    def forward(self, x):
        self.activations = [x]
        for i, (w, b) in enumerate(zip(self.weights, self.biases)):
            x = x @ w + b
            x = np.tanh(x) if i < len(self.weights) - 1 else 1 / (1 + np.exp(-x))
            self.activations.append(x)
        return x

    def loss(self, x, y):
        p = self.forward(x)
        return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))

    def backward(self, y):
        delta = (self.activations[-1] - y) / len(y)
        grads = []
        for i in reversed(range(len(self.weights))):
            a = self.activations[i]
            grads.insert(0, (a.T @ delta, delta.sum(axis=0)))
            delta = (delta @ self.weights[i].T) * (1 - a**2)
        return grads


def main():
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    y = np.array([[0], [1], [1], [0]])
    net = Network([2, 8, 1])

    net.forward(x)
    grads = net.backward(y)
    eps = 1e-2
    net.weights[0][0, 3] += eps
    up = net.loss(x, y)
    net.weights[0][0, 3] -= 2 * eps
    down = net.loss(x, y)
    net.weights[0][0, 3] += eps
    numeric = (up - down) / (2 * eps)
    print(f"gradient {grads[0][0][0, 3]:.5f}, by differences {numeric:.5f}")

    for epoch in range(200):
        loss = net.loss(x, y)
        for layer, (gw, gb) in enumerate(net.backward(y)):
            net.weights[layer] -= 1.0 * gw
            net.biases[layer] -= 1.0 * gb
        if epoch % 50 == 0:
            print(f"epoch {epoch}: loss {loss:.4f}")
    out = net.forward(x)
    for point, p in zip(x, out):
        print(point, "->", round(float(p[0]), 3))
    side = np.linspace(-0.5, 1.5, 40)
    plane = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    pt.show(pt.plot.image(net.forward(plane).reshape(40, 40), title="Output for inputs up to 1.5"))
    return out, numeric


if __name__ == "__main__":
    main()
