#!/bin/sh
# Install PyScript and serve this folder; PORT=8000
set -e
[ -e node_modules ] || npm install --no-audit --no-fund
exec python3 -m http.server --bind 127.0.0.1 "${PORT:-8000}"
