package zones_test

import (
	"fmt"
	"time"

	_ "github.com/wfc-lang/wfc/runtime/schedule/zones"
)

// A program that imports the package knows every zone, even on a machine that knows none.
func Example() {
	zone, err := time.LoadLocation("Europe/Berlin")
	fmt.Println(zone, err)
	// Output: Europe/Berlin <nil>
}
