#!/usr/bin/env bash
# Run make targets one after another, continuing after failures, and print the result of each.
# usage: tools/run_steps.sh TARGET...
set -uo pipefail

logs=build/logs
mkdir -p "$logs"
failed=()

for step in "$@"; do
  printf '\n== make %s\n' "$step"
  "${MAKE:-make}" --no-print-directory "$step" 2>&1 | tee "$logs/$step.log" || failed+=("$step")
done

printf '\n== results\n'
for step in "$@"; do
  case " ${failed[*]-} " in
    *" $step "*) echo "$step: FAILED" ;;
    *) echo "$step: passed" ;;
  esac
  grep -hE '^(FAILED|ERROR|SKIPPED|XFAIL) ' "$logs/$step.log"
done
# Repeat pytest's summary lines.
for step in "$@"; do
  grep -hE '^=+ .* in [0-9.]+s( \(.*\))? =+$' "$logs/$step.log" | tail -n 1
done

[ ${#failed[@]} -eq 0 ]
