package catalog_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
)

func ExampleKindNamed() {
	kind, ok := catalog.KindNamed("claude")
	fmt.Println(ok, kind.Program, kind.Takes("permission"))
	// Output: true claude true
}
