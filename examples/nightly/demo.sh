#!/usr/bin/env bash
# Builds the nightly report into a binary, shows its schedule, and makes one report
# about a small repository; a program on this machine receives it:
# demo.sh PATH-TO-WFC
set -euo pipefail
wfc=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The agents that are scripts are found beside wfc.yaml, so the project is copied.
git init -q -b main "$work/project"
cd "$work/project"
cp "$here"/{nightly.yaml,wfc.yaml,commits.sh,failures.sh,replies.json,inbox.py} .
git config user.name Ann
git config user.email ann@example.com
printf '#!/bin/sh\necho "ok dates"\necho "FAIL TestDates: want 2026-03-01, got 01/03/26"\nexit 1\n' > run-tests
chmod +x run-tests
git add .
git commit -q -m 'Write dates as in England'

"$wfc" check nightly.yaml
"$wfc" build nightly.yaml -o nightly
export WFC_STATE="$work/state"

echo "== ./nightly schedule --next 3"
./nightly schedule --next 3

WFC_WEBHOOK_TEAM_URL=$(./inbox.py)
export WFC_WEBHOOK_TEAM_URL
echo
echo "== ./nightly run --agent claude=scripted:replies.json"
./nightly run --agent claude=scripted:replies.json 2>&1

echo
echo "== the message that the team received"
cat message.txt
