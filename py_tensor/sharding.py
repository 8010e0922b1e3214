"""Tensors on several devices, through `jax.sharding`.

Input: tensors, a mesh of devices, and specs, which name the mesh axis that each axis of a tensor is
divided along. Output: the same tensors, placed on the devices of the mesh. XLA divides the work on
them, and moves data between devices and processes. These functions need the JAX backend.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from .dtypes import wrong_type
from .errors import ArgumentError, BackendError
from .functions.arguments import items
from .ir.node import leaf_node, own_tapes, tensor_spec
from .ir.pytree import leaf_names, tree_flatten, tree_map, tree_unflatten
from .ops.index_map import make_view, row_major
from .ops.op_def import ViewOp
from .runtime.executor import backend
from .runtime.scopes import state
from .tensor import Tensor, apply, as_tensor, realize

if TYPE_CHECKING:
    from jax.sharding import Mesh, NamedSharding

__all__ = ["mesh", "shard", "shard_batch", "use"]


def _constrained(x: Any, sharding: NamedSharding) -> Any:
    from jax import lax

    constrain: Any = lax.with_sharding_constraint
    return constrain(x, sharding)


SHARD: ViewOp = ViewOp(
    name="shard",
    view=lambda shape, sharding: (shape, make_view(shape, row_major(shape))),
    reference=lambda xp, x, sharding: x,
    jax=_constrained,
    gradient=(lambda pt, g, y, x, sharding: pt.apply(SHARD, (g,), sharding),),
    public=False,
    doc="Place the elements on the devices of a mesh.",
)


def mesh(
    axis_shapes: Sequence[int], axis_names: Sequence[str], *, devices: Sequence[Any] | None = None
) -> Mesh:
    """Arrange devices in a mesh with named axes, as `jax.make_mesh` does.

    Args:
        axis_shapes: Number of devices along each axis, for example (4, 2).
        axis_names: Name of each axis, for example ("data", "model").
        devices: Devices of JAX; None (default) for all, those of other processes included.

    Returns:
        `jax.sharding.Mesh`.

    Raises:
        BackendError: If the JAX backend is not in use.
        ArgumentError: If there are too few devices, or shapes and names do not fit.

    On 8 devices:

        pt.set_backend("jax")
        mesh = pt.sharding.mesh((4, 2), ("data", "model"))
    """
    jax = _jax("mesh")
    shapes, names = items("mesh", "axis_shapes", axis_shapes), items("mesh", "names", axis_names)
    try:
        automatic = (jax.sharding.AxisType.Auto,) * len(names)
        made: Mesh = jax.make_mesh(shapes, names, automatic, devices=devices)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"mesh: cannot arrange devices; got {shapes} for axes {names}: {error!s:.200}; "
            f"{jax.device_count()} devices are available"
        ) from None
    return made


def shard(x: Any, mesh: Mesh, spec: Any = ()) -> Any:
    """Place tensors on the devices of a mesh, divided as a spec says.

    Inside `jit` and gradients this is a constraint, as `jax.lax.with_sharding_constraint`. In a job
    of several processes all must pass the same values.

    Args:
        x: Tensor or array, or a tree of them, for example a model.
        mesh: Mesh of devices.
        spec: Name of the mesh axis that divides each axis of the tensor, in a tuple or a
            `jax.sharding.PartitionSpec`; None for an axis that is not divided, () (default) to have
            all elements on each device. For a tree also a dict from patterns of names, such as
            "layers.*.weight", to specs: the first that fits counts, other leaves are not divided.

    Returns:
        Tensor or tree of the same values. `t.sharding` shows the placement.

    Raises:
        BackendError: If the JAX backend is not in use.
        ArgumentError: If the spec does not fit the mesh or the tensor, or no name fits a pattern.

    On 8 devices:

        mesh = pt.sharding.mesh((4, 2), ("data", "model"))
        x = pt.sharding.shard(pt.ones((8, 6)), mesh, ("data", "model"))
        model = pt.sharding.shard(model, mesh, {"*.weight": (None, "model")})
    """
    _jax("shard")
    patterns = spec if isinstance(spec, Mapping) else {"*": spec}
    leaves, structure = tree_flatten(x)
    names = leaf_names(x)
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise ArgumentError(
                f"shard: no tensor has such a name; got {pattern!r} for {', '.join(names[:5])}; "
                'use for example "layers.*.weight"'
            )
    placed = []
    for name, leaf in zip(names, leaves, strict=True):
        own = next((spec for key, spec in patterns.items() if fnmatchcase(name, key)), ())
        number = isinstance(leaf, (bool, int, float))
        placed.append(
            leaf
            if number
            else _placed(as_tensor("shard", leaf), named_sharding("shard", mesh, own))
        )
    return tree_unflatten(structure, placed)


def _placed(tensor: Tensor, sharding: NamedSharding) -> Tensor:
    """Return a tensor on the devices of a sharding."""
    try:
        sharding.shard_shape(tensor.shape)
    except ValueError as error:
        raise ArgumentError(
            f"shard: spec does not fit the tensor; got {sharding.spec} for shape {tensor.shape}: "
            f"{error!s:.200}; use axes whose lengths are multiples of the numbers of devices"
        ) from None
    if state.trace is not None or own_tapes():
        return apply(SHARD, (tensor,), sharding)
    import jax

    with _failures_named():
        # A copy of its own can be donated.
        return _tensor(jax.device_put(_array(tensor), sharding, may_alias=False))


def shard_batch(batch: Any, mesh: Mesh) -> Any:
    """Divide the rows of a batch along the first axis of a mesh.

    In a job of several processes each process passes rows of its own, the same number in all. The
    result has the rows of all processes. In a single process, rows that cannot be divided evenly
    are placed on each device instead.

    Args:
        batch: Tree of tensors whose first axis counts rows.
        mesh: Mesh of devices.

    Returns:
        Tree of tensors.

    Raises:
        BackendError: If the JAX backend is not in use.
        ArgumentError: In a job of several processes, if the rows cannot be divided evenly.

    On 8 devices:

        mesh = pt.sharding.mesh((8,), ("data",))
        x, y = pt.sharding.shard_batch((pt.ones((32, 4)), pt.ones(32)), mesh)
    """
    jax = _jax("shard_batch")
    rows = named_sharding("shard_batch", mesh, mesh.axis_names[0])

    def divided(leaf: Any) -> Tensor:
        tensor = as_tensor("shard_batch", leaf)
        if jax.process_count() == 1:
            even = tensor.ndim and tensor.shape[0] % mesh.devices.shape[0] == 0
            return _placed(tensor, rows if even else named_sharding("shard_batch", mesh, ()))
        try:
            array = jax.make_array_from_process_local_data(rows, tensor.numpy())
        except ValueError as error:
            raise ArgumentError(
                f"shard_batch: rows cannot be divided among the devices; got shape {tensor.shape} "
                f"in one of {jax.process_count()} processes: {error!s:.200}; use batches of a "
                "multiple of the number of devices, and drop_remainder=True"
            ) from None
        return _tensor(array)

    return tree_map(divided, batch)


def use(mesh: Mesh) -> AbstractContextManager[Any]:
    """Compute on all devices of a mesh inside a `with` block, as `jax.set_mesh` does.

    `train.fit` uses this mesh if it is given none.

    Args:
        mesh: Mesh of devices.

    Returns:
        Context manager.

    Raises:
        BackendError: If the JAX backend is not in use.

    On 8 devices:

        with pt.sharding.use(pt.sharding.mesh((8,), ("data",))):
            history = await pt.train.fit(model, data, loss="mse", optimizer="adam")
    """
    manager: AbstractContextManager[Any] = _jax("use").set_mesh(automatic("use", mesh))
    return manager


def mesh_in_use() -> Mesh | None:
    """Return the mesh of `use`, or None."""
    if not backend().jax_arrays:
        return None
    from jax.sharding import get_mesh

    mesh = get_mesh()
    return None if mesh.empty else mesh


def process() -> tuple[int, int]:
    """Return the number of this process and the count of all processes of the job."""
    if not backend().jax_arrays:
        return 0, 1
    import jax

    return jax.process_index(), jax.process_count()


def wait_for_processes(name: str) -> None:
    """Wait until all processes of the job have come to the same call."""
    if process()[1] > 1:
        from jax.experimental.multihost_utils import sync_global_devices

        with _failures_named():
            sync_global_devices(name)


def with_sharding(tensor: Tensor, sharding: NamedSharding | None) -> Tensor:
    """Return the tensor with a placement; None keeps it as it is."""
    return tensor if sharding is None else _placed(tensor, sharding)


def named_sharding(operation: str, mesh: Mesh, spec: Any) -> NamedSharding:
    """Return the placement on a mesh that a spec describes."""
    from jax import sharding

    made: Any = sharding.PartitionSpec
    if not isinstance(spec, sharding.PartitionSpec):
        names = (spec,) if spec is None or isinstance(spec, str) else items(operation, "spec", spec)
        spec = made(*names)
    while spec and spec[-1] is None:  # JAX would compile again for an equal spec
        spec = made(*spec[:-1])
    try:
        return sharding.NamedSharding(automatic(operation, mesh), spec)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"{operation}: spec does not fit the mesh; got {spec} for axes {mesh.axis_names}: "
            f"{error!s:.200}; use names of axes of the mesh, each once"
        ) from None


@contextmanager
def _failures_named() -> Iterator[None]:
    """Raise an error of the job, for example after another process has ended, as BackendError."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        from .runtime.backends.jax import raise_failure

        raise_failure(error)


def automatic(operation: str, mesh: Any) -> Mesh:
    """Return a mesh whose axes XLA divides the work along; `jax.make_mesh` makes other ones."""
    _jax(operation)
    from jax.sharding import Mesh

    if not isinstance(mesh, Mesh):
        raise wrong_type(operation, "mesh", "a mesh", mesh, "pt.sharding.mesh")
    return Mesh(mesh.devices, mesh.axis_names)


def _array(tensor: Tensor) -> Any:
    """Return the array of JAX that holds a tensor's elements."""
    realize(tensor)
    node: Any = tensor._node
    engine: Any = backend()
    return engine.array(node.buffer, node.spec)


def _tensor(array: Any) -> Tensor:
    """Return a tensor of a new array of JAX."""
    engine: Any = backend()
    buffer, shape = engine.adopt(array)
    # Nothing else uses its memory.
    buffer.users = 0
    return Tensor(leaf_node(buffer, tensor_spec(shape, buffer.dtype)))


def _jax(operation: str) -> Any:
    """Return the module `jax`; raise BackendError if the JAX backend is not in use."""
    if not backend().jax_arrays:
        raise BackendError(
            f'{operation}: several devices need the JAX backend; got backend "{backend().name}"; '
            'call pt.set_backend("jax") first'
        )
    import jax

    return jax
