package attacks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The variables of the state that graphForm fills with the payload, by the way
// in which it gets there.
const (
	fromOutput  = "state.v"    // set from the output of a command
	fromList    = "state.list" // the same, appended to a list
	fromNumber  = "state.n"    // the same, into a number
	fromReply   = "state.said" // set from an agent's reply
	fromFailure = "state.problem"
	fromPerson  = "(user provides via state.who)"
)

// graphForm is graphloop's: the payload goes into the state, and all cases are
// branches beside each other.
var graphForm = Form{
	Name:     "graph",
	Workflow: graphWorkflow,
	Arguments: func(t testing.TB, dir, payload string) []string {
		return []string{"--agent", "self=command:" + payloadAgent(t, dir)}
	},
}

// personForm is graphForm for cases that read the input of the user who starts the
// run.
var personForm = Form{
	Name:     "person",
	Workflow: graphWorkflow,
	Arguments: func(t testing.TB, dir, payload string) []string {
		return []string{"--agent", "self=command:" + payloadAgent(t, dir), "--who=" + payload}
	},
}

// payloadAgent writes an agent that answers with the payload.
func payloadAgent(t testing.TB, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "agent.sh")
	if err := os.WriteFile(path, []byte("#!/bin/sh\ncat > /dev/null\ncat \"$PAYLOAD\"\n"), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	return path
}

// graphWorkflow declares and fills the variables that the steps read.
func graphWorkflow(steps []Step) string {
	var all strings.Builder
	for _, s := range steps {
		all.WriteString(s.Script + "\n")
	}
	reads := func(name string) bool { return strings.Contains(all.String(), name) }
	var state, print, nodes, edges strings.Builder
	var sets []string
	last := "START"
	after := func(id string) {
		fmt.Fprintf(&edges, "  - {from: %s, to: %s}\n", last, id)
		last = id
	}
	declare := func(name, initial string) {
		state.WriteString("    " + strings.TrimPrefix(name, "state.") + ": " + initial + "\n")
	}
	if reads(fromOutput) {
		declare(fromOutput, `""`)
		sets = append(sets, "v: output")
	}
	if reads(fromNumber) {
		declare(fromNumber, "0")
		sets = append(sets, "n: output")
	}
	if len(sets) > 0 {
		print.WriteString("        set: {" + strings.Join(sets, ", ") + "}\n")
	}
	if reads(fromList) {
		declare(fromList, "[]")
		print.WriteString("        append: {list: output}\n")
	}
	if print.Len() > 0 {
		nodes.WriteString("  a:\n    type: task\n    agent: bash\n    command: cat \"$PAYLOAD\"\n    outputs: [done]\n    on_output:\n      done:\n")
		nodes.WriteString(print.String())
		after("a")
	}
	if reads(fromFailure) {
		declare(fromFailure, `""`)
		nodes.WriteString("  broken: {type: task, agent: bash, command: 'cat \"$PAYLOAD\"; exit 1', outputs: [pass, fail], on_output: {fail: {set: {problem: output}}}}\n")
		after("broken")
	}
	handler := ""
	if reads(fromReply) {
		declare(fromReply, `""`)
		handler = ", on_output: {done: {set: {said: output}}}"
	}
	nodes.WriteString("  ask: {type: task, agent: self, prompt: Report., outputs: [done]" + handler + "}\n")
	after("ask")
	var keys []string
	for _, s := range steps {
		keys = append(keys, s.Key)
		nodes.WriteString("  " + s.Key + ":\n    type: task\n    agent: bash\n    timeout_minutes: 1\n    outputs: [done, fail]\n    command: |\n")
		nodes.WriteString("      " + strings.ReplaceAll(s.Script, "\n", "\n      ") + "\n")
	}
	if len(keys) == 1 {
		after(keys[0])
	} else {
		list := strings.Join(keys, ", ")
		fmt.Fprintf(&nodes, "  fork: {type: parallel, outputs: [done], branches: [%s]}\n  meet: {type: join, outputs: [done], wait_for: [%s]}\n", list, list)
		after("fork")
		after("meet")
	}
	after("END")
	text := "workflow: attacks\n"
	if state.Len() > 0 {
		text += "state:\n  variables:\n" + state.String()
	}
	return text + "nodes:\n" + nodes.String() + "edges:\n" + edges.String()
}

// graphCases reads samples, one a line. Those that ask a person come apart.
func graphCases(t *testing.T, file string) (cases, asking []Case) {
	t.Helper()
	for _, c := range readCases(t, file) {
		if strings.Contains(c.Script, fromPerson) {
			asking = append(asking, c)
		} else {
			cases = append(cases, c)
		}
	}
	return cases, asking
}

// TestGraphFrame checks that the form tells the three outcomes apart, in the
// parallel and alone.
func TestGraphFrame(t *testing.T) {
	needBash(t)
	for _, form := range []Form{graphForm, personForm} {
		reference := "(reference state.v)"
		if form.Name == personForm.Name {
			reference = fromPerson
		}
		reports := Try(t, form, []Case{
			{"bash", `eval "` + reference + `"`},
			{"bash", `printf '%s\n' "` + reference + `"`},
			{"bash", `sh "$PAYLOAD"`},
			{"bash", `test "` + reference + `" = "$(cat "$PAYLOAD")" && sh "$PAYLOAD"`}, // the value has arrived
		}, []string{"PWN"})
		for i, want := range []Outcome{Refused, Accepted, Executed, Executed} {
			if reports[i].Outcome != want {
				t.Errorf("%s: %s, want %s: %v", reports[i].Script, reports[i].Outcome, want, reports[i].Codes())
			}
		}
	}
}

// TestGraphHostile tries commands that want to run a value of the state: each is
// refused, or runs with all payloads and executes none.
func TestGraphHostile(t *testing.T) {
	needBash(t)
	cases, asking := graphCases(t, "testdata/graph-hostile.txt")
	for _, c := range readCases(t, "testdata/bash-hostile.txt") {
		c.Script = strings.ReplaceAll(c.Script, "$a.output", "(reference state.v)")
		cases = append(cases, c)
	}
	// The last command of each run executes the payload's file: it shows that the
	// run came so far, and that it would have been seen.
	canary := Case{"bash", `sh "$PAYLOAD"`}
	reports := Try(t, graphForm, append(cases, canary), payloads)
	reports = append(reports, Try(t, personForm, append(asking, canary), payloads)...)
	refused := 0
	for _, r := range reports {
		switch {
		case r.Case == canary:
			if len(r.Payloads) == 0 {
				t.Error("no payload reached the end of a run")
			}
		case r.Outcome == Refused:
			refused++
		case r.Outcome == Executed:
			t.Errorf("executed %q\n%s", r.Payloads, r.Script)
		}
	}
	t.Logf("%d commands, %d refused", len(reports)-2, refused)
}

// TestGraphSafe compiles commands that use a value as data: none has a finding,
// and none executes a payload.
func TestGraphSafe(t *testing.T) {
	needBash(t)
	cases, asking := graphCases(t, "testdata/graph-safe.txt")
	for _, r := range append(Try(t, graphForm, cases, payloads[1:3]), Try(t, personForm, asking, payloads[1:3])...) {
		if r.Outcome != Accepted {
			t.Errorf("%s %v\n%s", r.Outcome, r.Codes(), r.Script)
		}
		for _, d := range r.Findings {
			t.Errorf("%s: %s\n%s", d.Code.ID, d.Message, r.Script)
		}
	}
}
