package catalog

import "github.com/wfc-lang/wfc/runtime/settings"

// A StoreInfo describes a kind of store. The setting `store`, the flag --store with its help and
// completion, the code that opens the store, and what commands on runs know of it all come from
// here.
type StoreInfo struct {
	Kind settings.Store
	// Package is the path of its package below the module, and Opener the function there that
	// opens it.
	Package, Opener string
	// Module is the Go module that of all programs only those with this store link, or "".
	Module string
	// ByURL says that a URL names the place of the runs (cli.Program.OpenDatabase) rather than the
	// state folder (cli.Program.OpenStore).
	ByURL bool
	// Forgets says that it has the runs of its process alone.
	Forgets bool
}

// stores are the kinds of stores. The first is the default.
var stores = []StoreInfo{
	{Kind: settings.StoreSQLite, Package: "runtime/store/entstore", Opener: "OpenState", Module: "modernc.org/sqlite"},
	{Kind: settings.StorePostgres, Package: "runtime/store/entstore/postgres", Opener: "OpenURL", Module: "github.com/jackc/pgx/v5", ByURL: true},
	{Kind: settings.StoreMemory, Package: "runtime/store/memory", Opener: "OpenState", Forgets: true},
}

// Stores returns all kinds of stores, the default first.
func Stores() []StoreInfo { return stores }

// StoreKinds returns the names of all kinds of stores, the default first.
func StoreKinds() []settings.Store {
	var kinds []settings.Store
	for _, s := range stores {
		kinds = append(kinds, s.Kind)
	}
	return kinds
}

// StoreOf returns the description of a kind of store; "" is the default. ok is false if there is
// none.
func StoreOf(kind settings.Store) (info StoreInfo, ok bool) {
	for _, s := range stores {
		if s.Kind == kind || kind == "" {
			return s, true
		}
	}
	return StoreInfo{}, false
}
