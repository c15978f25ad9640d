package testrun

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
)

// A comparison collects the expectations that do not hold.
type comparison struct {
	*world
	o      *Observed
	failed []Failure
}

// compareRun compares the run with the test's expectations.
func (w *world) compareRun() []Failure {
	c := &comparison{world: w, o: w.observed}
	c.compareEnd()
	c.compareNodes()
	c.compareTexts()
	c.compareLists()
	c.compareOrder()
	c.compareFilesAndCalls()
	return c.failed
}

func (c *comparison) addDifference(at testfile.Place, what, expected, happened string) {
	c.failed = append(c.failed, Failure{Place: at, What: what, Expected: expected, Happened: happened})
}

// matchText compares a text with a matcher, which may be nil.
func (c *comparison) matchText(what string, m *testfile.Matcher, text string, present bool) {
	if m == nil {
		return
	}
	for _, wrong := range m.Check(text, present, structured.Check) {
		c.addDifference(wrong.Place, what, wrong.Expected, wrong.Happened)
	}
}

// matchMany compares a list of strings.
func (c *comparison) matchMany(at testfile.Place, what string, ms testfile.Matchers, texts []string) {
	if ms.Each {
		absent := ms.List[0].Absent
		if len(texts) == 0 && !absent {
			c.addDifference(at, what, "at least one", "none")
		}
		for i, text := range texts {
			c.matchText(fmt.Sprintf("%s, number %d", what, i+1), ms.List[0], text, true)
		}
		return
	}
	for i, m := range ms.List {
		if i < len(texts) {
			c.matchText(fmt.Sprintf("%s, number %d", what, i+1), m, texts[i], true)
		}
	}
	if len(texts) != len(ms.List) {
		c.addDifference(at, "number of "+what, fmt.Sprint(len(ms.List)), fmt.Sprint(len(texts)))
	}
}

// statusOfRun names the status of the run in failures.
const statusOfRun = "status of the run"

// compareEnd compares the end of the run.
func (c *comparison) compareEnd() {
	e := &c.test.Expect
	want, at := string(flow.Completed), c.test.Place
	if e.Status.Name != "" {
		want, at = e.Status.Name, e.Status.Place
	}
	if got := string(c.o.End.Status); got != want && (e.Exit == nil || e.Status.Name != "") {
		happened := got
		for _, detail := range []string{c.o.End.Reason, c.o.End.Error} {
			if detail != "" {
				happened += ": " + detail
			}
		}
		c.addDifference(at, statusOfRun, want, happened)
	}
	if code := runerr.ExitCode(c.o.End); e.Exit != nil && !e.Exit.Holds(float64(code)) {
		c.addDifference(e.Exit.Place, "exit code", e.Exit.String(), fmt.Sprintf("%d (%s)", code, c.o.End.Status))
	}
	c.matchText("reason of the run's end", e.Reason, c.o.End.Reason, c.o.End.Reason != "")
	c.matchText("error of the run", e.Error, c.o.End.Error, c.o.End.Error != "")
	c.matchText("summary of the run", e.Summary, c.o.End.Summary, c.o.End.Summary != "")
	if len(e.Outputs) > 0 {
		var outputs map[string]json.RawMessage
		_ = json.Unmarshal(c.o.End.Outputs, &outputs) // a run that failed may have none
		known := slices.Sorted(maps.Keys(outputs))
		for _, out := range e.Outputs {
			value, ok := outputs[out.Key]
			if !ok && !out.Value.Absent {
				c.addDifference(out.Place, fmt.Sprintf("output `%s`", out.Key), "a value", "no such output; the run has: "+strings.Join(known, ", "))
				continue
			}
			text, present := textOf(value)
			c.matchText(fmt.Sprintf("output `%s`", out.Key), out.Value, text, ok && present)
		}
	}
	if e.Cost != nil && !e.Cost.Holds(c.o.Spent.CostUSD) {
		c.addDifference(e.Cost.Place, "cost in US dollars", e.Cost.String(), formatAmount(c.o.Spent.CostUSD))
	}
	if e.Turns != nil && !e.Turns.Holds(float64(c.o.Spent.Turns)) {
		c.addDifference(e.Turns.Place, "turns of agents", e.Turns.String(), fmt.Sprint(c.o.Spent.Turns))
	}
}

// textOf returns a JSON value as text: a string itself, and other values as JSON. null
// counts as no value.
func textOf(value json.RawMessage) (text string, present bool) {
	if json.Unmarshal(value, &text) == nil && len(value) > 0 && value[0] == '"' {
		return text, true
	}
	return string(value), len(value) > 0 && string(value) != "null"
}

// compareNodes compares the ends of nodes.
func (c *comparison) compareNodes() {
	for _, e := range c.test.Expect.Nodes {
		r, known := c.o.lastRecord(e.Key)
		what := fmt.Sprintf("node `%s`", e.Key)
		n := e.Value
		if !known {
			c.addDifference(e.Place, what, "a step of the run", "the run has no such step")
			continue
		}
		if n.Status.Name != "" && string(r.Status) != n.Status.Name {
			c.addDifference(n.Status.Place, "status of "+what, n.Status.Name, statusOf(r))
		}
		present := r.Status == flow.Completed || r.Text != ""
		c.matchText("output of "+what, n.Output, r.Text, present)
		c.matchText("reason of "+what, n.Reason, r.Reason, r.Reason != "")
		message := ""
		if r.Failure != nil {
			message = r.Failure.Message
		}
		c.matchText("error of "+what, n.Error, message, r.Failure != nil)
		if n.Attempts != nil {
			attempts := max(r.Attempt, r.Meta.Attempts)
			if attempts == 0 {
				for _, entry := range c.o.entriesOf(e.Key) {
					attempts = max(attempts, entry.Attempt)
				}
			}
			if !n.Attempts.Holds(float64(attempts)) {
				c.addDifference(n.Attempts.Place, "attempts at "+what, n.Attempts.String(), fmt.Sprint(attempts))
			}
		}
	}
	for _, e := range c.test.Expect.Loops {
		if n := c.o.iterationCount(e.Key); !e.Value.Holds(float64(n)) {
			c.addDifference(e.Value.Place, fmt.Sprintf("iterations of `%s`", e.Key), e.Value.String(), fmt.Sprint(n))
		}
	}
}

func statusOf(r flow.Record) string {
	s := string(r.Status)
	if r.Reason != "" {
		s += " (" + r.Reason + ")"
	}
	if r.Failure != nil {
		s += ": " + r.Failure.Message
	}
	return s
}

// compareTexts compares prompts, values of scripts, questions, messages, variables and warnings.
func (c *comparison) compareTexts() {
	e := &c.test.Expect
	for _, of := range []struct {
		what  string
		list  testfile.Entries[testfile.Matchers]
		texts func(o *Observed, e *Entry) []string
	}{
		{"prompts of `%s`", e.Prompts, (*Observed).prompts}, {"values for `%s`", e.Values, (*Observed).values},
		{"scripts of `%s`", e.Programs, (*Observed).programs}, {"questions of `%s`", e.Asked, (*Observed).questions},
		{"waits of `%s` for quotas", e.Waits, (*Observed).waits},
	} {
		for _, m := range of.list {
			c.matchMany(m.Place, fmt.Sprintf(of.what, m.Key), m.Value, c.o.nodeTexts(m.Key, of.texts))
		}
	}
	for _, m := range e.Messages {
		var texts, targets []string
		for _, d := range c.o.Messages {
			targets = append(targets, d.Targets...)
			if slices.Contains(d.Targets, m.Key) {
				texts = append(texts, c.o.clean(d.Text))
			}
		}
		what := fmt.Sprintf("messages to `%s`", m.Key)
		if len(texts) == 0 && len(targets) > 0 {
			what += fmt.Sprintf(" (the run sent to %s)", quotedList(slices.Compact(slices.Sorted(slices.Values(targets)))))
		}
		c.matchMany(m.Place, what, m.Value, texts)
	}
	if len(e.State) > 0 {
		var variables map[string]json.RawMessage
		_ = json.Unmarshal(c.o.State.Variables, &variables) // a run that never began has none
		for _, v := range e.State {
			text, present := textOf(variables[v.Key])
			c.matchText(fmt.Sprintf("state variable `%s`", v.Key), v.Value, c.o.clean(text), present)
		}
	}
	for _, m := range e.Warnings {
		found := false
		for _, w := range c.o.Warnings {
			found = found || len(m.Check(w, true, structured.Check)) == 0
		}
		if !found {
			wrong := m.Check("", false, structured.Check)
			expected := "a warning"
			if len(wrong) > 0 {
				expected = wrong[0].Expected
			}
			happened := "no warnings"
			if len(c.o.Warnings) > 0 {
				happened = strings.Join(c.o.Warnings, "\n")
			}
			c.addDifference(m.Place, "warnings", expected, happened)
		}
	}
}

// compareLists compares the nodes that ran, were skipped and failed, and the findings.
func (c *comparison) compareLists() {
	e := &c.test.Expect
	var ran, skipped, failed []string
	ways := map[string]string{}
	for _, r := range c.o.Steps {
		ways[r.Key] = statusOf(r)
		node, ok := c.names.nodeOf(r.Key)
		switch {
		case !ok:
		case r.Status == flow.Failed && r.Key == node.Key:
			failed, ran = append(failed, r.Key), append(ran, r.Key)
		case r.Status == flow.Skipped && r.Key == node.Key:
			skipped = append(skipped, r.Key)
		case r.Key == node.Key && r.Status != flow.Pending && r.Status != flow.Skipped:
			ran = append(ran, r.Key)
		}
	}
	c.compareList("ran", e.Ran, ran, ways)
	c.compareList("was skipped", e.Skipped, skipped, ways)
	c.compareList("failed", e.Failed, failed, ways)
	if e.Diagnostics != nil {
		if c.opt.Diagnostics == nil {
			c.addDifference(e.Diagnostics.Place, "diagnostics", "findings of wfc check", "not known here; run the test with `wfc test`")
			return
		}
		c.compareList("was found", e.Diagnostics, c.opt.Diagnostics, nil)
	}
}

func (c *comparison) compareList(verb string, want *testfile.Names, got []string, ways map[string]string) {
	if want == nil {
		return
	}
	var expected []string
	for _, name := range want.List {
		expected = append(expected, name.Name)
		if slices.Contains(got, name.Name) || verb == "ran" && c.o.started[name.Name] > 0 {
			continue
		}
		happened := cmp.Or(ways[name.Name], "it did not start")
		if ways == nil {
			happened = "no such finding"
		}
		c.addDifference(name.Place, fmt.Sprintf("`%s`", name.Name), "it "+verb, happened)
	}
	if !want.All {
		return
	}
	for _, name := range got {
		if !slices.Contains(expected, name) {
			c.addDifference(want.Place, fmt.Sprintf("only %s %s", quotedList(expected), verb), "nothing else", fmt.Sprintf("`%s` %s", name, verb))
		}
	}
}

// compareOrder compares the order of steps.
func (c *comparison) compareOrder() {
	e := &c.test.Expect
	last, lastAt := "", 0
	for _, name := range e.Order {
		at := c.o.started[name.Name]
		switch {
		case at == 0:
			c.addDifference(name.Place, fmt.Sprintf("start of `%s`", name.Name), "a start", "it did not start")
			continue
		case at < lastAt:
			c.addDifference(name.Place, fmt.Sprintf("start of `%s`", name.Name), fmt.Sprintf("after `%s`", last), fmt.Sprintf("before `%s`", last))
		}
		last, lastAt = name.Name, at
	}
	for _, pair := range e.Before {
		ended, started := c.o.ended[pair[0].Name], c.o.started[pair[1].Name]
		switch {
		case ended == 0:
			c.addDifference(pair[0].Place, fmt.Sprintf("end of `%s`", pair[0].Name), "an end", "it did not run")
		case started == 0:
			c.addDifference(pair[1].Place, fmt.Sprintf("start of `%s`", pair[1].Name), "a start", "it did not start")
		case started < ended:
			c.addDifference(pair[1].Place, fmt.Sprintf("start of `%s`", pair[1].Name), fmt.Sprintf("after the end of `%s`", pair[0].Name), "before it")
		}
	}
}

// compareFilesAndCalls compares files and the calls of commands.
func (c *comparison) compareFilesAndCalls() {
	for _, f := range c.test.Expect.Files {
		name := filepath.FromSlash(f.Key)
		if !filepath.IsLocal(name) {
			c.addDifference(f.Place, fmt.Sprintf("file `%s`", f.Key), "a path in the working folder", "a path outside of it")
			continue
		}
		text, err := wholefile.Output.Read(filepath.Join(c.info.WorkDir, name))
		present := err == nil && c.folder.ready
		c.matchText(fmt.Sprintf("file `%s`", f.Key), f.Value, c.cleanText(string(text)), present)
	}
	for _, e := range c.test.Expect.Commands {
		c.matchMany(e.Place, fmt.Sprintf("calls of `%s`", e.Key), e.Value, c.folder.standInCalls(e.Key))
	}
}
