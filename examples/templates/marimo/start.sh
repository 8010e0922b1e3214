#!/bin/sh
# Install marimo, export the notebook and serve it; PORT=8000
set -e
if [ ! -e .venv ]; then
  python3 -m venv .venv
  .venv/bin/pip install --quiet --requirement requirements.txt
fi
PATH="$PWD/.venv/bin:$PATH"
marimo export html-wasm waves.py --output site --no-sandbox --force
rm -rf site/pyodide
cp -R pyodide site/
# By default, Pyodide and its packages come from a CDN.
local='data-pyodide-index-url="./pyodide/" data-pyodide-lockfile-url="./pyodide/pyodide-lock.json"'
sed "s|<marimo-wasm |<marimo-wasm $local |" site/index.html >site/local.html
mv site/local.html site/index.html
exec python3 -m http.server --bind 127.0.0.1 --directory site "${PORT:-8000}"
