package dry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/dry"
	"github.com/wfc-lang/wfc/runtime/settings"
)

var update = flag.Bool("update", false, "write the goldens")

// never is a performer that must not perform.
type never struct {
	t    *testing.T
	kind string
}

func (n never) Kind() string { return n.kind }

func (n never) Perform(_ context.Context, call *engine.Attempt) flow.Result {
	n.t.Errorf("step %s was performed", call.Action.Key)
	return flow.Result{Status: flow.Completed}
}

// options are those of a test, with scripted outputs.
func options(t *testing.T, def *flow.Definition, outputs string) dry.Options {
	t.Helper()
	opt := dry.Options{
		Inputs: []byte(`{"arguments":"7 & 8"}`), WorkDir: "/w",
		Performers: []engine.Performer{never{t, "bash"}, agent.New(agent.Options{CheckReply: structured.Check})},
	}
	if outputs != "" {
		var err error
		if opt.Outputs, err = dry.ReadOutputs([]byte(outputs), def.Nodes); err != nil {
			t.Fatal(err)
		}
	}
	return opt
}

func plan(t *testing.T, def *flow.Definition, outputs string) *dry.Plan {
	t.Helper()
	p, err := dry.Make(def, options(t, def, outputs))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bug is a classification as a bug.
const bug = `{"kind":"bug","count":3,"confidence":0.5,"urgent":true,"tags":[],"extra":{"a":1}}`

func TestPlans(t *testing.T) {
	for _, tt := range []struct {
		name    string
		def     *flow.Definition
		outputs string
	}{
		{"triage", triage(), ""},
		{"bug", triage(), `{"fetch": "It crashes.\n", "classify": ` + bug + `}`},
		{"question", triage(), `{"classify": ` + strings.Replace(bug, "bug", "question", 1) + `}`},
		{"failing", triage(), `{"lint": {"fail": "make: no rule"}}`},
		{"deliver", deliver(), ""},
		{"said", deliver(), `{
			"gate#1": {"choice": "reject", "text": "too early"}, "gate/rework#1": "mended", "gate": {"choice": "approve", "text": "go"},
			"fix#1": "not yet", "fix#1/until": false, "fix": "all good DONE",
			"talk#1": "hm", "talk#1/gate": {"choice": "approve", "text": "go on"}, "talk#2": "bye DONE", "release": "approve", "talk#3": "never"}`},
		{"rejected", deliver(), `{"gate": "approve", "release": {"choice": "reject", "text": "not today"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opt := options(t, tt.def, tt.outputs)
			opt.Agents = []settings.Agent{
				{Name: "claude", Use: "llm", Model: "small", SystemPrompt: "Be brief."},
				{Name: "llm", Kind: "command", Program: "/opt/llm", Args: []string{"-p"}},
			}
			p, err := dry.Make(tt.def, opt)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := p.Write(&got); err != nil {
				t.Fatal(err)
			}
			golden(t, tt.name+".txt", got.Bytes())
		})
	}
}

func TestDocument(t *testing.T) {
	def := triage()
	text, err := json.MarshalIndent(plan(t, def, ""), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte(`\u003c`), []byte("<")), []byte(`\u003e`), []byte(">"))
	golden(t, "triage.json", append(text, '\n'))
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what is kept (go test -update writes it); got:\n%s", file, got)
	}
}
