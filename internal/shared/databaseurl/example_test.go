package databaseurl_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/internal/shared/databaseurl"
)

func ExampleParse() {
	u, err := databaseurl.Parse("postgres://ann:secret@db.example.com/runs")
	if err != nil {
		panic(err)
	}
	fmt.Println(u, u.HasPassword())
	// Output: postgres://ann@db.example.com/runs true
}
