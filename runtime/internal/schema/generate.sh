#!/usr/bin/env bash
# Generates package ent from package schema. Ent's generator needs modules that
# nothing else does, so it runs with a copy of go.mod and leaves ours alone.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$(go env GOMOD)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$root" "$work/go.mod"
cp "${root%.mod}.sum" "$work/go.sum"
rm -rf ent
mkdir ent
echo 'package ent' >ent/doc.go
go run -modfile="$work/go.mod" -mod=mod entgo.io/ent/cmd/ent generate --target ./ent ./schema
rm -rf ent/doc.go ent/enttest

# The client offers to create the tables, which links Atlas, HCL and their
# start-up work into every binary. The stores make their tables from database/tables.sql;
# only the tests that write that file and compare it with what Ent would make need package
# migrate.
sed -i.was -e '/\/ent\/migrate"$/d' -e '/Schema is the client for/d' \
  -e '/Schema \*migrate.Schema/d' -e '/c.Schema = migrate.NewSchema/d' ent/client.go
rm ent/client.go.was
if grep -rq 'ent/migrate"' --include='*.go' ent; then
  echo "package ent imports package migrate still: look at what changed in Ent" >&2
  exit 1
fi

# When a program starts, this file would read the defaults from package schema by
# reflection, and then the linker keeps every method of every type: 2.6 MB. All
# defaults are the zero values that the variables have anyway; a test in package
# schema keeps it so.
rm ent/runtime.go
gofmt -l -w ent

# Once a version is released, this file stays as it is, and a later change gets its own.
go test ./database -run TestTables -update
