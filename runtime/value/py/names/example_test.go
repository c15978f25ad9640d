package names_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/value/py/names"
)

func ExampleTable_Find() {
	count, ok := names.Filters.Find("count")
	fmt.Println(count.Canonical, count.Method(), ok)
	// Output: length Length true
}
