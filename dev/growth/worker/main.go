// Command worker checks files, as `wfc check` does. Tests build it with statement counters.
// With the name of a format, it checks the file on its standard input and writes its findings
// in that format. With `each` and the name of a language, it reads a JSON list of texts and
// prints for each how many counted blocks of statements its parser executed.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/coverage"
	"slices"

	"github.com/wfc-lang/wfc/cmd/wfc/report"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/dev/growth"
	"github.com/wfc-lang/wfc/dev/growth/languages"
)

func main() {
	content, err := io.ReadAll(os.Stdin)
	switch {
	case err != nil:
	case os.Args[1] == "each":
		err = each(os.Args[2], content)
	default:
		err = check(content, report.Format(os.Args[1]))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(content []byte, format report.Format) error {
	r := compiler.Compile(source.NewFile("flow.yaml", content), compiler.Options{})
	found := &report.Report{Files: 1, Groups: []report.Group{{Name: "flow.yaml", Diagnostics: r.Diagnostics}}}
	return report.Write(io.Discard, format, found, report.Options{Limit: 50})
}

func each(language string, list []byte) error {
	var texts []string
	if err := json.Unmarshal(list, &texts); err != nil {
		return err
	}
	all := languages.All()
	i := slices.IndexFunc(all, func(l languages.Language) bool { return l.Name == language })
	out := bufio.NewWriter(os.Stdout)
	for _, text := range texts {
		if err := coverage.ClearCounters(); err != nil {
			return err
		}
		if read := all[i].Read; read != nil {
			read(text)
		} else if err := check([]byte(text), "text"); err != nil {
			return err
		}
		var counters bytes.Buffer
		if err := coverage.WriteCounters(&counters); err != nil {
			return err
		}
		n, err := growth.Executed(counters.Bytes())
		if err != nil {
			return err
		}
		fmt.Fprintln(out, n)
	}
	return out.Flush()
}
