package database

import (
	_ "embed"
	"fmt"
	"strings"
)

// Package schema declares the tables, and a test writes the statements that make them, since Ent
// would link its migration engine into every binary.
//
//go:embed tables.sql
var tables string

// Versions are the changes to the tables, in SQLite's types: the first makes the tables,
// each later one updates a store of the version before. The version of a store is in the
// database itself. Released entries never change; none is released yet.
var Versions = [][]string{strings.Split(strings.TrimSuffix(tables, ";\n"), ";\n")}

// First is the version of a store with the first of Versions. Builds that were never released wrote lower versions.
const First = 7

// Latest returns the version of a store with all of Versions.
func Latest() int { return First + len(Versions) - 1 }

// Missing returns the changes that a store of a version needs; version 0 is a store without
// tables. way says what else to use if this build cannot read the store.
func Missing(version int, way string) ([][]string, error) {
	switch latest := Latest(); {
	case version == 0:
		return Versions, nil
	case version > latest:
		return nil, fmt.Errorf("a newer wfc wrote it (tables of version %d; this build knows %d): use the newer wfc, or %s", version, latest, way)
	case version < First:
		return nil, fmt.Errorf("an unreleased wfc wrote it (tables of version %d; this build reads %d and later): use that wfc, or %s", version, First, way)
	}
	return Versions[version-First+1:], nil
}
