"""A class to add to `einops/_backends.py`, written like those for NumPy and PyTorch."""

from einops._backends import AbstractBackend


class PyTensorBackend(AbstractBackend):
    framework_name = "py_tensor"

    def __init__(self):
        import py_tensor

        self.pt = py_tensor

    def is_appropriate_type(self, tensor):
        return isinstance(tensor, self.pt.Tensor)

    def from_numpy(self, x):
        return self.pt.asarray(x)

    def to_numpy(self, x):
        return x.numpy()

    def arange(self, start, stop):
        return self.pt.arange(start, stop)

    def stack_on_zeroth_dimension(self, tensors: list):
        return self.pt.stack(tensors)

    def add_axes(self, x, n_axes, pos2len):
        shape = list(x.shape)
        for position in sorted(pos2len):
            shape.insert(position, 1)
        assert len(shape) == n_axes
        x = self.pt.reshape(x, tuple(shape))
        for position, length in pos2len.items():
            shape[position] = length
        return self.pt.broadcast_to(x, tuple(shape))

    def tile(self, x, repeats):
        return self.pt.tile(x, repeats)

    def concat(self, tensors, axis: int):
        return self.pt.concat(tensors, axis=axis)

    def is_float_type(self, x):
        return self.pt.isdtype(x.dtype, "real floating")

    def add_axis(self, x, new_position):
        return self.pt.expand_dims(x, axis=new_position)

    def einsum(self, pattern, *x):
        return self.pt.einsum(pattern, *x)
