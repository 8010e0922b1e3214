#!/usr/bin/env bash
# Run make targets one after another, continuing after failures, and print the result of each.
# Targets joined by "+" run at the same time; their output is still printed in order.
# usage: tools/run_steps.sh TARGET[+TARGET...]...
set -uo pipefail

logs=build/logs
mkdir -p "$logs"
failed=()
# Ctrl-C ends only the step in the foreground.
trap 'kill $(jobs -p) 2>/dev/null' EXIT

run() { "${MAKE:-make}" --no-print-directory "$1" 2>&1; }
title() { printf '\n== make %s\n' "$1"; }

for group in "$@"; do
  IFS=+ read -r first rest <<<"$group"
  pids=()
  for step in ${rest//+/ }; do
    run "$step" >"$logs/$step.log" &
    pids+=($!)
  done
  title "$first"
  run "$first" | tee "$logs/$first.log" || failed+=("$first")
  at=0
  for step in ${rest//+/ }; do
    wait "${pids[at++]}" || failed+=("$step")
    title "$step"
    cat "$logs/$step.log"
  done
done

set -- $(tr + ' ' <<<"$*")
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
