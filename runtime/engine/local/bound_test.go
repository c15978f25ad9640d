package local_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Every stream of a step is bounded in the log and for those who watch, also when
// it is one line, and the log says that it was cut.
func TestOutputIsBounded(t *testing.T) {
	const most, piece = 64 << 20, 1 << 20
	for _, stream := range []string{"stderr"} {
		w, ctx := newWorld(t), context.Background()
		text := bytes.Repeat([]byte("x"), piece)
		w.performer.set("a", func(_ context.Context, call *engine.Attempt) flow.Result {
			call.Output("other", []byte("kept\n"))
			for range most/piece + 8 {
				call.Output(stream, text)
			}
			call.Output("other", []byte("kept too\n"))
			return completed("")
		})
		watched := map[string]int{}
		e := w.engine(t, func(c *local.Config) {
			c.Watch = func(n local.Notice) {
				if n.Piece != nil {
					watched[n.Stream] += len(n.Piece)
				}
			}
		})
		r := must(t, flow.Completed)(e.Run(ctx, define("demo", step{key: "a"}), nil, w.options()))
		logged, notes := map[string]int{}, 0
		for line := range strings.Lines(readLog(t, w, r.ID)) {
			var l struct{ Type, Node, Stream, Text, Message string }
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			logged[l.Stream] += len(l.Text)
			if l.Type == "note" && l.Node == "a" && l.Message == stream+" is longer than 64 MiB: the rest of it is not in the log" {
				notes++
			}
		}
		if logged[stream] != most || watched[stream] != most || notes != 1 {
			t.Errorf("%s: %d bytes logged, %d watched, %d notes", stream, logged[stream], watched[stream], notes)
		}
		if want := len("kept\nkept too\n"); logged["other"] != want || watched["other"] != want {
			t.Errorf("beside %s: %d bytes logged, %d watched", stream, logged["other"], watched["other"])
		}
	}
}
