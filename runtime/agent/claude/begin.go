package claude

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/program"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// began takes what the program says of itself when it begins, and once more
// whenever helpers have come to their end.
func (t *turn) began(begin *initial) {
	first := t.meta.Model == ""
	t.meta.Model = begin.Model
	if v, ok := program.ParseVersion(begin.Version); ok {
		t.version = v
	}
	t.renewable = slices.Contains(renewing, begin.KeySource)
	if first && t.thinking.ignoredBy(begin.Model) {
		t.output.Warn("the option `thinking` has no effect: the model %s decides by itself how much it thinks; `effort` changes that", begin.Model)
	}
}

// renewing are the sources of keys that the program can ask again when a key is
// refused: a script, and the account that is signed in.
var renewing = []string{"apiKeyHelper", "none", "oauth"}

// thinking is the option of the same name.
type thinking agent.Thinking

// adaptive are the models that the program lets think as they like, whatever it
// is told.
var adaptive = []string{"claude-sonnet-5-5", "claude-opus-5-5"}

// ignoredBy reports whether the option changes nothing with a model.
func (k *thinking) ignoredBy(model string) bool {
	if k == nil || k.Type == "adaptive" || k.Type == "enabled" && k.BudgetTokens <= 0 {
		return false // this is what they do
	}
	return slices.ContainsFunc(adaptive, func(name string) bool { return strings.HasPrefix(model, name) })
}

// hopeless returns the failure of a turn in which the service has refused what
// it will refuse again, or nil: the program would ask for minutes. A key that the
// program can renew is given one more chance.
func (t *turn) hopeless(again *retry) error {
	kind := bare(again.Error)
	s, known := sorts[kind]
	if !known || s.class != flow.ClassFatal {
		return nil
	}
	if t.renewable && again.Attempt < 2 {
		return nil
	}
	return t.fail(s, -1, "the service refuses its requests (status %s, %s)", bare(again.Status), kind)
}
