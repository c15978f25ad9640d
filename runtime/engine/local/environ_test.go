package local_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Scripts get the whole environment, or what is allowed and every program needs.
func TestEnvironmentOfScripts(t *testing.T) {
	environ := []string{"PATH=/bin", "GH_TOKEN=github-secret", "CLOUD_KEY=cloud-secret", "EDITOR=vi"}
	for name, test := range map[string]struct {
		scripts []string
		want    []string
	}{
		"everything":  {nil, environ},
		"nothing":     {[]string{}, []string{"PATH=/bin"}},
		"one of them": {[]string{"GH_*"}, []string{"PATH=/bin", "GH_TOKEN=github-secret"}},
	} {
		w := newWorld(t)
		var got []string
		w.performer.set("a", func(_ context.Context, call *engine.Attempt) flow.Result {
			got = call.Environ
			// It can still have a secret from elsewhere, and print it in pieces.
			call.Output("stdout", []byte("the key is cloud-s"))
			call.Output("stdout", []byte("ecret, you know"))
			return completed("x")
		})
		var shown strings.Builder
		e := w.engine(t, func(c *local.Config) {
			c.Environ, c.ScriptVariables = environ, test.scripts
			c.Watch = func(n local.Notice) {
				if o := n; o.Piece != nil {
					shown.Write(o.Piece)
				}
			}
		})
		r := must(t, flow.Completed)(e.Run(t.Context(), define("w", step{key: "a"}, step{key: "b"}), nil, w.options()))
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q", name, got)
		}
		log := logOf(t, w, r.ID)
		if test.scripts == nil {
			continue
		}
		if shown.String() != "the key is ***, you know" || strings.Contains(log, "cloud-s") {
			t.Errorf("%s: shown %q, logged %s", name, shown.String(), log)
		}
		if strings.Count(log, "scripts do not get these environment variables") != 1 || !strings.Contains(log, "CLOUD_KEY, EDITOR") {
			t.Errorf("%s: logged %s", name, log)
		}
	}
}

func logOf(t *testing.T, w *world, id string) string {
	t.Helper()
	text, err := os.ReadFile(w.folder.LogFile(id))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A warning of a performer is told, logged and kept.
func TestWarnings(t *testing.T) {
	w := newWorld(t)
	w.performer.set("a", func(_ context.Context, call *engine.Attempt) flow.Result {
		call.Warn("take care")
		return completed("x")
	})
	var told []string
	e := w.engine(t, func(c *local.Config) {
		c.Watch = func(n local.Notice) {
			if n.Logged != nil {
				told = append(told, n.Logged.Type+" "+n.Logged.Key+" "+n.Logged.Message)
			}
		}
	})
	r := must(t, flow.Completed)(e.Run(t.Context(), define("w", step{key: "a"}), nil, w.options()))
	if len(told) != 1 || told[0] != "warning a take care" {
		t.Errorf("told %q", told)
	}
	if log := logOf(t, w, r.ID); !strings.Contains(log, `"type":"warning","node":"a","message":"take care"`) {
		t.Error(log)
	}
	events, _, err := w.store.Events(t.Context(), r.ID, 0)
	if err != nil || len(events) != 1 || events[0].Message != "take care" {
		t.Errorf("%+v %v", events, err)
	}
}
