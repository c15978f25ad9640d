// Command worker checks the file on its standard input and writes its findings in a
// format, as `wfc check` does. Tests build it with statement counters.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/report"
)

func main() {
	content, err := io.ReadAll(os.Stdin)
	if err == nil {
		r := compiler.Compile(source.NewFile("flow.yaml", content), compiler.Options{})
		found := &report.Report{Files: 1, Groups: []report.Group{{Name: "flow.yaml", Diagnostics: r.Diagnostics}}}
		err = report.Write(io.Discard, report.Format(os.Args[1]), found, report.Options{Limit: 50})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
