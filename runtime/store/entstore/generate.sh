#!/usr/bin/env bash
# Generates package ent from package schema. Ent's generator needs modules that
# nothing else does, so it runs with a copy of go.mod and leaves ours alone.
set -euo pipefail
cd "$(dirname "$0")"
root=$(go env GOMOD)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$root" "$work/go.mod"
cp "${root%.mod}.sum" "$work/go.sum"
rm -rf ent
mkdir ent
echo 'package ent' >ent/doc.go
go run -modfile="$work/go.mod" -mod=mod entgo.io/ent/cmd/ent generate \
  --feature sql/upsert --target ./ent ./schema
rm -rf ent/doc.go ent/enttest
