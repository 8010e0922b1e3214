import time

import py_tensor as pt

n = 256
a = pt.reshape(pt.arange(n * n, dtype="float32"), (n, n)) % 7 - 3
b = pt.reshape(pt.arange(n * n, dtype="float32"), (n, n)) % 5 - 2

# The first run compiles shaders, later runs reuse a cached plan.
for attempt in range(1, 5):
    start = time.perf_counter()
    product = a @ b
    total = pt.sum(product).item()
    milliseconds = (time.perf_counter() - start) * 1000
    print(f"run {attempt}: {milliseconds:6.1f} ms, sum {total:.0f}")

product
