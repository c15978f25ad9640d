package vet_test

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/gen/vet"
)

// The first line of an analyzer's documentation says what it reports.
func ExampleAnalyzers() {
	for _, a := range vet.Analyzers() {
		title, _, _ := strings.Cut(a.Doc, "\n")
		fmt.Printf("%s: %s\n", a.Name, title)
	}
	// Output:
	// wfcgen: report generated packages that do not fit their workflow file
	// wfcinputs: report required inputs that a call leaves out
	// wfcresult: report errors and statuses of runs that the code does not check
	// wfcflow: report code in hand-written flows that may act differently when a run is resumed
}
