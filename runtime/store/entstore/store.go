// Package entstore keeps runs in SQLite, in pure Go, through Ent. Package
// postgres below it does so in PostgreSQL; what both have in common is in package
// database.
//
// Package schema defines the tables; package ent is generated from it by "go
// generate", which needs modules that nothing else does and leaves go.mod alone.
// A change of the schema is also a new entry of versions in tables.go, and in
// that of package postgres.
package entstore

import "github.com/wfc-lang/wfc/runtime/internal/database"

// Store is a store.Store in a file of SQLite.
type Store = database.Store
