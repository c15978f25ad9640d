package memory_test

import (
	"testing"

	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
	"github.com/wfc-lang/wfc/runtime/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return memory.New() })
}

func TestShared(t *testing.T) {
	storetest.RunShared(t, func(*testing.T) (a, b store.Store) {
		s := memory.New()
		return s, s
	})
}
