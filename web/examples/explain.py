import py_tensor as pt

x = pt.reshape(pt.linspace(-1, 1, 12), (3, 4))
y = pt.softmax(x * 3 + 1)

# What was recorded, the kernels it becomes, their shaders.
print(pt.explain(y))

y
