"""MkDocs hooks for the reference pages of mkdocstrings, the version, and a part of the search.

mike keeps the documentation of all versions on a branch, in a folder each, and a list of them.
Without it there is one version, in the folder latest, for which a hook writes the same files.
"""

from __future__ import annotations

import inspect
import json
import os
from importlib import import_module, resources
from operator import attrgetter
from pathlib import Path
from typing import Any

from jinja2 import Template
from mike.mkdocs_utils import docs_version_var
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import py_tensor
from py_tensor import functions
from py_tensor.late import NAMES as PUBLIC_NAMES

ROOT = Path(__file__).parent.parent
PACKAGE = py_tensor.__name__

SPELLINGS = [
    *("True_", "False_", "euler_gamma", "absolute", "amax", "amin", "arccos", "arccosh", "arcsin"),
    *("arcsinh", "arctan", "arctan2", "arctanh", "around", "asanyarray", "ascontiguousarray"),
    *("asfortranarray", "bitwise_not", "concatenate", "conjugate", "fix", "invert", "left_shift"),
    *("mod", "ndarray", "power", "promote_types", "right_shift", "true_divide", "bool_", "byte"),
    *("ubyte", "short", "ushort", "int_", "intc", "intp", "uint", "uintc", "uintp", "half"),
    *(
        "single",
        "csingle",
        "tensor",
        "float64",
        "int64",
        "uint64",
        "complex128",
        "double",
        "cdouble",
        "long",
    ),
    *("longlong", "ulong", "ulonglong", "Array"),
]

GROUPS = {
    "Tensor": "Tensor realize",
    "Dtypes and constants": "bool complex64 float16 float32 int8 int16 int32 uint8 uint16 uint32 "
    "e inf nan newaxis pi __array_api_version__ __array_namespace_info__",
    "NumPy's and PyTorch's spellings": " ".join(SPELLINGS),
    "Differentiation": "grad value_and_grad vjp jvp linearize jacfwd jacrev jacobian hessian "
    "stop_gradient custom_gradient custom_jvp custom_vjp checkpoint remat checkpoint_name",
    "Devices": "devices device_count device_get device_put block_until_ready default_backend "
    "local_devices local_device_count",
    "Vectorization": "vmap",
    "Precision": "autocast quantize dequantize",
    "Compilation": "jit warmup eval_shape make_jaxpr ShapeDtype",
    "Kernels": "kernel glsl_kernel shared barrier local_index",
    "Trees": "tree_flatten tree_leaves tree_map tree_map_with_path tree_reduce tree_unflatten "
    "ravel_pytree",
    "Memory": "memory memory_trace assert_no_leaks tidy keep dispose cache_info Memory MemoryTrace "
    "CacheInfo",
    "Measuring and settings": "time profile env Timing Profile",
    "Images": "draw from_pixels frames next_frame to_pixels Frame",
    "Display": "show progress",
    "Backends and debugging": "get_backend set_backend ready register_backend explain "
    "enable_debug_mode enable_production_mode enable_x64",
}
"""Top-level names that are in no chapter of `py_tensor.functions`."""

# fmt: off
NAMESPACES = (
    "ad_checkpoint", "audio", "checkpoint_policies", "data", "debug", "errors",
    "example_libraries", "example_libraries.optimizers", "example_libraries.stax", "fft",
    "graph", "image", "io", "kernels", "lax", "lib", "lib.stride_tricks", "linalg", "models",
    "nn", "nn.initializers", "onnx", "optim", "plot", "ragged", "random", "scipy",
    "scipy.integrate", "scipy.linalg", "scipy.ndimage", "scipy.signal", "scipy.sparse",
    "scipy.sparse.linalg", "scipy.special", "scipy.stats", "scipy.stats.bernoulli",
    "scipy.stats.beta", "scipy.stats.binom", "scipy.stats.cauchy", "scipy.stats.chi2",
    "scipy.stats.dirichlet", "scipy.stats.expon", "scipy.stats.gamma", "scipy.stats.laplace",
    "scipy.stats.logistic", "scipy.stats.multivariate_normal", "scipy.stats.norm",
    "scipy.stats.poisson", "scipy.stats.t", "scipy.stats.uniform", "sharding", "signal",
    "sparse", "test_util", "text", "train", "tree", "tree_util", "typing", "vision",
)
# fmt: on
IN_GUIDES = ("numpy",)
"""Namespaces with the names of another library, which a guide such as from_numpy.md compares."""


def public_names(module: Any) -> list[str]:
    """Return the names in a module's `__all__`, or the names that it defines if it has none."""
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]
    return sorted((n for n in names if not inspect.ismodule(getattr(module, n))), key=str.casefold)


def sections() -> dict[str, dict[str, tuple[str, list[str]]]]:
    """Return the sections, with introduction and documented names of each page."""
    modules = [import_module(f"py_tensor.functions.{name}") for name in functions.CHAPTERS]
    chapters = {
        chapter.__name__.rpartition(".")[2].replace("_", " ").capitalize(): (
            summary(chapter),
            [
                name
                for name in py_tensor.__all__
                if home(name) == chapter.__name__ and name not in SPELLINGS
            ],
        )
        for chapter in modules
    } | {
        f"NumPy's {module.rpartition('.')[2].replace('_', ' ')}": (
            summary(import_module(f"{PACKAGE}.{module}")),
            names.split(),
        )
        for module, names in PUBLIC_NAMES.items()
        if module.startswith("numpy_functions.")
    }
    namespaces = {}
    for name in NAMESPACES:
        module = attrgetter(name)(py_tensor)
        names = [f"{name}.{member}" for member in public_names(module)]
        namespaces[f"pt.{name}"] = summary(module), names
    return {
        "Tensors and transformations": {
            title: ("", names.split()) for title, names in GROUPS.items()
        },
        "Functions": chapters,
        "Namespaces": namespaces,
    }


def home(name: str) -> str:
    """Return the name of the module that defines a public name."""
    return getattr(getattr(py_tensor, name), "__module__", "")


def summary(module: Any) -> str:
    """Return the first paragraph of a module's docstring."""
    return inspect.cleandoc(module.__doc__ or "").partition("\n\n")[0]


def original(name: str) -> str:
    """Return the name under which an object that a namespace exports as `name` is documented."""
    space, _, short = name.rpartition(".")
    value = attrgetter(name)(py_tensor)
    if getattr(py_tensor, short, None) is value:
        return short
    if not space or short in vars(attrgetter(space)(py_tensor)):
        return name
    # Names that are imported when they are first used, among them methods of an object.
    return f"{value.__module__.removeprefix(f'{PACKAGE}.')}.{value.__qualname__}"


def address(title: str) -> str:
    return f"reference/{title.removeprefix('pt.').lower().replace(' ', '_')}.md"


def link(name: str) -> str:
    return f"[`{name.rpartition('.')[2]}`][{PACKAGE}.{original(name)}]"


def index_text() -> str:
    """Return the list of all public names, with links to their entries."""
    parts = ["# Reference", "Every public name of `import py_tensor as pt`."]
    for section, pages in sections().items():
        parts.append(f"## {section}")
        for title, (_, names) in pages.items():
            page = address(title).removeprefix("reference/")
            parts += [f"### [{title}]({page})", " · ".join(map(link, names))]
    return "\n\n".join(parts)


def page_text(title: str, introduction: str, names: list[str]) -> str:
    """Return a page with an entry for each name, and links for names that `pt` also has."""
    late = [original(name) for name in names if original(name).startswith("numpy_functions.")]
    own = [name for name in names if original(name) == name]
    own += [name for name in late if name.rpartition(".")[0] not in late]
    parts = [f"# {title}", introduction]
    if aliases := [link(name) for name in names if original(name) not in own]:
        parts.append(f"Also exported here: {', '.join(aliases)}.")
    return "\n\n".join([*parts, *(f"::: {PACKAGE}.{name}" for name in own)])


def on_config(config: MkDocsConfig) -> None:
    """Add the version to the site's name, and the pages to the navigation."""
    assert config.nav is not None
    config.site_name += f" {py_tensor.__version__}"
    pages = [
        {section: [{title: address(title)} for title in pages]}
        for section, pages in sections().items()
    ]
    config.nav.append({"Reference": ["reference/index.md", *pages]})


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Generate the pages, and add the demo page's icon."""
    files.append(File.generated(config, "assets/icon.svg", abs_src_path=str(ROOT / "web/icon.svg")))
    texts = {"reference/index.md": index_text()}
    for pages in sections().values():
        for title, (introduction, names) in pages.items():
            texts[address(title)] = page_text(title, introduction, names)
    for path, text in texts.items():
        files.append(File.generated(config, path, content=text))


def on_post_build(config: MkDocsConfig) -> None:
    """Complete the search, and remove the page for missing addresses.

    That page's links are for a site at the root of a server, and servers look for it only there.
    """
    site = Path(config.site_dir)
    [worker] = site.glob("assets/javascripts/workers/search.*.min.js")
    addition = (ROOT / "tools" / "docs_search.js").read_text()
    worker.write_text(f"{worker.read_text()}\n{addition}")
    (site / "404.html").unlink()
    if docs_version_var not in os.environ:
        write_versions(site)


def write_versions(site: Path) -> None:
    """Write the list of versions, and the page that leads to the latest one, as mike does."""
    versions = [{"version": site.name, "title": py_tensor.__version__, "aliases": []}]
    (site.parent / "versions.json").write_text(json.dumps(versions))
    page = Template(resources.files("mike").joinpath("templates", "redirect.html").read_text())
    (site.parent / "index.html").write_text(page.render(href=f"{site.name}/index.html"))
