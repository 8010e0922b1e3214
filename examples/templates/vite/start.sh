#!/bin/sh
# Install Vite and start its development server; PORT=8000
set -e
[ -e node_modules ] || npm install --no-audit --no-fund
exec node_modules/.bin/vite --host 127.0.0.1 --port "${PORT:-8000}" --strictPort
