#!/usr/bin/env bash
# Compiles a Go program that runs a workflow, and runs it in a small repository.
# Usage: demo.sh PATH-TO-WFC
set -euo pipefail
wfc=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$wfc" check "$here/notes.yaml"
(cd "$here" && go build -o "$work/embedded" .)

mkdir "$work/repository"
cd "$work/repository"
git init -q
commit() { git -c user.name=Ann -c user.email=ann@example.com commit -q --allow-empty -m "$1"; }
commit 'Begin'
git tag v1
commit 'Names may hold "quotes"'
commit 'chore: sort the imports'
commit 'Dark mode'

echo "== ./embedded"
WFC_STATE="$work/state" "$work/embedded"
