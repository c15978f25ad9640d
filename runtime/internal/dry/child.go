package dry

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// child plans a run of another workflow, as a part of this plan, and returns how the step
// that begins it ends.
func (h *host) child(key string, call flow.Child, act *Action) (flow.Result, Source) {
	unknown := flow.Result{Status: flow.Completed, Text: phrase("output of %s", key), Unknown: h.stand}
	i := slices.IndexFunc(h.def.Children, func(def *flow.Definition) bool { return def.Name == call.Workflow })
	if i < 0 {
		return failed("this program has no workflow `" + call.Workflow + "`"), Unknown
	}
	def := h.def.Children[i]
	if def == h.def || slices.Contains(h.above, def) {
		return unknown, Unknown // it runs itself: one plan of it is enough
	}
	opt := h.opt
	opt.Outputs, opt.Graph = nil, nil
	if call.Worktree {
		opt.WorkDir = phrase("worktree of the run of %s", key)
	}
	var err error
	if opt.Inputs, err = completed(def, call.Inputs); err != nil {
		return failed(err.Error()), Unknown
	}
	// Numbers that are not known are told apart in the texts of both plans.
	s := &stand{truth: h.stand.truth, numbers: h.stand.numbers}
	act.run, err = observe(def, opt, s, append(h.above[:len(h.above):len(h.above)], h.def)...)
	h.stand.numbers, h.stand.truths = s.numbers, h.stand.truths || s.truths
	if err != nil {
		return failed(err.Error()), Unknown
	}
	v := act.run.plan().Verdict
	switch {
	case v.Status == string(flow.Failed) && act.run.unread():
		act.run = nil // its inputs cannot be read before they are known
	case v.Status == string(flow.Failed), v.Status == string(flow.Cancelled):
		r := failed(fmt.Sprintf("the run of workflow `%s` is %s: %s", def.Name, v.Status, strings.Join(v.Reasons, "; ")))
		if v.Status == string(flow.Cancelled) {
			r.Failure.Reason = kernel.ChildCancelled
		}
		return r, Unknown
	}
	return unknown, Unknown
}

// unread reports whether the flow ended before it came to a node, with inputs that are not
// known.
func (w *world) unread() bool {
	return len(w.actions) == 0 && strings.Contains(string(w.info.Inputs), "‹")
}

// completed returns the inputs of a run with the defaults of those that are not given.
func completed(def *flow.Definition, given json.RawMessage) (json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	if len(given) > 0 {
		if err := json.Unmarshal(given, &values); err != nil {
			return nil, fmt.Errorf("the inputs of workflow `%s` are no object: %w", def.Name, err)
		}
	}
	for _, in := range def.Inputs {
		switch _, ok := values[in.Name]; {
		case ok, in.Replaces != "":
		case in.Default == nil:
			return nil, fmt.Errorf("workflow `%s` needs the input `%s`", def.Name, in.Name)
		default:
			values[in.Name] = in.Default
		}
	}
	return kernel.Encode(values)
}
