// Package testmake writes tests of workflows: from a recording of a run.
package testmake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/agent/recording"
	"github.com/wfc-lang/wfc/runtime/internal/tape"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
	"github.com/wfc-lang/wfc/runtime/internal/testrun"
)

// FromRecording returns the entry of a test file, a list item of YAML, that repeats a
// recorded run with the replies of its agents, the results of its programs and the answers of
// people; and remarks about gaps in the recording. The test compares its transcript with
// a golden one.
func FromRecording(def *flow.Definition, path string, project testjob.Project) (test []byte, notes []string, err error) {
	r, err := recording.Read(path, def.Name)
	if err != nil {
		return nil, nil, err
	}
	if r.End() == nil {
		return nil, nil, errors.New("the recording ends before its run does: resume the run until it ends or pauses")
	}
	m := &maker{definition: def, recorded: r, end: r.End()}
	if r.Fingerprint() != def.Fingerprint {
		m.addNote("the workflow has changed since the recording")
	}
	if len(r.Inputs()) == 0 && len(def.Inputs) > 0 {
		m.addNote("the recording has no inputs, so the test uses the defaults; add `inputs`")
	}
	m.recordedAnswers()
	dir, err := os.MkdirTemp("", "wfc-record-")
	if err != nil {
		return nil, nil, fmt.Errorf("make a folder for the run: %w", err)
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, nil, fmt.Errorf("find the folder for the run: %w", err)
	}
	// The run shows the parts of the test that the recording does not have: it is repeated
	// until none is missing.
	for round := 0; ; round++ {
		t, err := m.parseTest()
		if err != nil {
			return nil, nil, err
		}
		own := filepath.Join(dir, fmt.Sprint(round))
		o, absent, problems := testrun.Simulate(t, testrun.Options{Definition: def, Dir: own, Source: filepath.Dir(path), Project: project, Tools: testrun.NewTools(own), NoPrograms: true})
		if o == nil {
			return nil, nil, errors.New(strings.Join(problems, "; "))
		}
		if m.addNeededFiles(absent) || m.readsClock(o) || m.addCancellation(o) || m.leaveExpiringOpen(o) || m.answerWaiting(o) {
			continue
		}
		for _, problem := range problems {
			m.addNote("%s", problem)
		}
		m.expectEnd(o)
		break
	}
	test, err = m.marshalYAML()
	return test, m.notes, err
}

// A maker makes a test of a recording.
type maker struct {
	definition *flow.Definition
	recorded   *recording.Recording
	// end is the recorded end of the run, or nil.
	end     *tape.End
	answers []answered
	// expired are the waits that expire, and those at which the run stays paused.
	expired []string
	// files are files that must exist; their content has no effect.
	files []string
	now   time.Time
	// cancel is the step during which a person cancelled the run, or "".
	cancel string
	// status and outputs are the expected ones.
	status  flow.Status
	outputs *testfile.Object
	notes   []string
}

// answered are the answers to the questions of a node or step, in order.
type answered struct {
	name string
	list []any
}

func (m *maker) addNote(format string, args ...any) {
	m.notes = append(m.notes, fmt.Sprintf(format, args...))
}

// addNeededFiles adds files that prompts need, and reports whether some are new.
func (m *maker) addNeededFiles(absent []string) (more bool) {
	for _, path := range absent {
		if filepath.IsLocal(path) && !slices.Contains(m.files, path) {
			m.files = append(m.files, path)
			more = true
		}
	}
	return more
}

// readsClock lets the test begin when the run did if that can make a difference.
func (m *maker) readsClock(o *sim.Result) bool {
	reads := slices.ContainsFunc(allSteps(o), func(r flow.Record) bool { return r.Kind == "now" })
	if !reads || !m.now.IsZero() || m.recorded.Begun().IsZero() {
		return false
	}
	m.now = m.recorded.Begun().Truncate(time.Second)
	return true
}

// addCancellation lets a person cancel the run where the recorded one was cancelled, unless the
// workflow cancels it by itself, and reports whether that is new.
func (m *maker) addCancellation(o *sim.Result) bool {
	if m.cancel != "" || m.end == nil || m.end.Status != flow.Cancelled || len(m.end.Cancelled) == 0 || o.End.Status == flow.Cancelled {
		return false
	}
	m.cancel = m.recorded.Address(m.end.Cancelled[0])
	return true
}

// expectEnd expects the end of the recorded run, as far as the test repeats it.
func (m *maker) expectEnd(o *sim.Result) {
	m.status, m.outputs = o.End.Status, testfile.NewObject()
	if m.end == nil {
		return
	}
	if m.end.Status != o.End.Status {
		m.addNote("the recorded run is %s, but the test is %s%s", m.end.Status, o.End.Status, reasonSuffix(o.End))
	}
	var was, is map[string]json.RawMessage
	if len(m.end.Outputs) == 0 || json.Unmarshal(m.end.Outputs, &was) != nil || json.Unmarshal(o.End.Outputs, &is) != nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if !sameJSON(was[name], is[name]) {
			m.addNote("the output `%s` of the recorded run is %s, and that of the test is %s", name, was[name], is[name])
			continue
		}
		m.outputs.AddObject(name, testfile.NewObject().With("equals", testfile.InOrder(was[name])))
	}
}

func reasonSuffix(end flow.RunState) string {
	for _, why := range []string{end.Error, end.Reason} {
		if why != "" {
			return ": " + why
		}
	}
	return ""
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return len(b) > 0 && json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// parseTest returns the test as test files are read.
func (m *maker) parseTest() (*testfile.Test, error) {
	text, err := m.marshalYAML()
	if err != nil {
		return nil, err
	}
	f, faults := testfile.Parse("test", append([]byte("tests:\n"), text...))
	if len(faults) > 0 || len(f.Tests) != 1 {
		return nil, fmt.Errorf("the made test is not valid: %v", faults)
	}
	return f.Tests[0], nil
}

// marshalYAML returns the test as an item of a list, indented by two spaces.
func (m *maker) marshalYAML() ([]byte, error) {
	test := testfile.NewObject("name", "the recorded run "+m.recorded.Run())
	inputs, paths, err := m.recordedInputs()
	if err != nil {
		return nil, err
	}
	test.AddObject("inputs", inputs)
	files := testfile.NewObject()
	for _, path := range append(paths, m.files...) {
		files.Add(path, "")
	}
	test.AddObject("files", files)
	if !m.now.IsZero() {
		test.Add("now", m.now.Format(time.RFC3339))
	}
	var agents, answers standIns
	for _, step := range m.recorded.Steps() {
		agents.add(m.recorded.Address(step), repliesOf(m.recorded.Turns(step))...)
	}
	test.AddObject("agents", agents.toObject())
	for _, key := range []struct{ name, kind string }{{"bash", flow.Bash{}.Kind()}, {"scripts", flow.Script{}.Kind()}} {
		test.AddObject(key.name, m.programStandIns(key.kind))
	}
	for _, a := range m.answers {
		answers.add(a.name, a.list...)
	}
	test.AddObject("answers", answers.toObject())
	if m.cancel != "" {
		test.Add("cancel", m.cancel)
	}
	expect := testfile.NewObject()
	if m.status != "" && m.status != flow.Completed {
		expect.Add("status", string(m.status))
	}
	if m.outputs != nil {
		expect.AddObject("outputs", m.outputs)
	}
	test.AddObject("expect", expect)
	test.Add("snapshot", true)
	return test.Item()
}

// recordedInputs returns the inputs of the run that are not defaults, and the files that must exist
// because inputs are paths of them.
func (m *maker) recordedInputs() (given *testfile.Object, files []string, err error) {
	var inputs map[string]any
	if text := m.recorded.Inputs(); len(text) > 0 {
		if err := json.Unmarshal(text, &inputs); err != nil {
			return nil, nil, fmt.Errorf("the inputs of the recording: %w", err)
		}
	}
	given = testfile.NewObject()
	for _, in := range m.definition.Inputs {
		value, ok := inputs[in.Name]
		if path, isPath := value.(string); isPath && in.Type == "path" {
			if !filepath.IsLocal(path) {
				path = filepath.Base(path) // that of the test's own folder
			}
			value, files = path, append(files, path)
		}
		text, err := json.Marshal(value)
		if ok && err == nil && string(text) != in.Default {
			given.Add(in.Name, value)
		}
	}
	return given, files, nil
}

// repliesOf returns the replies to the turns of a step.
func repliesOf(turns []recording.Turn) []any {
	list := make([]any, len(turns))
	for i, t := range turns {
		reply := testfile.NewObject()
		switch {
		case t.Failure != nil:
			addFailure(reply, t.Failure)
		case len(t.Structured) > 0:
			reply.Add("json", testfile.InOrder(t.Structured))
		case t.CostUSD == 0 && t.Tokens == 0:
			list[i] = t.Text
			continue
		default:
			reply.Add("text", t.Text)
		}
		if t.CostUSD > 0 {
			reply.Add("cost", t.CostUSD)
		}
		if t.Tokens > 0 {
			reply.Add("tokens", t.Tokens)
		}
		list[i] = reply
	}
	return list
}

// addFailure adds the message and the class of a failure to a stand-in.
func addFailure(to *testfile.Object, f *flow.Failure) {
	to.Add("fail", f.Message)
	if f.Class == flow.ClassTransient || f.Class == flow.ClassFatal {
		to.Add("class", string(f.Class))
	}
}
