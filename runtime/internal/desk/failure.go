package desk

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// A Failure is a cause for which runs failed.
type Failure struct {
	Workflow, Step, Class, Reason string
	ExitCode                      int
	// Runs is how many runs failed so, and Example is the message of one of them.
	Runs    int
	Example string
}

// Failures counts runs by the cause of their failure: the fields of a Failure that say it, and the
// constant part of the message.
type Failures map[[6]string]*Failure

// AddRun counts a run with some failed steps. A step that passes on the failure of its part doesn't
// count. mask masks secrets.
func (f Failures) AddRun(workflow string, failed []flow.Record, mask func(string) string) {
	counted := map[[6]string]bool{}
	for _, s := range failed {
		passesOn := func(part flow.Record) bool {
			return part.Key != s.Key && part.Failure != nil && stepkey.PartOf(part.Key, s.Key) && strings.Contains(s.Failure.Message, part.Failure.Message)
		}
		if s.Failure == nil || slices.ContainsFunc(failed, passesOn) {
			continue
		}
		example, exitCode := mask(s.Failure.Message), max(0, s.Failure.ExitCode)
		c := [...]string{workflow, stepkey.Unnumbered(s.Key), string(s.Failure.Class), s.Failure.Reason, strconv.Itoa(exitCode), plain.Cause(example)}
		if f[c] == nil {
			f[c] = &Failure{Workflow: workflow, Step: c[1], Class: c[2], Reason: c[3], ExitCode: exitCode, Example: example}
		}
		if !counted[c] {
			f[c].Runs++
		}
		counted[c] = true
	}
}

// Sorted returns the failures, the most frequent first.
func (f Failures) Sorted() (list []Failure) {
	for _, one := range f {
		list = append(list, *one)
	}
	slices.SortFunc(list, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(b.Runs, a.Runs), strings.Compare(a.Workflow, b.Workflow), strings.Compare(a.Step, b.Step), strings.Compare(a.Example, b.Example))
	})
	return list
}
