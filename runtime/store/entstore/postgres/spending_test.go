package postgres_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/budgettest"
	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
)

// A budget holds over 50 turns at once in two processes, as it does with SQLite.
func TestBudgetOfTwoProcesses(t *testing.T) {
	url := schema(t)
	budgettest.Test(t, openStore(t, url, postgres.Options{}), envStore+"="+url)
}

// spendUntilEnd is one of the processes.
func spendUntilEnd(url string) {
	s, err := postgres.OpenURL(context.Background(), url)
	if err == nil {
		err = budgettest.Work(s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
