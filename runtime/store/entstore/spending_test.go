package entstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/budgettest"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// A budget holds over 50 turns at once in two processes: what is overshot is the error of the
// estimates under way.
func TestBudgetOfTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	budgettest.Test(t, opened(t, path), envStore+"="+path)
}

// spendUntilEnd is one of the processes.
func spendUntilEnd(path string) {
	s, err := entstore.Open(context.Background(), path)
	if err == nil {
		err = budgettest.Work(s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
