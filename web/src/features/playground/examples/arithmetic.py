import py_tensor as pt

# Operations are recorded; nothing is computed yet.
a = pt.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
b = pt.asarray([10.0, 20.0, 30.0])
c = pt.sqrt(a * b + 1) - pt.mean(a)

# Reading a value runs them on the GPU.
print("sum  ", pt.sum(c).item())
print("shape", c.shape, "dtype", c.dtype)

c
