package storetest_test

import (
	"testing"

	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
	"github.com/wfc-lang/wfc/runtime/store/storetest"
)

// The test of a store: a function TestStore in the package of the store.
func ExampleRun() {
	TestStore := func(t *testing.T) {
		storetest.Run(t, func(*testing.T) store.Store { return memory.New() })
	}
	_ = TestStore
}
