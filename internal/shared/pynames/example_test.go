package pynames_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/internal/shared/pynames"
)

func ExampleTable_Find() {
	count, ok := pynames.Filters.Find("count")
	fmt.Println(count.Canonical, count.Method(), ok)
	// Output: length Length true
}
