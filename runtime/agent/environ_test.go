package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

func TestEnviron(t *testing.T) {
	environ := []string{"PATH=/bin", "EDITOR=vi", "MY_API_KEY=k", "CLOUD_TOKEN=t", "GH_TOKEN=g", "LC_ALL=C", "=C:=x", "WFC_STATE=s", "GH_TOKEN=again"}
	for name, test := range map[string]struct {
		needs, only     []string
		given, withheld string
	}{
		"what looks like a secret is withheld": {nil, nil, "PATH EDITOR LC_ALL C: WFC_STATE", "CLOUD_TOKEN GH_TOKEN MY_API_KEY"},
		"but what is needed":                   {[]string{"MY_API_KEY", "CLOUD_*"}, nil, "PATH EDITOR MY_API_KEY CLOUD_TOKEN LC_ALL C: WFC_STATE", "GH_TOKEN"},
		"nothing more than what every program": {nil, []string{}, "PATH LC_ALL C: WFC_STATE", "CLOUD_TOKEN EDITOR GH_TOKEN MY_API_KEY"},
		"and what is allowed and needed":       {[]string{"MY_API_KEY"}, []string{"*_TOKEN"}, "PATH MY_API_KEY CLOUD_TOKEN GH_TOKEN LC_ALL C: WFC_STATE GH_TOKEN", "EDITOR"},
		"or everything":                        {nil, []string{"*"}, "PATH EDITOR MY_API_KEY CLOUD_TOKEN GH_TOKEN LC_ALL C: WFC_STATE GH_TOKEN", ""},
	} {
		given, withheld := agent.Environ(environ, test.needs, test.only)
		var names []string
		for _, entry := range given {
			n, _, _ := strings.Cut(strings.TrimPrefix(entry, "="), "=")
			names = append(names, n)
		}
		if got := strings.Join(names, " "); got != test.given {
			t.Errorf("%s: given %s, want %s", name, got, test.given)
		}
		if got := strings.Join(withheld, " "); got != test.withheld {
			t.Errorf("%s: withheld %s, want %s", name, got, test.withheld)
		}
	}
}

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
	p := agent.New(agent.Settings{Agents: map[string]agent.Agent{"bot": a}})
	for _, run := range []string{"r1", "r1", "r2"} {
		call := s.call(flow.Prompt{Agent: "bot", Text: "x"})
		call.Run = &flow.RunInfo{ID: run}
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
