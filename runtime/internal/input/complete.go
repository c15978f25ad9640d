package input

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A completionError says what is wrong with the inputs of a new run.
type completionError struct {
	// Workflow is the name of the workflow.
	Workflow string
	// Unknown are names that are given and that the workflow does not have;
	// Missing are inputs that it needs and that are not given. All that the error
	// tells is empty when the inputs are no JSON object.
	Unknown, Missing []string
	// Wrong says of inputs that are not of their type what is wrong with them.
	Wrong []string
}

func (e *completionError) Error() string {
	var parts []string
	if len(e.Unknown) > 0 {
		parts = append(parts, fmt.Sprintf("it has no input `%s`", strings.Join(e.Unknown, "`, `")))
	}
	if len(e.Missing) > 0 {
		parts = append(parts, fmt.Sprintf("it needs `%s`", strings.Join(e.Missing, "`, `")))
	}
	parts = append(parts, e.Wrong...)
	if parts == nil {
		return fmt.Sprintf("the inputs of workflow %s are not a JSON object", e.Workflow)
	}
	return fmt.Sprintf("the inputs of workflow %s: %s", e.Workflow, strings.Join(parts, "; "))
}

// Complete returns the inputs of a new run with the defaults of those that
// are not given, and refuses names that the workflow does not have and values that
// are not of their types. Relative paths start from dir.
func Complete(def *flow.Definition, given json.RawMessage, dir string) (json.RawMessage, error) {
	fault := &completionError{Workflow: def.Name}
	if given = bytes.TrimSpace(given); len(given) == 0 {
		given = json.RawMessage("{}")
	}
	var values map[string]json.RawMessage
	if given[0] != '{' || json.Unmarshal(given, &values) != nil {
		return nil, fault
	}
	var more []byte
	for _, in := range def.Inputs {
		value, isGiven := values[in.Name]
		delete(values, in.Name)
		if isGiven {
			if err := Check(in, value, dir); err != nil {
				fault.Wrong = append(fault.Wrong, fmt.Sprintf("`%s`: %v", in.Name, err))
			}
		}
		switch {
		case isGiven, in.Replaces != "":
		case in.Default == nil:
			fault.Missing = append(fault.Missing, in.Name)
		default:
			name, err := json.Marshal(in.Name)
			if err != nil {
				return nil, err
			}
			more = fmt.Appendf(more, ",%s:%s", name, in.Default)
		}
	}
	if len(def.Inputs) > 0 { // definitions made by hand need not name them
		for name := range values {
			fault.Unknown = append(fault.Unknown, name)
		}
		slices.Sort(fault.Unknown)
	}
	if len(fault.Unknown)+len(fault.Missing)+len(fault.Wrong) > 0 {
		return nil, fault
	}
	if more == nil {
		return given, nil
	}
	// What is given stays as it is written.
	begin := bytes.TrimRight(given[:len(given)-1], " \t\r\n")
	if len(begin) == 1 {
		more = more[1:]
	}
	return append(append(slices.Clone(begin), more...), '}'), nil
}
