#!/usr/bin/env bash
# Builds the review workflow into a binary, reviews a branch of a small repository
# with scripted agents, and approves the review: demo.sh PATH-TO-WFC
set -euo pipefail
wfc=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$wfc" check "$here/review.yaml"
"$wfc" build "$here/review.yaml" -o "$work/review"
mkdir "$work/bin"
cp "$here/gh" "$work/bin/"
cp "$here/replies.json" "$work/"
export PATH="$work/bin:$PATH" WFC_STATE="$work/state"

git init -q -b main "$work/repository"
cd "$work/repository"
git config user.name Ann
git config user.email ann@example.com
printf '#!/bin/sh\n\necho nothing\n' > load.sh
git add load.sh
git commit -q -m 'Begin'
git switch -q -c load
printf '#!/bin/sh\n\ncat $1\n' > load.sh
git commit -q -a -m 'Print a file'
cp "$work/review" .

echo "== ./review run 7 --base-branch main --agent claude=scripted:replies.json"
code=0
./review run 7 --base-branch main --agent "claude=scripted:$work/replies.json" 2>&1 || code=$?
echo "exit code $code"
test "$code" = 3

echo
echo "== ./review approve"
./review approve 2>&1
