package recording_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/recording"
	"github.com/wfc-lang/wfc/runtime/internal/tape"
)

var schema = json.RawMessage(`{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}`)

// What was recorded comes back turn by turn: replies, corrections, failures,
// structured answers, what they cost and their sessions, marked as replayed.
func TestReplayIsWhatWasRecorded(t *testing.T) {
	w := newWorld(t,
		text("one"), text("two"),
		text("no json"), text(`{"a": 1}`), text(`Here: {"a": "x"}`),
		said{err: &flow.Failure{Message: "slow down", Class: flow.ClassTransient, Reason: "rate"}},
		text("after all"),
		said{reply: agent.Reply{Meta: flow.Meta{CostUSD: 1}}, err: errors.New("401 Unauthorized, status code: 401")},
		text("Credit balance is too low"),
	)
	type step struct {
		key     string
		attempt int
		prompt  flow.Prompt
	}
	steps := []step{
		{"a", 1, flow.Prompt{}}, {"fix#1", 1, flow.Prompt{}}, {"json", 1, flow.Prompt{Schema: schema}},
		{"again", 1, flow.Prompt{}}, {"again", 2, flow.Prompt{}}, {"fatal", 1, flow.Prompt{}}, {"poor", 1, flow.Prompt{}},
	}
	var recorded []flow.Result
	p := w.record()
	for _, s := range steps {
		recorded = append(recorded, w.ask(p, s.key, s.attempt, s.prompt))
	}
	if recorded[2].Text != `{"a":"x"}` || recorded[2].Meta.CostUSD != 0.75 || recorded[3].Failure.Class != flow.ClassTransient {
		t.Fatalf("%+v", recorded)
	}
	shown := w.shown.String()
	w.shown.Reset()
	p = w.replay()
	for i, s := range steps {
		got := w.ask(p, s.key, s.attempt, s.prompt)
		if as(got) != as(recorded[i]) && recorded[i].Meta.Turns > 0 {
			t.Errorf("step %s:\n%s, recorded\n%s", s.key, as(got), as(recorded[i]))
		}
		if got.Meta.Replayed != got.Meta.Usage() || got.Meta.Replayed.Turns == 0 || got.Meta.Spent() != (flow.Usage{}) {
			t.Errorf("step %s: %+v is not marked as replayed", s.key, got.Meta)
		}
		if got.Status != recorded[i].Status || got.Failure != nil && *got.Failure != *recorded[i].Failure {
			t.Errorf("step %s: %+v, recorded %+v", s.key, got.Failure, recorded[i].Failure)
		}
	}
	if w.fake.asked != 9 || w.shown.String() != shown || w.warnings != nil {
		t.Errorf("%d turns, shown %q for %q, warnings %q", w.fake.asked, w.shown.String(), shown, w.warnings)
	}
	head := w.lines()[0]
	if head["wfc_recording"] != 2.0 || head["workflow"] != "w" || head["fingerprint"] != "f" || head["run_id"] != "w-1" {
		t.Errorf("the first line is %v", head)
	}
	line := w.lines()[1]
	for key, want := range map[string]any{"step": "a", "attempt": 1.0, "agent": "bot", "kind": "claude", "model": "big", "prompt": "do a", "text": "one",
		"prompt_sha256": fmt.Sprintf("%x", sha256.Sum256([]byte("do a")))} {
		if line[key] != want {
			t.Errorf("%s is %v, want %v", key, line[key], want)
		}
	}
}

// An agent that satisfies schemas by itself is replayed as one.
func TestReplayOfNativeAgents(t *testing.T) {
	w := newWorld(t, said{reply: agent.Reply{Text: "words", Structured: json.RawMessage(`{"a" : "<x>"}`)}}, said{reply: agent.Reply{Structured: json.RawMessage(`{}`)}})
	w.fake.native = true
	p := w.record()
	good, bad := w.ask(p, "a", 1, flow.Prompt{Schema: schema}), w.ask(p, "b", 1, flow.Prompt{Schema: schema})
	p = w.replay()
	if got := w.ask(p, "a", 1, flow.Prompt{Schema: schema}); got.Text != good.Text || got.Text != `{"a":"<x>"}` {
		t.Errorf("%+v, recorded %+v", got, good)
	}
	if got := w.ask(p, "b", 1, flow.Prompt{Schema: schema}); got.Failure == nil || *got.Failure != *bad.Failure {
		t.Errorf("%+v, recorded %+v", got.Failure, bad.Failure)
	}
}

// A prompt, schema or model that has changed is told once a step, or fails.
func TestReplayOfOtherPrompts(t *testing.T) {
	w := newWorld(t, text("one"), text("two"), text("three"), text(`{"a":"x"}`))
	p := w.record()
	w.ask(p, "a", 1, flow.Prompt{Text: "first\nsecond " + strings.Repeat("x", 100) + " end\nthird"})
	w.ask(p, "a", 2, flow.Prompt{Text: "first"})
	w.ask(p, "b", 1, flow.Prompt{Text: "same"})
	w.ask(p, "c", 1, flow.Prompt{Text: "same", Schema: schema})
	p = w.replay()
	changed := flow.Prompt{Text: "first\nsecond " + strings.Repeat("x", 100) + " END\nthird"}
	w.ask(p, "a", 1, changed)
	w.ask(p, "a", 2, flow.Prompt{Text: "first\nmore"})
	w.ask(p, "b", 1, flow.Prompt{Text: "same", Model: "small"})
	w.ask(p, "c", 1, flow.Prompt{Text: "same", Schema: json.RawMessage(`{"type":"object"}`)})
	want := []string{
		"replayed although the prompt is not the recorded one: line 2 was `…" + strings.Repeat("x", 76) + " end` and is `…" + strings.Repeat("x", 76) + " END`",
		"replayed although the model was `big` and is `small`",
		"replayed although the schema of the answer is not the recorded one",
	}
	if strings.Join(w.warnings, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(w.warnings, "\n"), strings.Join(want, "\n"))
	}

	w.warnings, w.dir = nil, t.TempDir()
	w.tape.Strict = true
	p = w.replay()
	r := w.ask(p, "a", 1, changed)
	if r.Status != flow.Failed || r.Failure.Reason != failures.ReasonReplay || r.Failure.Class != flow.ClassFatal || !strings.HasPrefix(r.Failure.Message, "Node `a` cannot be replayed strictly: the prompt is not the recorded one: line 2 was ") {
		t.Errorf("%+v", r.Failure)
	}
	if r := w.ask(p, "b", 1, flow.Prompt{Text: "same"}); r.Status != flow.Completed || w.warnings != nil {
		t.Errorf("%+v %q", r.Failure, w.warnings)
	}
}

func TestMissingTurns(t *testing.T) {
	w := newWorld(t, text("one"))
	w.ask(w.record(), "a", 1, flow.Prompt{})
	p := w.replay()
	w.ask(p, "a", 1, flow.Prompt{})
	for step, want := range map[string]string{"a": "Node `a` cannot be replayed: its turn 2 is not in the recording", "b": "which has none of this step"} {
		r := w.ask(p, step, 2, flow.Prompt{})
		if r.Failure == nil || r.Failure.Class != flow.ClassFatal || r.Failure.Reason != failures.ReasonReplay || !strings.Contains(r.Failure.Message, want) {
			t.Errorf("%s: %+v", step, r.Failure)
		}
	}
}

// A process that dies after a turn asks again when the run goes on; the reply
// that counts is the later one. A failure that the run ended with counts, and so
// does what came when it was resumed.
func TestRecordingOverProcesses(t *testing.T) {
	w := newWorld(t, text("lost"), text("kept"), said{err: errors.New("no")}, text("mended"))
	w.ask(w.record(), "a", 1, flow.Prompt{}) // never committed
	p := w.record()
	kept := w.ask(p, "a", 1, flow.Prompt{})
	failed := w.ask(p, "b", 1, flow.Prompt{})
	p = w.record()
	mended := w.ask(p, "b", 1, flow.Prompt{})

	p = w.replay()
	if r := w.ask(p, "a", 1, flow.Prompt{}); r.Text != kept.Text {
		t.Errorf("%+v", r)
	}
	if r := w.ask(p, "b", 1, flow.Prompt{}); r.Failure == nil || *r.Failure != *failed.Failure {
		t.Errorf("%+v", r)
	}
	p = w.replay()
	if r := w.ask(p, "a", 1, flow.Prompt{}); r.Text != kept.Text {
		t.Errorf("asked again, as its process died: %+v", r)
	}
	if r := w.ask(p, "b", 1, flow.Prompt{}); r.Text != mended.Text {
		t.Errorf("%+v", r)
	}
}

// A line that was not written to its end is no part of the recording.
func TestTornLine(t *testing.T) {
	for _, torn := range []string{`{"step":"b","attempt":1,"pro`, `{"wfc_rec`} {
		w := newWorld(t, text("one"), text("two"))
		if !strings.HasPrefix(torn, `{"wfc`) {
			w.ask(w.record(), "a", 1, flow.Prompt{})
		}
		f, err := os.OpenFile(w.file, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(torn); err != nil {
			t.Fatal(err)
		}
		f.Close()
		two := w.ask(w.record(), "b", 1, flow.Prompt{})
		if r := w.ask(w.replay(), "b", 1, flow.Prompt{}); r.Text != two.Text || r.Text == "" {
			t.Errorf("%+v", r)
		}
	}
}

func TestParallelTurns(t *testing.T) {
	w := newWorld(t, text(strings.Repeat("long ", 5000)))
	p := w.record()
	var work sync.WaitGroup
	for i := range 40 {
		work.Go(func() { w.ask(p, fmt.Sprintf("n#%d", i), 1, flow.Prompt{}) })
	}
	work.Wait()
	if n := len(w.lines()); n != 41 {
		t.Errorf("%d lines", n)
	}
	p = w.replay()
	for i := range 40 {
		work.Go(func() {
			if r := w.ask(p, fmt.Sprintf("n#%d", i), 1, flow.Prompt{}); r.Status != flow.Completed {
				t.Errorf("%+v", r.Failure)
			}
		})
	}
	work.Wait()
}

// Secrets are in the file in no form, and a prompt that holds another value of
// one is the same prompt.
func TestRecordingHidesSecrets(t *testing.T) {
	w := newWorld(t, said{reply: agent.Reply{Text: `{"a":"q\"uote-me"}`, Structured: json.RawMessage(`{"a":"say q\"uote-me", "b":12.50}`)}}, said{err: errors.New(`key q"uote-me is bad`)})
	w.tape.Environ = []string{`MY_TOKEN=q"uote-me`}
	p := w.record()
	options := []flow.Option{{Name: "mcp", Value: `{"x":{"env":{"T":"q\"uote-me"}}}`}}
	w.ask(p, "a", 1, flow.Prompt{Text: `use q"uote-me`, Schema: schema, Options: options})
	w.ask(p, "b", 1, flow.Prompt{})
	file, err := os.ReadFile(w.file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(file), "uote-me") || strings.Count(string(file), "***") < 5 || !strings.Contains(string(file), `{"a":"say ***","b":12.50}`) {
		t.Errorf("%s", file)
	}
	w.tape.Environ = []string{"MY_TOKEN=other-value"}
	p = w.replay()
	if r := w.ask(p, "a", 1, flow.Prompt{Text: "use other-value", Schema: schema, Options: options}); r.Status != flow.Completed || w.warnings != nil {
		t.Errorf("%+v %q", r, w.warnings)
	}
}

// What is no recording, or none of the workflow, is refused before anything
// starts.
func TestNoRecording(t *testing.T) {
	for want, content := range map[string]string{
		"it is empty": "", "has no \"wfc_recording\"": "{\"a\":[]}\n", "version 3": "{\"wfc_recording\":3,\"workflow\":\"w\"}\n",
		"to workflow other": "{\"wfc_recording\":2,\"workflow\":\"other\"}\n", "line 2": "{\"wfc_recording\":2,\"workflow\":\"w\"}\nnope\n",
		"names no step": "{\"wfc_recording\":2,\"workflow\":\"w\"}\n{}\n",
	} {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := recording.Play(&tape.Tape{Replay: path, Workflow: "w"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("replay of %q: %v", content, err)
		}
		if _, err := recording.Open(&tape.Tape{Record: path, Workflow: "w"}); (err == nil) != (content == "") {
			t.Errorf("record to %q: %v", content, err)
		}
	}
	if _, err := recording.Play(&tape.Tape{Replay: filepath.Join(t.TempDir(), "none"), Workflow: "w"}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := recording.Open(&tape.Tape{Record: filepath.Join(t.TempDir(), "none", "x"), Workflow: "w"}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("{\"wfc_recording\":2,\"workflow\":\"w\"}\n{\"step\":\"a\",\"attempt\":1,\"text\":\"x\"}\n{\"step\":\"a\",\"failed\":true}\n")
	f.Add("{\"wfc_recording\":2}\n{\"step\":\"a\",\"structured\":{\"b\":[1,\"\\\"\"]}}\n{\"st")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = recording.Parse([]byte(text))
	})
}

// A replay takes the turns of each child run from the recorded one that the same step began,
// and ignores the lines that are not about turns.
func TestReplayOfChildren(t *testing.T) {
	w := newWorld(t, text("root"), text("of a"), text("of b"))
	file, err := tape.Open(&tape.Tape{Record: w.file, Workflow: "w", Fingerprint: "f"})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	child := func(root, step string) string { return runid.Child(root, step) }
	p := w.record()
	recorded := map[string]string{"": w.askIn(p, "w-1", "make").Text}
	for _, step := range []string{"each[0]", "each[1]"} {
		if err := file.Begin("w-1", nil, time.Time{}); err != nil {
			t.Fatal(err)
		}
		if err := file.Child(child("w-1", step), "w-1", step); err != nil {
			t.Fatal(err)
		}
		recorded[step] = w.askIn(p, child("w-1", step), "make").Text
		if err := file.Program(child("w-1", step), "make", 1, tape.Program{Kind: "bash", Output: "no turn"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.End("w-1", tape.End{Status: flow.Completed}); err != nil {
		t.Fatal(err)
	}
	p = w.replay()
	for _, step := range []string{"each[1]", "", "each[0]"} {
		run := "other-run"
		if step != "" {
			run = child(run, step)
		}
		if r := w.askIn(p, run, "make"); r.Text != recorded[step] || r.Text == "" {
			t.Errorf("step `make` of %q says %q, recorded %q", step, r.Text, recorded[step])
		}
	}
}
