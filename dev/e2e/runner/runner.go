// Package runner is a program with several workflows, each with all the commands of a
// separate binary: tests build many workflows at once.
package runner

import (
	"fmt"
	"os"

	"github.com/wfc-lang/wfc/runtime/agent/prompts"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/graphfiles"
	"github.com/wfc-lang/wfc/runtime/script"
	"github.com/wfc-lang/wfc/runtime/shell"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
	"github.com/wfc-lang/wfc/runtime/wfctest"
)

// Variable names the environment variable that says which workflow the program
// is.
const Variable = "WFC_E2E_WORKFLOW"

// Tests is the value of Variable with which the program is that of `wfc test`.
const Tests = "tests"

// Main is the program's main function.
func Main(definitions map[string]*flow.Definition) {
	if os.Getenv(Variable) == Tests {
		wfctest.Main(definitions, nil, nil)
	}
	d := definitions[os.Getenv(Variable)]
	if d == nil {
		fmt.Fprintf(os.Stderr, "there is no workflow %q\n", os.Getenv(Variable))
		os.Exit(2)
	}
	os.Exit(cli.Main(cli.Program{
		Definition: d,
		Performers: []engine.Performer{&shell.Performer{}, &script.Performer{}, graphfiles.New()},
		Prompts:    prompts.Opener(structured.Check),
		OpenStore:  entstore.OpenState,
	}))
}
