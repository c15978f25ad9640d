#!/usr/bin/env bash
# Builds the triage workflow into a binary and runs it with replies from a file.
# Usage: demo.sh PATH-TO-WFC
set -euo pipefail
wfc=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "== wfc check examples/triage/triage.yaml"
"$wfc" check "$here/triage.yaml"

echo
echo "== wfc build examples/triage/triage.yaml -o triage   (the first build compiles the runtime and takes a while)"
"$wfc" build "$here/triage.yaml" -o "$work/triage"
ls -l "$work/triage" | awk '{printf "   %.1f MB\n", $5/1e6}'

cp "$here/replies.json" "$work/"
cd "$work"
export WFC_STATE="$work/state"

echo
echo "== ./triage run --agent claude=scripted:replies.json 'It crashes: open(\"a\\\"b\")'"
./triage run --agent claude=scripted:replies.json 'It crashes: open("a\"b")'

echo
echo "== ./triage status"
./triage status latest

echo
echo "== ./triage graph"
./triage graph
test ! -e pwned
