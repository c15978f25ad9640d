#!/usr/bin/env bash
# Builds the release workflow into a binary, runs it to its gate, rejects, and
# approves. Usage: demo.sh PATH-TO-WFC
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

"$wfc" check "$here/release.yaml"
"$wfc" build "$here/release.yaml" -o "$work/release"
cp "$here/agent.sh" "$work/"
cd "$work"
export WFC_STATE="$work/state"

echo "== ./release run --agent claude=command:./agent.sh v1"
paused ./release run --agent claude=command:./agent.sh v1

echo
echo "== ./release reject -m 'It needs a heading'"
paused ./release reject -m 'It needs a heading'

echo
echo "== ./release approve -m 'Ship it'"
./release approve -m 'Ship it'

echo
echo "== ./release status"
./release status
