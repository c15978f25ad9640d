package testrun

import (
	"encoding/json"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
)

// A StepEnd is the end of a step in a report.
type StepEnd struct {
	// Step is the address of the step, and Node that of its node.
	Step string `json:"step"`
	Node string `json:"node"`
	Kind string `json:"kind"`
	// Status is "waiting" for a step that did not end.
	Status string `json:"status"`
	// Reason and Error say why the step did not complete.
	Reason string `json:"reason,omitempty"`
	Error  string `json:"error,omitempty"`
	Output string `json:"output,omitempty"`
	// Texts are the prompts, scripts and questions of the step with their values, in order.
	Texts []string `json:"texts,omitempty"`
	// Agent, Model and Options are those of its prompt; "" is the default.
	Agent   string                     `json:"agent,omitempty"`
	Model   string                     `json:"model,omitempty"`
	Options map[string]json.RawMessage `json:"options,omitempty"`
}

// StepEnds returns the ends of all steps of nodes, those of child runs last.
func (o *Observed) StepEnds() []StepEnd {
	list := []StepEnd{}
	for _, r := range o.Steps {
		node, ok := o.names.nodeOf(r.Key)
		if !ok || ofKernel(r.Kind) {
			continue
		}
		s := StepEnd{Step: r.Key, Node: node.Key, Kind: r.Kind, Status: string(r.Status), Reason: r.Reason, Output: r.Text}
		if f := r.Failure; f != nil {
			s.Error = f.Message
			if s.Reason == "" {
				s.Reason = f.Reason
			}
		}
		for _, e := range o.Entries {
			if e.Step != r.Key {
				continue
			}
			if text := resolvedOf(e); text != nil {
				s.Texts = append(s.Texts, o.clean(text.String()))
			}
			if p, ok := e.Action.Payload.(flow.Prompt); ok {
				s.Agent, s.Model = p.Agent, p.Model
				for _, option := range p.Options {
					if s.Options == nil {
						s.Options = map[string]json.RawMessage{}
					}
					s.Options[option.Name] = option.Value
				}
			}
		}
		list = append(list, s)
	}
	return list
}

// ofKernel reports whether a step of this kind is one of the kernel itself, such as a
// reading of the clock.
func ofKernel(kind string) bool {
	return kind == "now" || kind == "sleep" || kind == (graph.State{}).Kind()
}
