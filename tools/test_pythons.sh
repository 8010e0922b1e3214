#!/usr/bin/env bash
# Run tests on WebGL2 in each supported Python that is installed, except the one of .venv.
# usage: tools/test_pythons.sh TEST...
set -euo pipefail

version='import sys; print("%d.%d" % sys.version_info[:2])'
usual="$(.venv/bin/python -c "$version")"
failed=0

while read -r python; do
  name="$("$python" -c "$version")"
  [ "$name" != "$usual" ] || continue
  venv="build/python-$name"
  echo "== Python $name"
  if [ ! -e "$venv/.ready" ]; then
    "$python" -m venv "$venv"
    # pip takes no hashes in constraints.
    sed 's/ \\$//; /^ *--hash/d' requirements-dev.txt >"$venv/constraints.txt"
    "$venv/bin/python" -m pip install --quiet --constraint "$venv/constraints.txt" \
      numpy playwright pytest pytest-xdist
    touch "$venv/.ready"
  fi
  "$venv/bin/python" -m pytest "$@" --backend webgl --numprocesses 2 --dist worksteal </dev/null ||
    failed=1
done < <(tools/find_python.sh --all)

exit "$failed"
