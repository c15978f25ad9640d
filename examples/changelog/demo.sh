#!/usr/bin/env bash
# Builds the changelog workflow into a binary, runs it to its review, asks for a
# shorter draft, and accepts that. Usage: demo.sh PATH-TO-WFC
set -euo pipefail
wfc=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# paused runs a command and expects exit code 3: the run waits for a person.
paused() {
  local code=0
  "$@" < /dev/null || code=$?
  [ "$code" = 3 ]
}

"$wfc" check "$here/changelog.yml"
"$wfc" build "$here/changelog.yml" -o "$work/changelog"
cp "$here/replies.json" "$work/"
cd "$work"
export WFC_STATE="$work/state"

echo "== ./changelog run v1 --agent claude=scripted:replies.json"
paused ./changelog run v1 --agent claude=scripted:replies.json

echo
echo "== ./changelog answer latest --choice feedback -m 'Shorter, please'"
paused ./changelog answer latest --choice feedback -m 'Shorter, please'

echo
echo "== ./changelog approve"
./changelog approve

echo
echo "== cat CHANGELOG.md"
cat CHANGELOG.md

echo
echo "== ./changelog status"
./changelog status latest
