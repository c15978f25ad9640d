package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/pgtest"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// The stores of this module also keep messages and costs, which Run doesn't ask of others.

// server is the server of all tests; nil where there is none.
var server *pgtest.Server

// TestMain is also one of the processes of testParallelTurns.
func TestMain(m *testing.M) {
	if folder := os.Getenv(folderVariable); folder != "" {
		s, err := openPlace(context.Background(), os.Getenv(placeVariable))
		if err == nil {
			err = takeTurns(s, folder)
		}
		exitOn(err)
		os.Exit(0)
	}
	var err error
	if server, err = pgtest.Start(); !errors.Is(err, pgtest.ErrNone) {
		exitOn(err)
	}
	code := m.Run()
	if server != nil {
		server.Stop()
	}
	os.Exit(code)
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// openPlace opens the store of a URL or a file.
func openPlace(ctx context.Context, place string) (store.Store, error) {
	if strings.Contains(place, "://") {
		return postgres.OpenURL(ctx, place)
	}
	return entstore.Open(ctx, place)
}

// forEachPlace calls test with an empty store of each kind that several processes may use.
func forEachPlace(t *testing.T, test func(t *testing.T, s store.Store, place string)) {
	for kind, newPlace := range map[string]func(t *testing.T) string{
		"sqlite": func(t *testing.T) string { return filepath.Join(t.TempDir(), "runs.db") },
		"postgres": func(t *testing.T) string {
			if server == nil {
				t.Skip(pgtest.ErrNone)
			}
			return server.Schema(t)
		},
	} {
		t.Run(kind, func(t *testing.T) {
			place := newPlace(t)
			s, err := openPlace(t.Context(), place)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			})
			test(t, s, place)
		})
	}
}

func TestOwnStores(t *testing.T) {
	for name, test := range map[string]func(*testing.T, store.Store){
		"messages": testMessages, "spending": testSpending, "budgets": testBudgets, "budget warnings": testBudgetWarnings, "reserve races": testReserveRaces,
	} {
		t.Run(name, func(t *testing.T) {
			t.Run("memory", func(t *testing.T) { test(t, memory.New()) })
			forEachPlace(t, func(t *testing.T, s store.Store, _ string) { test(t, s) })
		})
	}
}

func TestParallelTurns(t *testing.T) { forEachPlace(t, testParallelTurns) }
