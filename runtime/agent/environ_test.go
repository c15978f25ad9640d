package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// looker keeps the environment of the last turn.
type looker struct{ environ []string }

func (*looker) Capabilities() agent.Capabilities { return agent.Capabilities{} }

func (l *looker) Turn(_ context.Context, r *agent.Request) (*agent.Reply, error) {
	l.environ = r.Environ
	return &agent.Reply{Text: "x"}, nil
}

// What an agent does not get is in the log once a run, by name only.
func TestWithheldIsLoggedOnce(t *testing.T) {
	a := &looker{}
	s := &stage{t: t, agent: a}
	p := agent.New(agent.Options{Agents: map[string]agent.Agent{"bot": a}})
	for _, run := range []string{"r1", "r1", "r2"} {
		call := s.call(flow.Prompt{Agent: "bot", Text: "x"})
		call.Info = &flow.RunInfo{ID: run}
		call.Environ = []string{"A=1", "DEPLOY_TOKEN=hidden"}
		if r := p.Perform(t.Context(), call); r.Status != flow.Completed {
			t.Fatal(r.Failure)
		}
	}
	if !slices.Equal(a.environ, []string{"A=1"}) {
		t.Errorf("the agent got %q", a.environ)
	}
	if n := strings.Count(s.logged.String(), "names=DEPLOY_TOKEN"); n != 2 || strings.Contains(s.logged.String(), "hidden") {
		t.Errorf("%d times:\n%s", n, s.logged.String())
	}
}

// An agent gets the variables of its prompt, which the workflow's author chose, whatever
// their names look like; one that no process can have is left out.
func TestVariablesOfThePrompt(t *testing.T) {
	a := &looker{}
	s := &stage{t: t, agent: a}
	p := agent.New(agent.Options{Agents: map[string]agent.Agent{"bot": a}})
	call := s.call(flow.Prompt{Agent: "bot", Text: "x", Env: []flow.Variable{{Name: "A", Value: "2"}, {Name: "APP_TOKEN", Value: "$x"}, {Name: "BAD", Value: "a\x00b"}}})
	call.Environ = []string{"A=1", "DEPLOY_TOKEN=hidden"}
	if r := p.Perform(t.Context(), call); r.Status != flow.Completed {
		t.Fatal(r.Failure)
	}
	if !slices.Equal(a.environ, []string{"A=1", "A=2", "APP_TOKEN=$x"}) {
		t.Errorf("the agent got %q", a.environ)
	}
	if !strings.Contains(s.logged.String(), "$BAD") {
		t.Errorf("the log says %s", s.logged.String())
	}
}
