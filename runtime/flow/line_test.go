package flow_test

import "github.com/wfc-lang/wfc/runtime/flow"

// fromYAML panics where the compiler says a line of a workflow file is.
func fromYAML(*flow.Context) (string, error) {
//line triage.yaml:12
	panic("ouch")
}
