#!/usr/bin/env bash
# Builds the inbox workflow into a binary and answers one message: a person wants
# another draft, then sends it: demo.sh PATH-TO-WFC
set -euo pipefail
wfc=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# paused runs a command that must end with 3: the run waits for a person.
paused() {
  local code=0
  "$@" < /dev/null 2>&1 || code=$?
  [ "$code" = 3 ]
}

"$wfc" check --report "$here/inbox.yaml"
"$wfc" build "$here/inbox.yaml" -o "$work/inbox"
cp "$here/replies.json" "$work/"
cd "$work"
printf 'Hello, your program crashes when I open "it'"'"'s $HOME.txt".\n' > message.txt
export WFC_STATE="$work/state"

echo
echo "== ./inbox run --file message.txt --agent self=scripted:replies.json"
paused ./inbox run --file message.txt --agent self=scripted:replies.json

echo
echo "== ./inbox answer latest --choice again -m 'Say what happens next'"
paused ./inbox answer latest --choice again -m 'Say what happens next'

echo
echo "== ./inbox answer latest --choice send"
./inbox answer latest --choice send 2>&1

echo
echo "== cat issue.md reply.txt"
cat issue.md reply.txt
