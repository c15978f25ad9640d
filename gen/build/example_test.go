package build_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/gen/build"
)

// Programs for other systems have the names that these expect.
func ExampleBuilder_ExeSuffix() {
	for _, system := range []string{"linux", "windows"} {
		b := &build.Builder{GOOS: system}
		fmt.Println("triage" + b.ExeSuffix())
	}
	// Output:
	// triage
	// triage.exe
}
