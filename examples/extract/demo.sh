#!/usr/bin/env bash
# Builds the extraction into a binary and reads two letters with a scripted agent:
# demo.sh PATH-TO-WFC
set -euo pipefail
wfc=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$wfc" check "$here/extract.yml"
"$wfc" build "$here/extract.yml" -o "$work/extract"
cp -r "$here/letters" "$here/replies.json" "$work/"
cd "$work"
export WFC_STATE="$work/state"

echo "== ./extract run letters --agent claude=scripted:replies.json"
./extract run letters --agent claude=scripted:replies.json 2>&1

echo
echo "== cat invoices.csv"
cat invoices.csv
