package postgres_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/pgtest"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
	"github.com/wfc-lang/wfc/runtime/store/storetest"
)

// server is the server of all tests; nil where there is none.
var server *pgtest.Server

func TestMain(m *testing.M) {
	flag.Parse()
	// Each of the sequences of storetest's asks the server a thousand times.
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		_ = f.Value.Set("10")
	}
	if url := os.Getenv(envStore); url != "" {
		if folder := os.Getenv(envFolder); folder != "" {
			workForever(url, folder)
		}
		writeForever(url, os.Getenv(envRound))
	}
	var err error
	if server, err = pgtest.Start(); err != nil && !errors.Is(err, pgtest.ErrNone) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if server != nil {
		server.Stop()
	}
	os.Exit(code)
}

// schema returns the URL of an empty schema.
func schema(t testing.TB) string {
	t.Helper()
	if server == nil {
		t.Skip(pgtest.ErrNone)
	}
	return server.Schema(t)
}

// openStore opens a store, which is closed when the test ends.
func openStore(t testing.TB, url string, opt postgres.Options) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return openStore(t, schema(t), postgres.Options{}) })
}

func TestShared(t *testing.T) {
	storetest.RunShared(t, func(t *testing.T) (a, b store.Store) {
		url := schema(t)
		return openStore(t, url, postgres.Options{}), openStore(t, url, postgres.Options{})
	})
}
