package local_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
)

// logTimes returns the lines of a log about one step: their types and how many
// minutes after the beginning they were.
func logTimes(t *testing.T, text, node string, from time.Time) []string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(text) {
		var l struct {
			Type, Node string
			Time       time.Time
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.Node == node {
			lines = append(lines, fmt.Sprintf("%s@%d", l.Type, int(l.Time.Sub(from).Minutes())))
		}
	}
	return lines
}

// The line of a step that is begun again has its own time, not that of the
// first begin.
func TestLogTimesOfResumedSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, ctx, begun := newWorld(t), context.Background(), time.Now()
		w.performer.set("a", w.performer.block)
		def := define("demo", step{key: "a"})
		e := w.engine(t, nil)
		id, err := e.RunAsync(ctx, def, nil, w.options())
		if err != nil {
			t.Fatal(err)
		}
		<-w.performer.begun
		time.Sleep(10 * time.Minute)
		if err := e.Shutdown(ctx); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		w.performer.set("a", nil)
		must(t, flow.Completed)(w.engine(t, nil).Resume(ctx, def, id, local.Options{}))
		want := []string{"step_started@0", "step_started@20", "step_completed@20"}
		if got := logTimes(t, readLog(t, w, id), "a", begun); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

// What a resumed run writes again, such as a question that is still open, is no earlier than its lines
// before.
func TestLogTimesGoForward(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, ctx, last := newWorld(t), context.Background(), time.Time{}
		def := define("demo", step{key: "a"}, step{key: "b", ask: "Go on?", after: []string{"a"}})
		id := must(t, flow.Paused)(w.engine(t, nil).Run(ctx, def, nil, w.options())).ID
		time.Sleep(10 * time.Minute)
		must(t, flow.Paused)(w.engine(t, nil).Resume(ctx, def, id, local.Options{}))
		text := readLog(t, w, id)
		for line := range strings.Lines(text) {
			var l struct{ Time time.Time }
			if err := json.Unmarshal([]byte(line), &l); err != nil || l.Time.Before(last) {
				t.Fatalf("times go back at %s%v in\n%s", line, err, text)
			}
			last = l.Time
		}
	})
}

// A node that goes on after a person has answered did not start then.
func TestLogOfInteractiveLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, ctx, begun := newWorld(t), context.Background(), time.Now()
		def := &flow.Definition{Name: "loop", Fingerprint: "f1", Nodes: []flow.NodeInfo{{Key: "fix", Kind: "loop"}}}
		def.Flow = func(c *flow.Context) (any, error) {
			flow.Spawn(c, flow.Node[string]{Key: "fix", Kind: "loop", Run: func(c *flow.Context) (string, error) {
				return steps.Loop{
					Max: 3, Gate: "go on?", Goal: "x", Done: func(string) bool { return true },
					Body: func(c *flow.Context, _ *steps.Iteration) (flow.Result, error) { return c.Do(flow.Bash{Script: "x"}) },
				}.Run(c)
			}})
			return nil, flow.Settle(c)
		}
		e := w.engine(t, nil)
		id := must(t, flow.Paused)(e.Run(ctx, def, nil, w.options())).ID
		time.Sleep(10 * time.Minute)
		if err := e.Answer(ctx, id, approve("fix#1/gate", "more")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		must(t, flow.Completed)(e.Resume(ctx, def, id, local.Options{}))
		want := []string{"step_started@0", "step_waiting@0", "step_continued@20", "step_completed@20"}
		if got := logTimes(t, readLog(t, w, id), "fix", begun); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		if text := readLog(t, w, id); !strings.Contains(text, `"type":"step_completed","node":"fix#1/gate"`) || !strings.Contains(text, `"choice":"approve","by":"ann","from":"here"`) {
			t.Errorf("the log has no answer:\n%s", text)
		}
	})
}
