#!/bin/sh
# Print the path of the newest Python >= 3.12 that runs; install one with uv if there is none.
# With --all, print one path for each minor version that runs, the newest first.
set -eu

oldest='3, 12'
fetched='3.13'
uv_home="$(cd "$(dirname "$0")/.." && pwd)/build/uv"

# A shim on PATH may exist and still fail, so each candidate is run.
probe="
import sys
import ensurepip, venv
version = sys.version_info
if version < ($oldest) or version.releaselevel != 'final':
    raise SystemExit(1)
print(version.major * 1000 + version.minor, sys.executable)
"

candidates() {
  for name in python3.15 python3.14 python3.13 python3.12 python3; do
    command -v "$name" || true
  done
  for path in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python; do
    [ ! -x "$path" ] || echo "$path"
  done
}

running() {
  candidates | while read -r python; do
    "$python" -c "$probe" 2>/dev/null </dev/null || true
  done | sort -s -rn -u -k1,1 | cut -d ' ' -f 2-
}

# Install uv into a separate folder, so that the system's Python stays unchanged.
install_uv() {
  if command -v uv; then return; fi
  if [ ! -x "$uv_home/bin/uv" ]; then
    python3 -m pip install --quiet --target "$uv_home" uv >&2 || return 1
  fi
  echo "$uv_home/bin/uv"
}

if [ "${1-}" = --all ]; then
  running
  exit
fi
python="$(running | head -n 1)"
if [ -z "$python" ]; then
  echo "find_python: no Python >= 3.12 here; asking uv for $fetched" >&2
  if uv="$(install_uv)" && "$uv" python install --quiet "$fetched" >&2; then
    python="$("$uv" python find "$fetched")"
  fi
fi
if [ -z "$python" ]; then
  echo "find_python: no Python >= 3.12 runs here and uv could not fetch one;" \
    "install Python 3.12 or newer, or make it python3 on PATH" >&2
  exit 1
fi
echo "$python"
