"""Run data-apis/array-api-tests on py_tensor and compare with the expected failures.

usage: python tools/run_conformance.py CHECKOUT [--backend webgl] [--examples 100] [tests ...]
       the backends are numpy, webgl and jax; without the option, numpy and webgl

CHECKOUT is a clone of that suite with its submodule. The exit status is 1 if a test fails that is
not listed in tools/conformance_failures.txt. Listed tests that pass are printed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parent.parent
EXPECTED = Path(__file__).with_name("conformance_failures.txt")
BACKENDS = ("numpy", "webgl", "jax")
NAMESPACE = "exec('from conformance_namespace import xp')"
# Other names of 32-bit dtypes; the suite requires that dtypes differ.
SKIPPED = "float64,int64,uint64,complex128"
VERSION = "2025.12"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--backend", choices=BACKENDS, action="append")
    parser.add_argument("--examples", type=int, default=100, help="examples per test")
    parser.add_argument("--version", default=VERSION, help="version of the standard")
    parser.add_argument("tests", nargs="*", default=[], help="files or tests; all by default")
    return parser.parse_intermixed_args()


def expected_failures(backend: str) -> set[str]:
    """Return the expected failures on a backend; a line may start with the backend it is for."""
    names = set()
    for line in EXPECTED.read_text().splitlines():
        name = line.partition("#")[0].strip()
        own, _, rest = name.partition(": ")
        if own in BACKENDS:
            name = rest if own == backend else ""
        if name:
            names.add(name)
    return names


def outcomes(report: Path) -> dict[str, str]:
    """Return "passed", "failed" or "skipped" for each test in a JUnit report."""
    results = {}
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        name = f"{case.get('classname', '').rpartition('.')[2]}::{case.get('name')}"
        failed = kinds & {"failure", "error"}
        results[name] = "failed" if failed else "skipped" if "skipped" in kinds else "passed"
    return results


def run(options: argparse.Namespace, backend: str) -> bool:
    """Run the suite on a backend and return true if there are no unexpected failures."""
    report = ROOT / "build" / f"conformance-{backend}.xml"
    report.unlink(missing_ok=True)
    paths = [str(ROOT), str(ROOT / "tools"), str(ROOT / "tests")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(paths),
        "PY_TENSOR_BACKEND": backend,
        "ARRAY_API_TESTS_MODULE": NAMESPACE,
        "ARRAY_API_TESTS_SKIP_DTYPES": SKIPPED,
        "ARRAY_API_TESTS_VERSION": options.version,
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["--disable-warnings", "--disable-deadline", f"--max-examples={options.examples}"]
    command += [f"--junitxml={report}", *(options.tests or ["array_api_tests"])]
    subprocess.run(command, cwd=options.checkout, env=environment, check=False)
    results = outcomes(report)
    failed = {name for name, outcome in results.items() if outcome == "failed"}
    expected = expected_failures(backend)
    counts = {kind: list(results.values()).count(kind) for kind in ("passed", "failed", "skipped")}
    print(f"{backend}: {counts}, {len(failed - expected)} of the failures not expected")
    for name in sorted(failed - expected):
        print(f"  failed: {name}")
    for name in sorted((expected & results.keys()) - failed):
        print(f"  expected to fail, {results[name]}: {name}")
    return not failed - expected


def main() -> int:
    options = parse_arguments()
    if not (options.checkout / "array-api" / "spec").is_dir():
        print(
            f"conformance: no checkout of array-api-tests with its submodule; "
            f"got {options.checkout}; clone it with --recurse-submodules",
            file=sys.stderr,
        )
        return 2
    results = [run(options, backend) for backend in options.backend or BACKENDS[:2]]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
