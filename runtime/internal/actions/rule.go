package actions

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Terms say which answers to a run's questions count. A run keeps, among its settings, those with
// which it was begun, and so do the runs that its steps begin.
type Terms struct {
	// Gates is the mode, or "" for settings.GatesAny, and GateToken what is kept of the token.
	Gates     string           `json:"gates,omitempty"`
	GateToken *human.TokenHash `json:"gate_token,omitempty"`
	// GateRules are the rules for gates, as in settings.GateSettings.
	GateRules map[string]settings.GateRule `json:"gate_rules,omitempty"`
	// StartedBy is who started the run; nil is unknown.
	StartedBy *Actor `json:"started_by,omitempty"`
}

// TermsOf returns the terms of a run by the settings that are kept with it. own is the mode of this
// program. It counts for a run that was begun without one, by an older program or in the mode that
// takes all answers, with a terminal in place of a token, which nobody has.
func TermsOf(kept json.RawMessage, own settings.Gates) Terms {
	var t Terms
	if len(kept) > 0 && json.Unmarshal(kept, &t) != nil {
		t = Terms{}
	}
	if t.Gates == "" && own == settings.GatesToken {
		own = settings.GatesTerminal
	}
	t.Gates = cmp.Or(t.Gates, string(own), string(settings.GatesAny))
	return t
}

// Rule returns the rule for a question of a run, which may be below the one that has the terms.
func (t *Terms) Rule(r *local.RunStatus, q flow.Question) settings.GateRule {
	if len(t.GateRules) == 0 || q.Wait == flow.WaitEvent {
		return settings.GateRule{}
	}
	node := stepkey.Unnumbered(stepkey.KeysOf(r.Steps).Outermost(q.Key))
	if rule, ok := t.GateRules[r.Workflow+"/"+node]; ok {
		return rule
	}
	return t.GateRules[node]
}

// Refuse says why a person may not answer a question with a rule, or returns nil.
func (t *Terms) Refuse(rule settings.GateRule, key, run string, p Person) error {
	role := Role(cmp.Or(rule.Role, string(Approver)))
	if !p.May(role) {
		return &RefusedError{fmt.Sprintf("refused: to answer `%s` of run %s needs the role %s, which %s doesn't have%s", key, run, role, p.Name, placeOf(role))}
	}
	switch {
	case !rule.NotStarter:
	case t.StartedBy == nil:
		return &RefusedError{fmt.Sprintf("refused: somebody else than who started run %s has to answer `%s`, and nobody knows who that was", run, key)}
	case t.StartedBy.Name != "" && strings.EqualFold(t.StartedBy.Name, p.Name):
		return &RefusedError{fmt.Sprintf("refused: %s started run %s, and somebody else has to answer `%s`", p.Name, run, key)}
	}
	return nil
}

// placeOf ends a sentence about a role, with where people have it if a command line doesn't give it.
func placeOf(role Role) string {
	if role == Approver {
		return ""
	}
	return " (people have such roles on the pages of `wfc serve --users` and in chats)"
}

// RuleNote describes a rule to people, or is "".
func RuleNote(rule settings.GateRule) string {
	var list []string
	if rule.Approvals > 1 {
		list = append(list, fmt.Sprintf("%d people", rule.Approvals))
	}
	if rule.Role != "" {
		list = append(list, "the role "+rule.Role+placeOf(Role(rule.Role)))
	}
	if rule.NotStarter {
		list = append(list, "somebody else than who started the run")
	}
	if len(list) == 0 {
		return ""
	}
	return "needs " + strings.Join(list, ", ")
}
