package entstore_test

import (
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return opened(t, filepath.Join(t.TempDir(), "wfc.db")) })
}

func TestShared(t *testing.T) {
	storetest.RunShared(t, func(t *testing.T) (a, b store.Store) {
		path := filepath.Join(t.TempDir(), "wfc.db")
		return opened(t, path), opened(t, path)
	})
}

// opened opens a store and closes it when the test ends.
func opened(t *testing.T, path string) store.Store {
	t.Helper()
	s := open(t, path)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}
