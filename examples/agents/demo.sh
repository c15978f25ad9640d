#!/usr/bin/env bash
# Builds the review workflow into a binary and runs it with replies from a file:
# recorded, replayed, and with a limit. Usage: demo.sh PATH-TO-WFC
set -euo pipefail
wfc=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$wfc" check "$here/review.yaml"
"$wfc" build "$here/review.yaml" -o "$work/review"
cp "$here/replies.json" "$work/"
cd "$work"
export WFC_STATE="$work/state"

# The agents of wfc.yaml use claude and codex, so replacements of these two answer
# for all of them.
agents=(--agent claude=scripted:replies.json --agent codex=scripted:replies.json)

echo "== ./review run ${agents[*]} --record tape 'f, _ := os.Open(name)'"
./review run "${agents[@]}" --record tape 'f, _ := os.Open(name)'

echo
echo "== ./review run --replay tape 'f, err := os.Open(name)'   (no agent; the change differs)"
./review run --replay tape 'f, err := os.Open(name)' 2>&1

echo
echo "== ./review run ${agents[*]} --max-cost 0.04 'f, _ := os.Open(name)'"
code=0
./review run "${agents[@]}" --max-cost 0.04 'f, _ := os.Open(name)' 2>&1 || code=$?
echo "exit code $code"
test "$code" = 5

echo
echo "== ./review resume --max-cost 1"
./review resume --max-cost 1 2>&1
