package embedding_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/embedding"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// asking is a workflow that asks each agent. Its output is their answers by the
// agents' names.
func asking(schema string, agents ...string) *flow.Definition {
	def := &flow.Definition{Name: "asking", Agents: agents}
	key := func(i int) string { return fmt.Sprintf("ask%d", i+1) }
	for i, a := range agents {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: key(i), Kind: "prompt", Agent: a})
	}
	def.Flow = func(c *flow.Context) (any, error) {
		said := map[string]string{}
		var tasks []*flow.Task[string]
		for i, a := range agents {
			tasks = append(tasks, flow.Spawn(c, flow.Node[string]{Key: key(i), Kind: "prompt", Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Prompt{Agent: a, Text: "Who are you?", Schema: json.RawMessage(schema)})
				return r.Text, err
			}}))
		}
		err := flow.Settle(c)
		for i, a := range agents {
			said[a] = tasks[i].Final().Text
		}
		return said, err
	}
	return def
}

// open opens an engine whose state folder is of this test alone.
func open(t *testing.T, options ...embedding.Options) *local.Engine {
	t.Helper()
	t.Setenv("WFC_STATE", t.TempDir())
	e, err := embedding.Open(t.Context(), append([]embedding.Options{{Dir: t.TempDir()}}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Shutdown(context.Background()) })
	return e
}

func run(t *testing.T, e *local.Engine, def *flow.Definition) *local.Result {
	t.Helper()
	r, err := e.Run(t.Context(), def, nil, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// scripted writes a file of replies for an agent.
func scripted(t *testing.T, name string) settings.Agent {
	t.Helper()
	path := filepath.Join(t.TempDir(), "replies.json")
	if err := os.WriteFile(path, []byte(`{"*": [{"text": "scripted"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return settings.Agent{Name: name, Kind: "scripted", Program: path}
}

func says(text string) embedding.AgentFunc {
	return func(context.Context, *agent.Request) (string, error) { return text, nil }
}

func TestAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		options []embedding.Options
		want    string
	}{
		"by the agent's name":       {[]embedding.Options{{AgentFuncs: map[string]embedding.AgentFunc{"ann": says("a"), "bob": says("b")}}}, `{"ann":"a","bob":"b"}`},
		"for everybody else":        {[]embedding.Options{{AgentFuncs: map[string]embedding.AgentFunc{"ann": says("a"), "": says("else")}}}, `{"ann":"a","bob":"else"}`},
		"beside agents":             {[]embedding.Options{{AgentFuncs: map[string]embedding.AgentFunc{"ann": says("a")}, Defaults: settings.Project{Agents: []settings.Agent{scripted(t, "bob")}}}}, `{"ann":"a","bob":"scripted"}`},
		"before agents":             {[]embedding.Options{{AgentFuncs: map[string]embedding.AgentFunc{"": says("else")}, Defaults: settings.Project{Agents: []settings.Agent{scripted(t, "bob")}}}}, `{"ann":"else","bob":"else"}`},
		"later go before earlier":   {[]embedding.Options{{AgentFuncs: map[string]embedding.AgentFunc{"ann": says("a"), "bob": says("b")}}, {AgentFuncs: map[string]embedding.AgentFunc{"bob": says("later")}}}, `{"ann":"a","bob":"later"}`},
		"agents of several options": {[]embedding.Options{{Defaults: settings.Project{Agents: []settings.Agent{{Name: "bob", Kind: "scripted", Program: "none.json"}, scripted(t, "ann")}}}, {Defaults: settings.Project{Agents: []settings.Agent{scripted(t, "bob")}}}}, `{"ann":"scripted","bob":"scripted"}`},
	} {
		t.Run(name, func(t *testing.T) {
			if r := run(t, open(t, test.options...), asking("", "ann", "bob")); r.Status != flow.Completed || string(r.Outputs) != test.want {
				t.Errorf("%s %s %s, want %s", r.Status, r.Error, r.Outputs, test.want)
			}
		})
	}
}

// A function for an agent that neither the workflows nor the settings have is an error, because the
// prompts would go to another agent.
func TestFunctionForAnUnknownAgent(t *testing.T) {
	parent := asking("", "ann")
	parent.Children = []*flow.Definition{asking("", "child")}
	parent.Children[0].Name = "below"
	workflows := []*flow.Definition{parent}
	for name, test := range map[string]struct {
		workflows []*flow.Definition
		agent     string
		want      string
	}{
		"misspelt":                 {workflows, "anm", "AgentFuncs: unknown agent `anm`; did you mean `ann`?"},
		"unlike any":               {workflows, "zebra", "AgentFuncs: unknown agent `zebra`: use one of `ann`, `bob`, `child`"},
		"an agent of the workflow": {workflows, "ann", ""},
		"of a child":               {workflows, "child", ""},
		"of the settings":          {workflows, "bob", ""},
		"everybody else":           {workflows, "", ""},
		"without workflows":        {nil, "anm", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("WFC_STATE", t.TempDir())
			e, err := embedding.Open(t.Context(), embedding.Options{
				Dir: t.TempDir(), Workflows: test.workflows, Defaults: settings.Project{Agents: []settings.Agent{scripted(t, "bob")}},
			}, embedding.Options{AgentFuncs: map[string]embedding.AgentFunc{test.agent: says("a")}})
			if got := fmt.Sprint(err); err == nil {
				_ = e.Shutdown(t.Context())
				if test.want != "" {
					t.Errorf("no error, want %s", test.want)
				}
			} else if got != test.want {
				t.Errorf("%s, want %q", got, test.want)
			}
		})
	}
}

// A function sees what an agent sees, and is asked again when its reply does not
// satisfy the schema.
func TestAnswerWithSchema(t *testing.T) {
	var prompts []string
	e := open(t, embedding.Options{CheckReply: structured.Check, AgentFuncs: map[string]embedding.AgentFunc{"": func(_ context.Context, r *agent.Request) (string, error) {
		prompts = append(prompts, r.Text)
		if len(prompts) == 1 {
			return `{"name": 7}`, nil
		}
		return `{"name": "` + r.Agent + `"}`, nil
	}}})
	r := run(t, e, asking(`{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}`, "ann"))
	var said struct{ Ann string }
	if err := json.Unmarshal(r.Outputs, &said); err != nil || said.Ann != `{"name": "ann"}` && said.Ann != `{"name":"ann"}` {
		t.Errorf("%s %s %s", r.Status, r.Error, r.Outputs)
	}
	if len(prompts) != 2 || !strings.HasPrefix(prompts[0], "Who are you?") || !strings.Contains(prompts[1], "name") {
		t.Errorf("%q", prompts)
	}
}

// What a function reports is the cost of its turn.
func TestAnswerCosts(t *testing.T) {
	e := open(t, embedding.Options{AgentFuncs: map[string]embedding.AgentFunc{"": func(_ context.Context, r *agent.Request) (string, error) {
		r.ReportCost(flow.Meta{CostUSD: 0.25})
		r.ReportCost(flow.Meta{CostUSD: 0.5, InputTokens: 7, OutputTokens: 3})
		return "ann", nil
	}}})
	r := run(t, e, asking("", "ann"))
	s, err := e.Status(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if m := s.Steps[0].Meta; m.CostUSD != 0.5 || m.InputTokens != 7 || m.Turns != 1 || m.Unpriced != "" {
		t.Errorf("%+v", m)
	}
}

func TestAnswerFails(t *testing.T) {
	e := open(t, embedding.Options{AgentFuncs: map[string]embedding.AgentFunc{"": func(context.Context, *agent.Request) (string, error) {
		return "", errors.New("the model is on holiday")
	}}})
	if r := run(t, e, asking("", "ann")); r.Status != flow.Failed || !strings.Contains(r.Error, "the model is on holiday") {
		t.Errorf("%s %s", r.Status, r.Error)
	}
}

// closing is a store that counts how often it is closed.
type closing struct {
	store.Store
	closed int
}

func (c *closing) Close() error { c.closed++; return c.Store.Close() }

func TestShutdownClosesTheStore(t *testing.T) {
	c := &closing{Store: memory.New()}
	e := open(t, embedding.Options{OpenStore: func(context.Context, string) (store.Store, error) { return c, nil }})
	for range 2 {
		if err := e.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if c.closed != 1 {
		t.Errorf("closed %d times, want once", c.closed)
	}
}

// reporter performs bash steps by reporting how their run is run.
type reporter struct{}

func (reporter) Kind() string { return "bash" }

func (reporter) Perform(_ context.Context, call *engine.Attempt) flow.Result {
	r := call.Info
	return flow.Result{Status: flow.Completed, Text: fmt.Sprintf("%s %s %s %v %s", filepath.Base(r.WorkDir), r.BaseBranch, r.DocsDir, r.DeliverTo, call.Environ)}
}

var report = flow.Definition{Name: "report", Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash"}}, Flow: func(c *flow.Context) (any, error) {
	a := flow.Spawn(c, flow.Node[string]{Key: "a", Kind: "bash", Run: func(c *flow.Context) (string, error) {
		r, err := c.Do(flow.Bash{Script: "x"})
		return r.Text, err
	}})
	return nil, errors.Join(flow.Settle(c), errors.New(a.Final().Text))
}}

// The project's settings hold for runs, unless a caller has others.
func TestDefaults(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	e := open(t, embedding.Options{
		Dir: dir, Performers: []engine.Performer{reporter{}}, Environ: []string{"A=1"},
		Defaults: settings.Project{BaseBranch: "trunk", DocsDir: "manual", DeliverTo: []string{"ops"}, Environ: []string{"B=2"}},
	}, embedding.Options{Defaults: settings.Project{DocsDir: "book"}})
	for want, opt := range map[string]local.Options{
		"project trunk book [ops] [A=1 B=2": {},
		"project main pages [] [A=1 B=2":    {BaseBranch: "main", DocsDir: "pages", DeliverTo: []string{}},
	} {
		r, err := e.Run(t.Context(), &report, nil, opt)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Error, want) {
			t.Errorf("%s, want %s", r.Error, want)
		}
	}
}

func TestLimits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "replies.json")
	if err := os.WriteFile(path, []byte(`{"*": [{"text": "x", "cost": 1}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	e := open(t, embedding.Options{Defaults: settings.Project{MaxParallel: 1, Agents: []settings.Agent{{Name: "ann", Kind: "scripted", Program: path}}, Limits: settings.Limits{CostUSD: 0.5}}})
	if r := run(t, e, asking("", "ann", "ann")); r.Status != flow.LimitReached {
		t.Errorf("%s %s, want %s", r.Status, r.Error, flow.LimitReached)
	}
}

func TestMistakes(t *testing.T) {
	t.Setenv("WFC_STATE", t.TempDir())
	t.Setenv("WFC_DATABASE_URL", "")
	database := func(context.Context, string) (store.Store, error) { return nil, errors.New("unreachable") }
	for want, o := range map[string]embedding.Options{
		"set WFC_DATABASE_URL or Defaults.Database": {OpenDatabase: database},
		"unreachable": {OpenDatabase: database, Defaults: settings.Project{Database: "postgres://db.example/x"}},
		"agent `ann`: unknown kind of agent `http`: use one of `command`, `scripted`": {Defaults: settings.Project{Agents: []settings.Agent{{Name: "ann", Kind: "http"}}}},
	} {
		if e, err := embedding.Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v %v, want %s", e, err, want)
		}
	}
}

// A program that answers prompts by itself needs no agent, store or performer.
func ExampleOpen() {
	ctx := context.Background()
	state, err := os.MkdirTemp("", "wfc-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(state)

	e, err := embedding.Open(ctx, embedding.Options{
		AgentFuncs: map[string]embedding.AgentFunc{"": func(_ context.Context, r *agent.Request) (string, error) {
			return "I am " + r.Agent, nil
		}},
		Defaults: settings.Project{State: state},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Shutdown(ctx)

	result, err := e.Run(ctx, asking("", "reviewer"), nil, local.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Status, string(result.Outputs))
	// Output: completed {"reviewer":"I am reviewer"}
}
