#!/usr/bin/env bash
# Build the release of the last commit twice, compare the bytes, and install and use what would be published.
# Everything stays in build/release/. Nothing is published, and no branch is changed.
# usage: CHROMIUM=PATH tools/release_check.sh
set -euo pipefail

root="$PWD"
release="$root/build/release"
tools="$release/venv/bin"
python="$root/.venv/bin/python"
version="$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)"

step() { printf '\n== %s\n' "$*"; }

# A folder with the files of the last commit, and the packages and downloads of this one.
copy() {
  rm -rf "$release/$1"
  git clone --quiet --local "$root" "$release/$1"
  cd "$release/$1"
  ln -s "$root/.venv" "$root/node_modules" .
  mkdir -p build/public
  if [ -d "$root/build/public/gallery" ]; then
    cp -r "$root/build/public/gallery" build/public
    touch build/gallery.ready
  fi
  # The sources are older than the packages, so that make does not install these once more.
  git ls-files -z | xargs -0 touch --date "${2}"
}

for name in first second; do
  step "build in build/release/$name"
  copy "$name" "$([ "$name" = first ] && echo 2001-02-03 || echo 2004-05-06)"
  make --no-print-directory build npm-package site
done

step 'compare the bytes of both builds'
cd "$release"
for output in dist build/npm build/site; do
  diff --recursive --brief "first/$output" "second/$output"
done
echo 'equal'

step 'check the wheel and the source archive'
cd "$release/second"
"$tools/twine" check --strict dist/*
"$tools/check-wheel-contents" dist/*.whl
rm -rf "$release/from_source"
# pip builds it in an environment of its own.
"$tools/pip" wheel --quiet --no-deps --wheel-dir "$release/from_source" "dist/py_tensor-$version.tar.gz"
cmp "dist/py_tensor-$version-py3-none-any.whl" "$release/from_source/py_tensor-$version-py3-none-any.whl"
"$python" tools/check_size.py "dist/py_tensor-$version-py3-none-any.whl"

step 'check the recipes'
"$tools/python" tools/check_recipes.py "dist/py_tensor-$version.tar.gz"

step 'install with pip from an index'
rm -rf "$release/index" "$release/installed"
mkdir "$release/index"
cp dist/* "$release/index"
port="$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
"$tools/pypi-server" run --interface 127.0.0.1 --port "$port" --disable-fallback "$release/index" 2>"$release/index.log" &
server=$!
trap 'kill $server 2>/dev/null' EXIT
export PACKAGE_INDEX="http://127.0.0.1:$port/simple"
"$python" -m venv "$release/installed"
# The settings of this machine may name other places.
PIP_CONFIG_FILE=/dev/null PIP_FIND_LINKS='' PIP_RETRIES=8 \
  "$release/installed/bin/pip" install --quiet --index-url "$PACKAGE_INDEX/" py_tensor
(
  cd "$release"
  installed/bin/python -W ignore -c "
import py_tensor as pt
assert pt.__version__ == '$version'
assert pt.__file__.startswith('$release/installed/')
pt.set_backend('python')
assert pt.grad(lambda x: (x * x).sum())(pt.arange(3.0)).tolist() == [0, 2, 4]
print('py_tensor', pt.__version__, 'computes')
"
)

step 'install with micropip and npm, and start a template'
MICROPIP_FOLDER="$("$tools/python" -c 'import micropip; print(micropip.__path__[0].rpartition("/")[0])')"
export MICROPIP_FOLDER
"$python" -m pytest e2e/release_packages.py

step 'documentation of two versions'
export DOCS_ADDRESS=https://example.org/docs/
tools/deploy_docs.sh
# The next minor version.
sed --in-place "s/^version = \"$version\"/version = \"${version%%.*}.99.0\"/" pyproject.toml
tools/deploy_docs.sh
touch --date 2004-05-06 pyproject.toml
make --no-print-directory site
"$python" -m pytest e2e/test_docs.py

printf '\nrelease-check: version %s can be released\n' "$version"
