#!/bin/sh
# Serve this folder; PORT=8000
exec python3 -m http.server --bind 127.0.0.1 "${PORT:-8000}"
