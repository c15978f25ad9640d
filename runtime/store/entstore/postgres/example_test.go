package postgres_test

import (
	"context"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
)

// A program that prints the last runs. This URL is not one of PostgreSQL, so OpenURL
// returns an error, which does not contain the password.
func ExampleOpenURL() {
	ctx := context.Background()
	runs, err := postgres.OpenURL(ctx, "mysql://wfc:secret@db.example.com/wfc")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer runs.Close()
	list, err := runs.Runs(ctx, store.Filter{Limit: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, run := range list {
		fmt.Println(run.ID, run.Status)
	}
	// Output: the database's URL must begin with postgres://, as in postgres://user:password@host:5432/name
}
