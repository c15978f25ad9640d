package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A githubEvent is what GitHub sends for an event of Archon.
type githubEvent struct {
	name string
	// actions are the values of `action` by Archon's name; "" is any value.
	actions map[string]string
	// fields are the places of Archon's fields in the payload, and constants as JSON. states are
	// the values there that a value of Archon means, for fields with other values.
	fields map[string]string
	states map[string]map[string][]string
}

// archonEvents are the events that a source of Archon has, by kind.
var archonEvents = func() map[string][]githubEvent {
	const pr = "/pull_request"
	issue := map[string]string{"subject.kind": `"issue"`, "subject.number": "/issue/number"}
	pull := map[string]string{"subject.kind": `"pr"`, "subject.number": pr + "/number"}
	label := map[string]string{"label.name": "/label/name", "label.id": "/label/id"}
	labeled := map[string]string{"added": "labeled", "removed": "unlabeled"}
	changed := map[string]string{"changed": ""}
	phases := map[string][]string{"pending": {"queued", "pending", "waiting", "requested"}, "running": {"in_progress"}, "completed": {"completed", "success", "failure", "error"}}
	check := func(name, revision, kind, base, title, state, result string, results map[string][]string) githubEvent {
		return githubEvent{name, changed, map[string]string{
			"check.revision": revision, "check.unit.kind": `"` + kind + `"`, "check.unit.id": base + "/id", "check.unit.name": base + title,
			"check.nativeState": base + state, "check.nativeResult": base + result, "check.phase": base + state, "check.result": base + result,
		}, map[string]map[string][]string{"check.phase": phases, "check.result": results}}
	}
	return map[string][]githubEvent{
		"issue.lifecycle": {{"issues", map[string]string{"opened": "opened", "edited": "edited", "closed": "closed", "reopened": "reopened"},
			joined(issue, map[string]string{"issue.state": "/issue/state"}), nil}},
		"pr.lifecycle": {{"pull_request", map[string]string{
			"opened": "opened", "edited": "edited", "head_updated": "synchronize", "ready": "ready_for_review", "drafted": "converted_to_draft",
			"closed": "closed", "merged": "closed", "reopened": "reopened",
		}, joined(pull, map[string]string{
			"pr.state": pr + "/state", "pr.draft": pr + "/draft", "pr.head.objectId": pr + "/head/sha", "pr.head.branch": pr + "/head/ref",
			"pr.base.objectId": pr + "/base/sha", "pr.base.branch": pr + "/base/ref",
		}), nil}},
		"label.changed": {{"issues", labeled, joined(issue, label), nil}, {"pull_request", labeled, joined(pull, label), nil}},
		"check.changed": {
			check("check_run", "/check_run/head_sha", "check", "/check_run", "/name", "/status", "/conclusion", nil),
			check("status", "/sha", "commit_status", "", "/context", "/state", "/state", map[string][]string{"success": {"success"}, "failure": {"failure", "error"}}),
		},
	}
}()

func joined(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// readSource reads a source of events: its bindings become triggers.
func (d *archonDecoder) readSource(setting string, n *yamlsrc.Node) {
	on := settings.TriggerSource{Webhook: settings.WebhookGitHub}
	readSegment := d.wordReader("a name of letters, digits, `_`, `.` and `-`", func(text string) bool { return !strings.Contains(text, "/") && isRoute("/x/"+text) })
	d.readLoose(setting, n, []archonKey{
		{name: "sourceInstanceId", required: true, read: func(setting string, n *yamlsrc.Node) {
			on.Path = "/webhooks/sources/" + readSegment(setting, n)
		}},
		{name: "config", required: true, read: d.section(
			archonKey{name: "host", read: readInto(new(string), oneOf(d.reader, "github.com"))},
			archonKey{name: "webhookSecretEnv", required: true, read: readInto(&on.SecretVariable, d.secretVariable)},
			archonKey{name: "bindings", required: true, read: func(setting string, n *yamlsrc.Node) {
				list := listItems(n)
				for i, item := range list {
					own := on
					if id := item.Get("bindingId"); id != nil && len(list) > 1 { // they may start different workflows, so each has a URL
						own.Path += "/" + readSegment(joinIndex(setting, i)+".bindingId", id)
					}
					d.readBinding(joinIndex(setting, i), item, &own)
				}
			}},
		)},
	})
}

// A selection is the events that a binding selects: their kind, their actions, and the values
// that fields must have.
type selection struct {
	kind    string
	actions []string
	fields  []allowed
}

// An allowed is a field with its allowed values.
type allowed struct {
	setting, field string
	values         []string
	at             *yamlsrc.Node
}

func (d *archonDecoder) selectorKeys(s *selection) []archonKey {
	add := func(field string) func(string, *yamlsrc.Node) {
		return func(setting string, n *yamlsrc.Node) {
			s.fields = append(s.fields, allowed{setting, field, []string{n.Value}, n})
		}
	}
	return []archonKey{
		{name: "kind", required: true, read: readInto(&s.kind, oneOf(d.reader, slices.Sorted(maps.Keys(archonEvents))...))},
		{name: "actions", required: true, read: readInto(&s.actions, d.readTexts)},
		{name: "repository", read: d.section(archonKey{name: "path", required: true, read: add("repository.path")})},
		{name: "subject", read: d.section(archonKey{name: "kind", required: true, read: add("subject.kind")}, archonKey{name: "number", required: true, read: add("subject.number")})},
		{name: "predicates", read: func(setting string, n *yamlsrc.Node) {
			for i, item := range listItems(n) {
				a := allowed{setting: joinIndex(setting, i), at: item}
				d.readLoose(a.setting, item, []archonKey{
					{name: "field", required: true, read: readInto(&a.field, d.readText)},
					{name: "equals", read: readInto(&a.values, d.readTexts)},
					{name: "in", read: readInto(&a.values, d.readTexts)},
				})
				s.fields = append(s.fields, a)
			}
		}},
	}
}

// addTriggers adds the triggers of a binding, one for each event of GitHub that it selects. mapped
// are its inputs by the fields of the event that they take.
func (d *archonDecoder) addTriggers(t ir.Trigger, setting string, s *selection, n *yamlsrc.Node, mapped map[string]string) {
	before := d.bag.Len()
	var list []ir.Trigger
	for _, e := range archonEvents[s.kind] {
		fields := joined(e.fields, map[string]string{"event.kind": `"` + s.kind + `"`, "repository.host": `"github.com"`, "repository.path": "/repository/full_name", "event.action": "/action"})
		if len(s.actions) == 1 {
			fields["event.action"] = `"` + s.actions[0] + `"`
		}
		var actions []expr.Expr
		for _, a := range s.actions {
			native, known := e.actions[a]
			if !known {
				d.reportWrong(setting+".selector.actions", n, "of "+strings.Join(slices.Sorted(maps.Keys(e.actions)), ", "))
				return
			}
			if native != a && len(s.actions) > 1 {
				delete(fields, "event.action") // GitHub's payload has other names
			}
			actions = append(actions, isAction(e.name, a, native))
		}
		filter, possible := expr.Join(source.Span{}, expr.Or, actions...), true
		for _, a := range s.fields {
			at, known := fields[a.field]
			if !known {
				d.reportWrong(a.setting, a.at, "about a field of `"+s.kind+"`: "+strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
				continue
			}
			if at[0] == '"' {
				possible = possible && slices.Contains(a.values, strings.Trim(at, `"`))
				continue
			}
			var values []expr.Expr
			for _, v := range a.values {
				natives := []string{v}
				if states := e.states[a.field]; states != nil {
					natives = states[v]
				}
				for _, native := range natives {
					values = append(values, equalText(at, native))
				}
			}
			if len(values) == 0 {
				d.reportWrong(a.setting, a.at, "a field with `equals` or `in`, and a value that GitHub has: "+strings.Join(slices.Sorted(maps.Keys(e.states[a.field])), ", "))
			}
			filter = expr.Join(source.Span{}, expr.And, filter, expr.Join(source.Span{}, expr.Or, values...))
		}
		own := t
		own.On.Events, own.Filter, own.Inputs = []string{e.name}, filter, slices.Clone(t.Inputs)
		for i, m := range own.Inputs {
			field, taken := mapped[m.Name]
			at, known := fields[field]
			switch {
			case !taken:
				continue
			case !known || e.states[field] != nil:
				d.reportWrong(setting+".inputMapping."+m.Name, n, "a field that GitHub's payload has, such as subject.number or check.nativeResult")
			case at[0] == '"':
				own.Inputs[i].Literal = at
			default:
				own.Inputs[i].Pointer = at
			}
		}
		if possible {
			list = append(list, own)
		}
	}
	if d.bag.Len() == before {
		d.into.Triggers = append(d.into.Triggers, list...)
	}
}

// isAction is the condition that an event of GitHub has an action; nil if it always has.
func isAction(event, action, native string) expr.Expr {
	if native == "" {
		return nil
	}
	same := equalText("/action", native)
	if event != "pull_request" || native != "closed" {
		return same
	}
	merged := equalText("/pull_request/merged", "true")
	if action == "closed" {
		merged = &expr.Not{X: merged}
	}
	return expr.Join(source.Span{}, expr.And, same, merged)
}

func equalText(pointer, text string) expr.Expr {
	return &expr.Compare{X: &expr.Payload{Path: strings.Split(pointer[1:], "/")}, Y: &expr.Literal{Text: text, Typ: types.Text}}
}
