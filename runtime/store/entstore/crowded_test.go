package entstore_test

import (
	"path/filepath"
	"testing"
)

// A store knows whether others write to the database between its own changes.
func TestCrowded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wfc.db")
	one, other := opened(t, path), opened(t, path)
	createStore(t, one, "demo-000001")
	createStore(t, other, "demo-000002")
	for _, beside := range []bool{false, true, false} {
		for range 20 {
			commit(t, one, "demo-000001", started("a"))
			if beside {
				commit(t, other, "demo-000002", started("a"))
			}
		}
		if got := one.(interface{ Crowded() bool }).Crowded(); got != beside {
			t.Errorf("beside other writers %t: Crowded is %t", beside, got)
		}
		if !beside {
			continue
		}
		if !other.(interface{ Crowded() bool }).Crowded() {
			t.Error("the other store is alone")
		}
	}
}
