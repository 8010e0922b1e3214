"""Public names of the package and of a tensor, as editors, `dir` and `inspect` see them."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import py_tensor as pt
from py_tensor import functions
from py_tensor.functions.methods import TensorMemory, TensorMethods, TensorOperators
from py_tensor.late import HOMES
from py_tensor.ops import OP_DEFS
from py_tensor.ops.op_def import Elementwise

pytestmark = pytest.mark.host


def test_dir_shows_public_names_only():
    shown = set(dir(pt))
    assert set(pt.__all__) <= shown
    assert {"linalg", "nn", "io", "__version__"} <= shown
    assert not {"ir", "compiler", "runtime", "ops", "functions", "Any", "annotations"} & shown


def test_dir_of_random_shows_public_names_only():
    """`random` is a module of functions: names that it imports are not public."""
    assert dir(pt.random) == pt.random.__all__
    for name in pt.random.__all__:
        value = getattr(pt.random, name)
        assert callable(value)
        assert name in (value.__name__, getattr(value, "__qualname__", "").rpartition(".")[2])
        assert value.__module__ in (
            "py_tensor.random",
            "py_tensor.numpy_functions.distributions",
            "py_tensor.numpy_functions.generator",
            "py_tensor.numpy_functions.key_draws",
        )
    assert not {"a_shape", "argmax", "os", "Tensor"} & set(dir(pt.random))


@pytest.mark.parametrize("name", functions.CHAPTERS)
def test_functions_with_an_example_are_exported(name):
    chapter = import_module(f"py_tensor.functions.{name}")
    for name, value in vars(chapter).items():
        own = inspect.isfunction(value) and value.__module__ == chapter.__name__
        if own and not name.startswith("_") and ">>> " in (value.__doc__ or ""):
            assert name in METHODS_ONLY or (name in pt.__all__ and getattr(pt, name) is value)


def typed_names(path: Path, package: str) -> set[str]:
    """Return the public names that a package imports for type checkers."""
    blocks = [n for n in ast.parse(path.read_text()).body if isinstance(n, ast.If)]
    names: set[str] = set()
    for node in [node for block in blocks for node in block.body]:
        for alias in node.names if isinstance(node, ast.ImportFrom) and node.module else ():
            module = f"{package}.{node.module}"
            if alias.name != "*":
                names.add(alias.name)
            elif hasattr(imported := import_module(module), "__all__"):
                names |= set(imported.__all__)
            elif (inner := Path(imported.__file__)).name == "__init__.py":
                names |= typed_names(inner, module)
            else:
                names |= {name for name in vars(imported) if name[0] != "_"}
    return names


def test_editors_know_every_public_name():
    shown = typed_names(Path(pt.__file__), "py_tensor")
    assert {"jit", "where", "cumsum"} <= shown
    eager = ("dtypes", "tensor")
    assert {n for n, home in HOMES.items() if home not in eager} - shown == set()


def test_no_module_hides_a_function_of_its_package():
    """After its import a module is an attribute of the package, where the name is looked up."""
    root = Path(pt.__file__).parent
    looked_up = [(n, home) for n, home in HOMES.items() if "functions." in home]
    for name, home in looked_up:
        assert not (root / home.replace(".", "/")).with_name(f"{name}.py").exists(), name


def test_public_names_are_those_of_their_modules():
    for name, module in HOMES.items():
        assert getattr(pt, name) is getattr(import_module(f"py_tensor.{module}"), name)


def test_packages_have_only_the_names_of_their_modules():
    assert functions.where is pt.where
    with pytest.raises(AttributeError, match="no attribute"):
        functions.cumsum  # noqa: B018


OF_ANY_TYPE = {
    # Trees of containers of tensors, and their parts.
    *(
        "tree",
        "others",
        "rest",
        "pytree",
        "primals",
        "initializer",
        "in_axes",
        "out_axes",
        "values",
    ),
    *("specs", "named"),
    # Objects of the page, and whatever may be asked about.
    *("canvas", "item", "source", "target", "y"),
    # Arguments that are handed on, or refused with a text of their own.
    *("args", "kwargs", "kw", "options"),
}
"""Names of parameters whose type is `Any`; all others say what they take."""


def test_parameters_say_what_they_take():
    untyped = {
        f"{name}({parameter.name})"
        for name in pt.__all__
        if inspect.isfunction(value := getattr(pt, name))
        for parameter in inspect.signature(value).parameters.values()
        if parameter.annotation == "Any" and parameter.name not in OF_ANY_TYPE
    }
    assert untyped == set()


def test_the_first_import_loads_little():
    """The compiler and the transformations are imported when they are first used."""
    script = "import py_tensor, sys; print(*(m for m in sys.modules if m.startswith('py_tensor.')))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = {name.split(".")[1] for name in done.stdout.split()}
    assert not loaded & {"compiler", "transforms", "diagnostics", "linalg", "nn", "random"}


TENSOR_IMPORTS = {
    "package first": "import py_tensor as pt; import py_tensor.tensor",
    "module first": "import py_tensor.tensor; import py_tensor as pt",
    "class first": "from py_tensor.tensor import Tensor; import py_tensor as pt",
    "name": "from py_tensor import tensor; import py_tensor as pt; assert tensor is pt.tensor",
    "lazy modules in between": "import py_tensor as pt; pt.jit, pt.nn, pt.gradient, pt.linalg; "
    "import py_tensor.tensor",
    "by its name": "import py_tensor as pt; from importlib import import_module; "
    "assert import_module('py_tensor.tensor').Tensor is pt.Tensor",
}


@pytest.mark.parametrize("name", TENSOR_IMPORTS)
def test_tensor_is_a_function_after_every_import_of_its_module(name):
    script = f"""
{TENSOR_IMPORTS[name]}
import pickle
from py_tensor.tensor import Tensor, realize
assert pt.tensor is pt.asarray and pt.tensor([1, 2], dtype="float32").tolist() == [1.0, 2.0]
assert Tensor is pt.Tensor and realize is pt.realize
assert pickle.loads(pickle.dumps(pt.Tensor)) is pt.Tensor
assert pickle.loads(pickle.dumps(pt.tensor([3]))).tolist() == [3]
assert pt.tensor is pt.asarray and "tensor" in pt.__all__
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_elementwise_op_has_a_function():
    for op in OP_DEFS.values():
        if isinstance(op, Elementwise) and op.public:
            function = getattr(pt, op.name)
            assert function.__doc__.startswith(op.doc)
            assert op.name == "where" or getattr(pt.Tensor, op.name) is function


def test_every_operator_of_an_op_is_bound():
    for op in OP_DEFS.values():
        if isinstance(op, Elementwise) and op.dunder:
            assert op.dunder in vars(TensorOperators)
            bare = op.dunder.strip("_")
            if op.arity == 2 and op.result != "bool":
                assert {f"__r{bare}__", f"__i{bare}__"} <= set(vars(TensorOperators))


def test_methods_are_the_functions():
    """A method is bound to the function of its name, so that both have one docstring."""
    for name in (*vars(TensorMemory), *vars(TensorMethods)):
        # A chapter is imported when one of its methods is looked up.
        value = getattr(TensorMethods, name)
        if inspect.isfunction(value) and not name.startswith("_") and name not in OTHER:
            assert getattr(pt, name) is value


OTHER = {
    *("reshape", "transpose", "compress", "conjugate", "fill", "partition", "sort", "tobytes"),
    *("data", "numpy", "to_device", "block_until_ready", "devices", "view"),
}
"""Methods that are not the function of their name."""
METHODS_ONLY = {"reshape_to", "transpose_to", "get"}
"""Functions that are methods or operators only."""


def test_every_name_in_dir_can_be_read():
    for name in dir(pt):
        getattr(pt, name)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4)])
def test_members_of_a_tensor_can_be_listed(shape):
    members = dict(inspect.getmembers(pt.ones(shape)))
    assert members["ndim"] == len(shape)
    assert ("mT" in members) == (len(shape) >= 2)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4)])
def test_t_reverses_all_axes(shape):
    assert pt.ones(shape).T.shape == shape[::-1]


def test_dtypes_hash_like_their_names():
    assert pt.float32 == "float32"
    assert hash(pt.float32) == hash("float32")
    assert {"float32": 1}[pt.float32] == 1
    assert pt.float32 != pt.float16
