package graphfiles

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// Load implements graphstate.Keeper.
func (performer) Load(path string, def *flow.Definition, force bool) (*graphstate.Task, error) {
	file := stateFileOf(path)
	dir := filepath.Dir(file)
	s, err := readState(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s keeps no state: missing file %s", dir, file)
	}
	if err != nil {
		return nil, err
	}
	l := &loader{def: def, saved: s, force: force}
	if s.isCompleted() && s.nextNode() == "" || s.isCompleted() && !s.script {
		return nil, &graphstate.UnfitError{Dir: dir, Problems: []string{"the run has completed; there is nothing to resume"}}
	}
	t := &graphstate.Task{Dir: dir, Name: s.TaskName, Promise: s.Promise, State: l.graphState()}
	if err := l.sameWorkflow(dir); err != nil {
		return nil, err
	}
	if err := l.readMemory(dir, t); err != nil {
		return nil, err
	}
	if len(l.problems) > 0 {
		return nil, &graphstate.UnfitError{Dir: dir, Problems: l.problems, Forced: !l.fatal}
	}
	t.Notes = l.notes
	return t, nil
}

// A loader compares a state file with a workflow.
type loader struct {
	def   *flow.Definition
	saved *saved
	force bool

	problems []string
	// fatal says that one of the problems cannot be overlooked.
	fatal bool
	notes []string
}

// addUnforceable adds a problem that force does not overlook.
func (l *loader) addUnforceable(format string, args ...any) {
	l.problems, l.fatal = append(l.problems, fmt.Sprintf(format, args...)), true
}

// addDoubt adds a problem that force makes a note.
func (l *loader) addDoubt(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); l.force {
		l.notes = append(l.notes, text)
	} else {
		l.problems = append(l.problems, text)
	}
}

// graphState is the saved state as a walk takes it.
func (l *loader) graphState() graphstate.State {
	f := l.saved
	iteration, err := f.countEnded()
	if err != nil {
		l.addUnforceable("%v", err)
	}
	s := graphstate.State{
		Workflow: l.def.Name, Version: l.def.Graph.Version, Next: l.nextNode(), Iteration: iteration, Started: f.startTime(),
		Status: kernel.StateRunning, Executed: l.executedNodes(), Labels: l.outputLabels(), Variables: l.variableValues(),
		Usage: graphstate.Usage{Elapsed: f.elapsedTime(), CostUSD: f.Usage.CostUSD}, Warnings: f.Warnings,
	}
	if f.isHalted() {
		s.Status = kernel.StateLimit
	}
	if n := len(s.Executed); n > 0 {
		s.Node = s.Executed[n-1]
	}
	if f.StartedAt != "" && s.Started.IsZero() {
		l.notes = append(l.notes, fmt.Sprintf("`started_at` is `%s`, which is not a time; the run starts now", f.StartedAt))
	}
	return s
}

// findNode returns the description of a node, or nil.
func (l *loader) findNode(key string) *flow.NodeInfo {
	for i := range l.def.Nodes {
		if l.def.Nodes[i].Key == key {
			return &l.def.Nodes[i]
		}
	}
	return nil
}

// nextNode is the node at which the run continues: never a branch, which runs with its
// parallel.
func (l *loader) nextNode() string {
	at := l.saved.nextNode()
	switch {
	case at == "" && l.saved.CurrentNode == "" && l.saved.Next == "":
		l.addUnforceable("missing `current_node`, the node at which the run is")
	case at == "" || at == kernel.Start:
	case l.findNode(at) == nil:
		l.addUnforceable("the run is at the unknown node `%s`", at)
	default:
		for _, n := range l.def.Nodes {
			if slices.Contains(n.Branches, at) {
				l.notes = append(l.notes, fmt.Sprintf("the run is at `%s`, a branch; it continues at `%s`, with all branches", at, n.Key))
				return n.Key
			}
		}
	}
	return at
}

// executedNodes are the nodes that have ended.
func (l *loader) executedNodes() []string {
	for i, key := range l.saved.Executed {
		if l.findNode(key) == nil && !slices.Contains(l.saved.Executed[:i], key) {
			l.addDoubt("unknown node `%s` in `nodes_executed`", key)
		}
	}
	return l.saved.Executed
}

// outputLabels are the labels of nodes that the workflow has.
func (l *loader) outputLabels() json.RawMessage {
	kept := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(l.saved.Outputs)) {
		label := l.saved.Outputs[key]
		if label == nil {
			continue // it has not ended
		}
		switch n := l.findNode(key); {
		case n == nil:
			l.addDoubt("unknown node `%s` in `outputs`", key)
		case !slices.Contains(n.Labels, *label):
			l.addDoubt("unknown output `%s` of node `%s` in `outputs`%s", *label, key, plain.Instead(*label, n.Labels))
		default:
			kept[key] = *label
		}
	}
	return plain.MustEncodeJSON(kept)
}

// variableValues are the values that fit the workflow's variables; those that the
// file does not have keep their first values.
func (l *loader) variableValues() json.RawMessage {
	given := maps.Clone(l.saved.Variables)
	if given == nil {
		given = map[string]json.RawMessage{}
	}
	for name, value := range l.saved.rest {
		if _, ok := given[name]; !ok && l.findVariable(name) != nil {
			given[name] = value
		} else if !ok {
			l.notes = append(l.notes, fmt.Sprintf("unknown key `%s` in the state file", name))
		}
	}
	slices.Sort(l.notes)
	kept := map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		v := l.findVariable(name)
		if v == nil {
			l.addDoubt("unknown variable `%s`", name)
			continue
		}
		if why := describeMisfit(given[name], v); why != "" {
			l.addUnforceable("variable `%s` is %s, and %s", name, why, describeWanted(v))
			continue
		}
		kept[name] = given[name]
	}
	return plain.MustEncodeJSON(kept)
}

func (l *loader) findVariable(name string) *flow.VariableInfo {
	for i := range l.def.Graph.State {
		if l.def.Graph.State[i].Name == name {
			return &l.def.Graph.State[i]
		}
	}
	return nil
}

// sameWorkflow compares the workflow of the folder with this one.
func (l *loader) sameWorkflow(dir string) error {
	if name := l.saved.Workflow; name != "" && name != l.def.Name {
		l.addDoubt("it belongs to workflow `%s`, and this is `%s`", name, l.def.Name)
		return nil
	}
	kept := l.saved.Hash
	if kept == "" {
		text, err := wholefile.Output.Read(filepath.Join(dir, workflowFile))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		kept = sourceHash(text)
	}
	if own := sourceHash([]byte(textOf(l.def))); kept != "" && own != "" && kept != own {
		l.addDoubt("its workflow.yaml is not the file that this program was built from")
	}
	return nil
}

// readMemory reads the memory of a folder.
func (l *loader) readMemory(dir string, t *graphstate.Task) error {
	text, err := wholefile.Output.Read(filepath.Join(dir, memoryFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	name := cmp.Or(t.Name, filepath.Base(dir))
	t.State.Memory = promptMemory(string(text), memoryHeader(name, l.def))
	return nil
}

// describeMisfit describes a value that does not fit a variable, or returns "".
func describeMisfit(value json.RawMessage, v *flow.VariableInfo) string {
	value = bytes.TrimSpace(value)
	if string(value) == "null" {
		if v.Optional || v.Type == "json" {
			return ""
		}
		return "null"
	}
	return describeTypeMismatch(value, v.Type)
}

// describeTypeMismatch describes a value that does not have a type, or returns "".
func describeTypeMismatch(value json.RawMessage, kind string) string {
	var into any
	switch element, list := strings.CutPrefix(kind, "list "); {
	case list:
		var elements []json.RawMessage
		if json.Unmarshal(value, &elements) != nil {
			return describeValue(value)
		}
		for _, e := range elements {
			if why := describeTypeMismatch(bytes.TrimSpace(e), element); why != "" {
				return "a list that holds " + why
			}
		}
		return ""
	case kind == "int":
		into = new(int64)
	case kind == "float":
		into = new(float64)
	case kind == "bool":
		into = new(bool)
	case kind == "text":
		into = new(string)
	default:
		return ""
	}
	if string(value) == "null" || json.Unmarshal(value, into) != nil {
		return describeValue(value)
	}
	return ""
}

// describeValue is a value's kind and, when it is short, the value.
func describeValue(value json.RawMessage) string {
	kind := "the number"
	switch value[0] {
	case '"':
		kind = "the string"
	case '[':
		kind = "the list"
	case '{':
		kind = "the object"
	case 't', 'f':
		kind = "the bool"
	case 'n':
		return "null"
	}
	const most = 40
	text := string(value)
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return kind + " " + text
}

// describeWanted is the kind of values that a variable has.
func describeWanted(v *flow.VariableInfo) string {
	name := func(kind string, many bool) string {
		one := map[string][2]string{
			"int": {"an integer", "integers"}, "float": {"a number", "numbers"}, "bool": {"true or false", "bools"}, "text": {"a string", "strings"},
		}[kind]
		switch {
		case one[0] == "" && many:
			return "values"
		case one[0] == "":
			return "a value"
		case many:
			return one[1]
		}
		return one[0]
	}
	if element, ok := strings.CutPrefix(v.Type, "list "); ok {
		return "it must be a list of " + name(element, true)
	}
	return "it must be " + name(v.Type, false)
}
