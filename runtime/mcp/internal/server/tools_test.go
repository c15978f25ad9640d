package server_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wfc-lang/wfc/runtime/agent/prompts"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/mcp/internal/server"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

func TestTools(t *testing.T) {
	s := serve(t, program(greeting()))
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.OutputSchema == nil || tool.Description == "" {
			t.Errorf("%s has no output schema or no description", tool.Name)
		}
	}
	want := []string{"workflow_cancel", "workflow_list", "workflow_resume", "workflow_run", "workflow_status"}
	if slices.Sort(names); !slices.Equal(names, want) {
		t.Errorf("the tools are %v, want %v: above all none that answers", names, want)
	}
}

func TestSchemaOfInputs(t *testing.T) {
	s := serve(t, program(greeting()))
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list.Tools, func(tool *sdk.Tool) bool { return tool.Name == "workflow_run" })
	text, err := json.Marshal(list.Tools[i].InputSchema)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Required   []string
		Properties map[string]struct{ Type, Description string }
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(schema.Required, []string{"who"}) {
		t.Errorf("required: %v", schema.Required)
	}
	for name, kind := range map[string]string{"who": "string", "times": "integer", "loud": "boolean", "share": "number", "file": "string", "session_key": "string"} {
		if schema.Properties[name].Type != kind {
			t.Errorf("%s is of type %q, want %q", name, schema.Properties[name].Type, kind)
		}
	}
	if got, want := schema.Properties["times"].Description, "the input times (default 1)"; got != want {
		t.Errorf("times: %q, want %q", got, want)
	}
}

// The requirement's scenario "workflow_run tool uses RunAsync": the id comes at
// once with the status running, before the flow has done anything.
func TestRunReturnsAtOnce(t *testing.T) {
	s := serve(t, program(greeting()))
	touch(t, "hold")
	begun := answer[server.Started](t, s.ClientSession, "workflow_run", args{"who": "ann"})
	if begun.Status != "running" || begun.Workflow != "greeting" || !strings.HasPrefix(begun.RunID, "greeting-") {
		t.Errorf("%+v", begun)
	}
	if want := "Workflow 'greeting' started. Use workflow_status to check progress."; begun.Message != want {
		t.Errorf("message %q", begun.Message)
	}
	exists(t, "held")
	d := s.status(begun.RunID)
	if d.Status != flow.Running || len(d.Nodes) != 3 || d.Nodes[0].Status != flow.Running || d.Nodes[1].Status != flow.Pending {
		t.Errorf("%+v", d)
	}
	gone(t, "hold")
	d = s.until(begun.RunID, flow.Completed)
	if string(d.Outputs) != `{"greeting":"hello ann"}` || d.Nodes[0].Started.IsZero() || d.Nodes[0].Finished.IsZero() || d.Nodes[0].Output != "hello ann" {
		t.Errorf("outputs %s, nodes %+v", d.Outputs, d.Nodes)
	}
	if string(d.Inputs) == "" || d.Created.IsZero() || d.Finished.IsZero() {
		t.Errorf("%+v", d)
	}
}

func TestNamesOfRuns(t *testing.T) {
	s := serve(t, program(greeting()))
	first := s.run(args{"who": "ann"})
	s.until(first, flow.Completed)
	second := s.run(args{"who": "bob"})
	s.until(second, flow.Completed)
	for name, want := range map[string]string{first: first, first[:len(first)-1]: first, strings.TrimPrefix(first, "greeting-"): first, "latest": second} {
		if got := s.status(name).ID; got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if text := refused(t, s.ClientSession, "workflow_status", args{"run_id": "greeting-"}); !strings.Contains(text, "2 runs begin with greeting-") {
		t.Errorf("%s", text)
	}
}

func TestList(t *testing.T) {
	s := serve(t, program(greeting()))
	var ids []string
	for range 3 {
		id := s.run(args{"who": "ann"})
		s.until(id, flow.Completed)
		ids = append(ids, id)
	}
	all := answer[server.Listing](t, s.ClientSession, "workflow_list", args{})
	if all.Count != 3 || all.Runs[0].ID != ids[2] || all.Runs[0].Nodes != nil || all.Runs[0].Created.IsZero() {
		t.Errorf("%+v", all)
	}
	if two := answer[server.Listing](t, s.ClientSession, "workflow_list", args{"limit": 2}); two.Count != 2 || len(two.Runs) != 2 {
		t.Errorf("%+v", two)
	}
	if ended := answer[server.Listing](t, s.ClientSession, "workflow_list", args{"status": "failed, completed"}); ended.Count != 3 || ended.Runs[0].ID != ids[2] {
		t.Errorf("%+v", ended)
	}
	if none := answer[server.Listing](t, s.ClientSession, "workflow_list", args{"status": "failed,paused"}); none.Count != 0 || none.Runs == nil {
		t.Errorf("%+v", none)
	}
}

func TestLongOutputs(t *testing.T) {
	s := serve(t, program(greeting()))
	id := s.run(args{"who": "much"})
	d := s.until(id, flow.Completed)
	const whole = 10000 // bytes
	if out := d.Nodes[0].Output; !strings.HasSuffix(out, "ä… (6000 more bytes; `full` shows them)") {
		t.Errorf("%d bytes: …%s", len(out), out[len(out)-60:])
	}
	type document struct {
		Nodes []struct{ Output string }
	}
	if full := answer[document](t, s.ClientSession, "workflow_status", args{"run_id": id, "full": true}); len(full.Nodes[0].Output) != whole {
		t.Errorf("%d bytes", len(full.Nodes[0].Output))
	}
}

func TestCancel(t *testing.T) {
	s := serve(t, program(greeting()))
	touch(t, "hold")
	id := s.run(args{"who": "ann"})
	exists(t, "held")
	if c := answer[server.Cancelled](t, s.ClientSession, "workflow_cancel", args{"run_id": "latest"}); c.RunID != id || c.Status != "cancelled" {
		t.Errorf("%+v", c)
	}
	d := s.status(id)
	if d.Status != flow.Cancelled || d.Nodes[0].Status != flow.Cancelled || d.Nodes[1].Status != flow.Skipped || d.Nodes[2].Status != flow.Skipped {
		t.Errorf("%+v", d)
	}
	if text := refused(t, s.ClientSession, "workflow_cancel", args{"run_id": id}); !strings.Contains(text, "has ended: it is cancelled") {
		t.Errorf("%s", text)
	}
}

func TestResume(t *testing.T) {
	s := serve(t, program(greeting()))
	touch(t, "fail")
	id := s.run(args{"who": "ann"})
	if d := s.until(id, flow.Failed); d.Nodes[0].Error == nil || !strings.Contains(d.Nodes[0].Error.Message, "3") {
		t.Errorf("%+v", d.Nodes[0])
	}
	gone(t, "fail")
	again := answer[server.Started](t, s.ClientSession, "workflow_resume", args{"run_id": id})
	if again.RunID != id || again.Status != "running" {
		t.Errorf("%+v", again)
	}
	s.until(id, flow.Completed)
	if text := refused(t, s.ClientSession, "workflow_resume", args{"run_id": id}); !strings.Contains(text, "completed") {
		t.Errorf("%s", text)
	}
	touch(t, "hold")
	held := s.run(args{"who": "bob"})
	exists(t, "held")
	if text := refused(t, s.ClientSession, "workflow_resume", args{"run_id": held}); !strings.Contains(text, "works on run ") {
		t.Errorf("%s", text)
	}
	gone(t, "hold")
	s.until(held, flow.Completed)
}

// No tool passes a gate: not resuming, not a second run, not an argument.
func TestGateStaysClosed(t *testing.T) {
	s := serve(t, program(greeting()))
	id := s.run(args{"who": "ann", "ask": true})
	d := s.until(id, flow.Paused)
	if len(d.Questions) != 1 || d.Questions[0].Message != "Was that polite?" {
		t.Fatalf("%+v", d.Questions)
	}
	commands := strings.Join(d.Questions[0].Commands, "\n")
	for _, want := range []string{" approve " + id + " --node gate --state ", " reject " + id + " --node gate --state "} {
		if !strings.Contains(commands, want) {
			t.Errorf("no %q in %q", want, commands)
		}
	}
	for range 3 {
		answer[server.Started](t, s.ClientSession, "workflow_resume", args{"run_id": id})
		s.until(id, flow.Paused)
	}
	for _, name := range []string{"workflow_approve", "workflow_answer", "approve", "answer"} {
		if r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args{"run_id": id, "choice": "approve"}}); err == nil && !r.IsError {
			t.Errorf("there is a tool %s: %s", name, textOf(r))
		}
	}
	refused(t, s.ClientSession, "workflow_resume", args{"run_id": id, "choice": "approve"})
	if d := s.status(id); d.Status != flow.Paused || d.Nodes[1].Status != flow.Waiting {
		t.Errorf("%+v", d)
	}
	if _, err := os.Stat("passed"); err == nil {
		t.Error("the gate was passed")
	}
}

func TestMistakes(t *testing.T) {
	s := serve(t, program(greeting()))
	for _, c := range []struct {
		tool string
		args args
		want string
	}{
		{"workflow_run", args{}, "who"},
		{"workflow_run", args{"who": "ann", "whom": "x"}, "whom"},
		{"workflow_run", args{"who": "two\nlines"}, "input `who`: \"two\\nlines\" has more than one line"},
		{"workflow_run", args{"who": "ann", "times": "many"}, "times"},
		{"workflow_run", args{"who": "ann", "times": 1.5}, "times"},
		{"workflow_run", args{"who": "ann", "file": "nonesuch"}, "input `file`: path \"nonesuch\" does not exist"},
		{"workflow_run", args{"who": 7}, "who"},
		{"workflow_run", args{"who": "ann", "session_key": 7}, "session_key"},
		{"workflow_status", args{}, "run_id"},
		{"workflow_status", args{"run_id": ""}, "`run_id` is empty"},
		{"workflow_status", args{"run_id": "latest"}, "workflow greeting has no runs"},
		{"workflow_status", args{"run_id": "nonesuch"}, "run nonesuch: "},
		{"workflow_status", args{"run_id": "../../etc"}, "run ../../etc: "},
		{"workflow_status", args{"run_id": 7}, "run_id"},
		{"workflow_status", args{"run_id": "a\x00b"}, "run "},
		{"workflow_cancel", args{"run_id": "nonesuch"}, "run nonesuch: "},
		{"workflow_cancel", args{"run_id": " "}, "`run_id` is empty"},
		{"workflow_resume", args{"run_id": "nonesuch"}, "run nonesuch: "},
		{"workflow_resume", args{"run_id": ""}, "`run_id` is empty"},
		{"workflow_list", args{"limit": -1}, "a limit of -1"},
		{"workflow_list", args{"limit": "x"}, "limit"},
		{"workflow_list", args{"status": "failed,fine"}, "unknown status `fine`"},
	} {
		if text := refused(t, s.ClientSession, c.tool, c.args); !strings.Contains(text, c.want) {
			t.Errorf("%s %v: %q does not say %q", c.tool, c.args, text, c.want)
		}
	}
	if all := answer[server.Listing](t, s.ClientSession, "workflow_list", args{}); all.Count != 0 {
		t.Errorf("a mistake began a run: %+v", all)
	}
}

func TestSessionKey(t *testing.T) {
	s := serve(t, program(greeting()))
	touch(t, "fail")
	id := s.run(args{"who": "ann", "session_key": "slack:C042:U7"})
	if d := s.until(id, flow.Failed); d.SessionKey != "slack:C042:U7" {
		t.Errorf("the session key is %q", d.SessionKey)
	}
	gone(t, "fail")
	answer[server.Started](t, s.ClientSession, "workflow_resume", args{"run_id": id})
	if d := s.until(id, flow.Completed); d.SessionKey != "slack:C042:U7" {
		t.Errorf("after resuming the session key is %q", d.SessionKey)
	}
	if d := s.status(s.run(args{"who": "bob"})); d.SessionKey != "" {
		t.Errorf("a run without one has the session key %q", d.SessionKey)
	}
}

// An input of the name session_key is the workflow's.
func TestInputNamedSessionKey(t *testing.T) {
	def := greeting()
	def.Inputs = append(def.Inputs, flow.InputInfo{Name: "session_key", Type: "int", Default: "1"})
	s := serve(t, program(def))
	d := s.until(s.run(args{"who": "ann", "session_key": 7}), flow.Completed)
	if !strings.Contains(string(d.Inputs), `"session_key":7`) {
		t.Errorf("%s", d.Inputs)
	}
}

func TestManyCallsAtOnce(t *testing.T) {
	s := serve(t, program(greeting()), "--max-parallel", "4")
	var all sync.WaitGroup
	ids := make([]string, 50)
	for i := range ids {
		all.Go(func() {
			r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "workflow_run", Arguments: args{"who": "ann"}})
			if err != nil || r.IsError {
				t.Errorf("run: %v %v", err, r)
				return
			}
			ids[i], _ = r.StructuredContent.(map[string]any)["run_id"].(string)
			for _, tool := range []string{"workflow_status", "workflow_list", "workflow_resume", "workflow_cancel"} {
				a := args{"run_id": ids[i]}
				if tool == "workflow_list" {
					a = args{}
				}
				if _, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: a}); err != nil {
					t.Errorf("%s: %v", tool, err)
				}
			}
		})
	}
	all.Wait()
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 50 {
		t.Errorf("the ids are not all different: %v", ids)
	}
	for _, id := range ids {
		if d := s.status(id); d.Status != flow.Completed && d.Status != flow.Cancelled {
			t.Errorf("run %s is %s", id, d.Status)
		}
	}
}

// A run goes on with the settings that it began with, not with the server's, and
// is as much the server's as others.
func TestResumesWithItsSettings(t *testing.T) {
	p := program(greeting())
	kept := memory.New()
	p.OpenStore = func(context.Context, string) (store.Store, error) { return kept, nil }
	s := serve(t, p)
	touch(t, "fail")
	if code, log := command(p, "run", "--who", "ann", "--max-parallel", "1"); code != 1 {
		t.Fatalf("%d: %s", code, log)
	}
	gone(t, "fail")
	touch(t, "hold")
	id := answer[server.Started](t, s.ClientSession, "workflow_resume", args{"run_id": "latest"}).RunID
	exists(t, "held")
	if text := refused(t, s.ClientSession, "workflow_resume", args{"run_id": id}); !strings.Contains(text, "works on run ") {
		t.Errorf("%s", text)
	}
	answer[server.Cancelled](t, s.ClientSession, "workflow_cancel", args{"run_id": id})
	gone(t, "held")
	answer[server.Started](t, s.ClientSession, "workflow_resume", args{"run_id": id})
	exists(t, "held")
	s.leave()
	if code := s.code(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.log)
	}
	if run, err := kept.Run(context.Background(), id); err != nil || run.Status != flow.Cancelled || !strings.Contains(string(run.Settings), `"max_parallel":1`) {
		t.Errorf("%+v %v", run, err)
	}
}

// The agents of a run that is resumed are those that it began with, though the
// server has none of its own.
func TestResumesWithItsAgents(t *testing.T) {
	def := &flow.Definition{Name: "asks", Fingerprint: "a1", Agents: []string{"claude"}, Nodes: []flow.NodeInfo{{Key: "first", Kind: "bash"}, {Key: "plan", Kind: "prompt", Agent: "claude", After: []string{"first"}}}}
	def.Flow = func(c *flow.Context) (any, error) {
		first := bash(c, "first", "if [ -e fail ]; then exit 1; fi", nil)
		plan := flow.Spawn(c, flow.Node[string]{Key: "plan", Kind: "prompt", After: []flow.AnyTask{first}, Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Prompt{Agent: "claude", Text: "make a plan"})
			return r.Text, err
		}})
		err := flow.Settle(c)
		return map[string]string{"plan": plan.Final().Text}, err
	}
	p := program(def)
	kept := memory.New()
	p.OpenStore = func(context.Context, string) (store.Store, error) { return kept, nil }
	p.Prompts = prompts.Opener(nil)
	s := serve(t, p)
	if err := os.WriteFile("replies.json", []byte(`{"plan": [{"text": "as recorded"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	touch(t, "fail")
	if code, log := command(p, "run", "--agent", "claude=scripted:replies.json"); code != 1 {
		t.Fatalf("%d: %s", code, log)
	}
	gone(t, "fail")
	if text := refused(t, s.ClientSession, "workflow_run", args{}); !strings.Contains(text, "these agents could not answer:\n  claude") {
		t.Errorf("%s", text)
	}
	id := answer[server.Started](t, s.ClientSession, "workflow_resume", args{"run_id": "latest"}).RunID
	if d := s.until(id, flow.Completed); string(d.Outputs) != `{"plan":"as recorded"}` {
		t.Errorf("%s", d.Outputs)
	}
}
