package conformance

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
)

type loaderEnd struct {
	Accepted bool
	Error    string
}

// A fault is a part of the text with which the engine's loader refuses a file,
// and the codes that say the same.
type fault struct {
	text  string
	slugs []string
}

// faults are the codes for what the engine's loader says, by a part of its
// text. A rejection of another text is compared by its verdict alone.
var faults = []fault{
	{"mutually exclusive", []string{"node-action"}},
	{"must have either", []string{"node-action", "no-effect", "empty-value"}},
	{"cannot be empty", []string{"node-action", "empty-value", "no-effect"}},
	{"must not be empty", []string{"empty-value"}},
	{"invalid command name", []string{"invalid-name"}},
	{"unknown provider", []string{"unknown-agent"}},
	{"Unknown provider", []string{"unknown-agent"}},
	{"Duplicate node id", []string{"duplicate-name"}},
	{"depends_on unknown node", []string{"unknown-node"}},
	{"Cycle detected", []string{"dependency-cycle"}},
	{"references unknown node", []string{"unknown-node-reference", "unknown-node"}},
	{"YAML parse error", []string{"yaml-syntax"}},
	{"`steps:` format has been removed", []string{"unsupported-key"}},
	{"Missing required field", []string{"missing-key", "wrong-value", "empty-value"}},
	{"missing required field", []string{"missing-key", "empty-value"}},
	{"received undefined", []string{"missing-key"}},
	{"Invalid input: expected", []string{"wrong-value", "unknown-value"}},
	{"Invalid option", []string{"unknown-value", "wrong-value"}},
	{"must be between", []string{"out-of-range"}},
	{"must be a number between", []string{"out-of-range"}},
	{"must be a positive", []string{"out-of-range"}},
	{"must be a finite positive", []string{"out-of-range"}},
	{"Too big", []string{"out-of-range"}},
	{"Too small", []string{"out-of-range", "empty-value"}},
	{"Unrecognized key", []string{"unknown-value", "unknown-key"}},
}

func planAccept(_ *bench, c *recorded) (plan, error) {
	var in struct{ YAML string }
	var want loaderEnd
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	return judged(compareVerdict(compile(in.YAML, nil), &want)), nil
}

// compareVerdict compares whether a file is accepted, and for which fault not.
func compareVerdict(r *compiler.Result, want *loaderEnd) []difference {
	switch {
	case want.Accepted && r.HasErrors():
		return []difference{{"verdict", "accepted", refusal(r)}}
	case want.Accepted:
		return nil
	case !r.HasErrors():
		return []difference{{"verdict", "refused: " + want.Error, "accepted"}}
	}
	for _, f := range faults {
		if !strings.Contains(want.Error, f.text) {
			continue
		}
		for _, d := range errorsOf(r) {
			if slices.Contains(f.slugs, d.Code.Slug) {
				return nil
			}
		}
		return []difference{{"fault", want.Error, refusal(r)}}
	}
	return nil
}
