import py_tensor as pt

weights = pt.ones((3, 4))
bias = pt.ones((5,))


def layer(x):
    return pt.relu(x + bias)


print("this line runs")
layer(weights)
print("this one does not")
