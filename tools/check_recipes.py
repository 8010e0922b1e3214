"""Check the recipes in packaging/ with the tools of their projects, and print the hash to enter.

usage: build/release/venv/bin/python tools/check_recipes.py SOURCE_ARCHIVE
"""

import hashlib
import sys
import tarfile
from pathlib import Path

from pyodide_build.recipe.spec import MetaConfig
from rattler_build import Stage0Recipe

PACKAGING = Path(__file__).parent.parent / "packaging"


def check_recipes(archive: Path) -> None:
    """Read both recipes, and compare what they name with the archive."""
    name, _, version = archive.name.removesuffix(".tar.gz").rpartition("-")
    with tarfile.open(archive) as source:
        files = source.getnames()
    meta = MetaConfig.from_yaml(PACKAGING / "pyodide" / "meta.yaml")
    assert (meta.package.name, meta.package.version) == (name, version), meta.package
    assert meta.source.url is not None and meta.source.url.endswith(f"/{archive.name}")
    for module in meta.package.top_level:
        assert f"{archive.name.removesuffix('.tar.gz')}/{module}/__init__.py" in files, module
    [rendered] = Stage0Recipe.from_file(str(PACKAGING / "conda" / "recipe.yaml")).render()
    package = rendered.recipe.package
    assert (str(package.name), str(package.version)) == (name, version), package
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    print(f"sha256 of {archive.name}: {digest}")


if __name__ == "__main__":
    check_recipes(Path(sys.argv[1]))
