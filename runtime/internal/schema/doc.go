// Package schema defines the tables of the stores. Package ent is generated from
// it by "go generate", which needs modules that nothing else does and leaves
// go.mod alone.
package schema

//go:generate ./generate.sh
