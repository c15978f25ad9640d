package target_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/internal/shared/target"
)

func ExampleParse() {
	t, err := target.Parse("slack:C123")
	fmt.Println(t.Channel, t.ID, err)
	// Output: slack C123 <nil>
}

// The chat from which a run was started receives the result, unless the workflow names
// targets.
func ExampleResolve() {
	fmt.Println(target.Resolve(nil, "slack:C123:U456", []string{"ops"}))
	fmt.Println(target.Resolve([]string{"telegram:42"}, "slack:C123:U456", []string{"ops"}))
	// Output:
	// [slack:C123]
	// [telegram:42]
}
