#!/bin/sh
# Install JupyterLite, build the site and serve it; PORT=8000
set -e
if [ ! -e .venv ]; then
  python3 -m venv .venv
  .venv/bin/pip install --quiet --requirement requirements.txt
fi
PATH="$PWD/.venv/bin:$PATH"
jupyter lite build
rm -rf site/pyodide
cp -R pyodide site/
exec python3 -m http.server --bind 127.0.0.1 --directory site "${PORT:-8000}"
