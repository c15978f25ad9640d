package catalog_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/agent/catalog"
)

func ExampleKindNamed() {
	kind, ok := catalog.KindNamed("claude")
	fmt.Println(ok, kind.Program, kind.Takes("permission"))
	// Output: true claude true
}
