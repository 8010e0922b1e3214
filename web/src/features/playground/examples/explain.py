import py_tensor as pt

x = pt.reshape(pt.linspace(-1, 1, 12), (3, 4))
y = pt.softmax(x * 3 + 1)

# Prints the recorded operations, the kernels and their shaders.
print(pt.explain(y))

y
