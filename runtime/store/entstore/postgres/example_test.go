package postgres_test

import (
	"context"
	"fmt"
	"os"

	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
)

func ExampleOpenURL() {
	ctx := context.Background()
	runs, err := postgres.OpenURL(ctx, os.Getenv("WFC_DATABASE_URL"))
	if err != nil {
		panic(err)
	}
	defer runs.Close()
	list, err := runs.Runs(ctx, store.Filter{Limit: 20})
	fmt.Println(len(list), err)
}
