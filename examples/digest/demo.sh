#!/usr/bin/env bash
# Builds the digest workflow into a binary, shows its schedule, and runs it with
# replies from a file. A local program receives the deliveries.
# Usage: demo.sh PATH-TO-WFC
set -euo pipefail
wfc=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
inbox=
trap 'if [ -n "$inbox" ]; then kill "$inbox" 2>/dev/null || true; fi; rm -rf "$work"' EXIT

"$wfc" check "$here/digest.yaml"
"$wfc" build "$here/digest.yaml" -o "$work/digest"
(cd "$here" && go build -o "$work/inbox" ./inbox)
cp "$here/replies.json" "$work/"

echo "== wfc graph digest.yaml --layers"
"$wfc" graph "$here/digest.yaml" --layers

cd "$work"
export WFC_STATE="$work/state"
./inbox address > messages &
inbox=$!
until [ -e address ]; do sleep 0.05; done
address=$(cat address)

echo
echo "== ./digest schedule --next 3"
./digest schedule --next 3

echo
echo "== ./digest run --agent claude=scripted:replies.json     (without an address for the on-call engineers)"
export WFC_WEBHOOK_TEAM_URL="$address/team"
./digest run --agent claude=scripted:replies.json 2>&1

echo
echo "== ONCALL_URL=… ./digest run --agent claude=scripted:replies.json"
ONCALL_URL="$address/oncall" ONCALL_TOKEN=t0p ./digest run --agent claude=scripted:replies.json > /dev/null 2>&1
./digest status

echo
echo "== delivered messages"
grep ' got ' messages | sort
grep -A1 '^/oncall got' messages
