import py_tensor as pt

# A network learns a curve from noisy points.
pt.random.seed(7)
x = pt.random.uniform((512, 1), low=-3.0, high=3.0)
y = pt.sin(2 * x) * pt.exp(-x * x / 6) + 0.1 * pt.random.normal((512, 1))

model = pt.nn.Sequential(
    pt.nn.Dense(1, 32), pt.tanh, pt.nn.Dense(32, 32), pt.tanh, pt.nn.Dense(32, 1)
)
history = await pt.train.fit(
    model,
    (x, y),
    loss="mse",
    optimizer=pt.optim.adam(0.02),
    epochs=40,
    batch_size=64,
    validation_split=0.2,
    progress=True,
)
pt.show(history.plot(log="y", height=240))

grid = pt.linspace(-3, 3, 300)
plot = pt.plot.scatter(x.flatten(), y.flatten(), label="data", title="What it learned")
plot.line(grid, model(grid.reshape(-1, 1)).flatten(), label="network")
