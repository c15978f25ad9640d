#!/usr/bin/env bash
# Runs a workflow on a Temporal server with three workers, kills one of them in a step, and
# approves a gate. Usage: demo.sh PATH-TO-WFC PATH-TO-SERVER
set -euo pipefail
wfc=$(realpath "$1") server=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
pids=()
trap 'kill -9 "${pids[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT

# begin starts a program in the background and waits for a word of it.
begin() {
  local word=$1 log
  shift
  log=$(mktemp "$work/log-XXXXXX")
  "$@" > "$log" 2>&1 &
  pids+=($!)
  disown
  until grep -q "$word" "$log"; do
    kill -0 "${pids[-1]}" 2>/dev/null || { cat "$log" >&2; exit 1; }
    sleep 0.1
  done
}

# free_port prints a port that nobody uses: bash cannot connect to it.
free_port() {
  local port=$((20000 + RANDOM % 10000))
  while (: < "/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
  echo "$port"
}

cp "$here/ship.yaml" "$work"
cd "$work"
port=$(free_port)
export TEMPORAL_ADDRESS=127.0.0.1:$port WFC_TEMPORAL_BLOBS=$work/blobs WFC_STATE=$work/state

echo "== wfc build --engine temporal ship.yaml -o ship"
"$wfc" build --engine temporal ship.yaml -o ship

echo "== a Temporal server, and three times ./ship worker --concurrency 1"
begin ready "$server" -db "$work/temporal.db" -port "$port"
for _ in 1 2 3; do begin 'ready for steps' ./ship worker --concurrency 1; done

echo
echo "== ./ship run --detach --workspace none v1"
run=$(./ship run --detach --workspace none v1)
echo "$run"
until ./ship logs "$run" --node load --json > load.log 2>&1 && grep -q worker load.log; do sleep 0.2; done
worker=$(sed -n 's/.*"worker":"[^"]*-\([0-9]*\)-[0-9a-f]*".*/\1/p' load.log | head -1)

echo
echo "== kill -9 $worker    # the worker that performs the step load"
kill -9 "$worker"
echo "The cluster notices after 30 seconds. Another worker performs the step again."
until ./ship list --status paused 2> /dev/null | grep -q "$run"; do sleep 1; done

echo
echo "== ./ship approve $run -m 'Ship it'"
./ship approve "$run" -m 'Ship it'

echo
echo "== ./ship logs -f $run"
./ship logs -f "$run"

echo
echo "== ./ship status $run"
./ship status "$run"
