package dry_test

import (
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/value"
)

// kind is an enum as generated code declares it.
type kind string

// verdict is a typed output as generated code declares it.
type verdict struct {
	Kind       kind     `json:"kind"`
	Count      int64    `json:"count"`
	Confidence float64  `json:"confidence"`
	Urgent     bool     `json:"urgent"`
	Note       *string  `json:"note,omitempty"`
	Tags       []string `json:"tags"`
	Extra      any      `json:"extra"`
}

const schema = `{"type":"object","required":["kind"]}`

// prompt spawns a prompt node.
func prompt(c *flow.Context, key, text string, n flow.Node[string]) *flow.Task[string] {
	n.Key, n.Kind = key, "prompt"
	if n.Run == nil {
		n.Run = func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Prompt{Agent: "claude", Text: text})
			return r.Text, err
		}
	}
	return flow.Spawn(c, n)
}

// bash spawns a bash node that gets values.
func bash(c *flow.Context, key, script string, values func() ([]flow.Binding, error), n flow.Node[string]) *flow.Task[string] {
	n.Key, n.Kind = key, "bash"
	n.Run = func(c *flow.Context) (string, error) {
		var list []flow.Binding
		if values != nil {
			var err error
			if list, err = values(); err != nil {
				return "", err
			}
		}
		r, err := c.Do(flow.Bash{Script: script, Bindings: list})
		return r.Text, err
	}
	return flow.Spawn(c, n)
}

// triage classifies with a typed output and takes one of two branches, which
// meet again.
func triage() *flow.Definition {
	def := &flow.Definition{
		Name: "triage", Source: "triage.yaml", Fingerprint: "f", Agents: []string{"claude", "codex"}, Uses: flow.Uses{BaseBranch: true},
		Nodes: []flow.NodeInfo{
			{Key: "fetch", Kind: "bash", Line: 3},
			{Key: "lint", Kind: "bash", Line: 5},
			{Key: "classify", Kind: "prompt", After: []string{"fetch"}, Line: 7, Agent: "claude"},
			{Key: "fix", Kind: "prompt", After: []string{"classify"}, When: "$classify.output.kind == 'bug' && $classify.output.count > 2", Line: 12, Agent: "codex"},
			{Key: "stop", Kind: "cancel", After: []string{"classify"}, When: "$classify.output.kind == 'question'", Line: 16},
			{Key: "report", Kind: "bash", After: []string{"fix", "lint"}, Line: 19},
			{Key: "tidy", Kind: "bash", After: []string{"fix", "stop"}, Rule: "one_success", Line: 22},
			{Key: "always", Kind: "bash", After: []string{"report"}, Rule: "all_done", Line: 25},
		},
	}
	def.Flow = func(c *flow.Context) (any, error) {
		var in struct {
			Arguments string `json:"arguments"`
		}
		if err := c.Inputs(&in); err != nil {
			return nil, err
		}
		fetch := flow.Spawn(c, flow.Node[string]{Key: "fetch", Kind: "bash", Timeout: 90 * time.Second, Retry: flow.Retry{Retries: 2, Delay: 5 * time.Second, All: true}, Run: func(c *flow.Context) (string, error) {
			base, err := c.BaseBranch()
			if err != nil {
				return "", err
			}
			r, err := c.Do(flow.Bash{Script: "set -e\ngh issue view \"$ARGUMENTS\"\n", Env: []flow.Variable{
				{Name: "ARGUMENTS", Value: in.Arguments}, {Name: "BASE_BRANCH", Value: base},
				{Name: "ARTIFACTS_DIR", Value: c.ArtifactsDir()}, {Name: "GH_TOKEN", Value: "hunter2"}, {Name: "EMPTY"},
			}})
			return r.Text, err
		}})
		lint := bash(c, "lint", "make lint", nil, flow.Node[string]{})
		classify := flow.Spawn(c, flow.Node[*verdict]{Key: "classify", Kind: "prompt", After: flow.After(fetch), Decode: value.Decode[*verdict], Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Prompt{Agent: "claude", Text: "Classify:\n" + fetch.MustOutput().Text, Schema: []byte(schema), FreshSession: true, IdleTimeout: time.Minute})
			return r.Text, err
		}})
		fix := prompt(c, "fix", "", flow.Node[string]{
			After: flow.After(classify),
			When: func() (bool, error) {
				v := classify.MustOutput().Value
				return v.Kind == "bug" && v.Count > 2, nil
			},
			Run: func(c *flow.Context) (string, error) {
				v := classify.MustOutput().Value
				text := strings.Join([]string{
					"kind " + string(v.Kind), "count " + value.Plain(v.Count), "confidence " + value.Plain(v.Confidence),
					"urgent " + strconv.FormatBool(v.Urgent), "note " + value.Plain(v.Note), "tags " + value.Encode(v.Tags),
					"extra " + value.Encode(v.Extra), "all " + value.Encode(v), "text " + classify.MustOutput().Text,
				}, "\n")
				session, err := classify.Session()
				if err != nil {
					return "", err
				}
				r, err := c.Do(flow.Prompt{Agent: "codex", Model: "big", Text: text, Session: session, Fork: true,
					Options: []flow.Option{{Name: "effort", Value: `"high"`}}})
				return r.Text, err
			},
		})
		stop := flow.Spawn(c, flow.Node[string]{
			Key: "stop", Kind: "cancel", After: flow.After(classify),
			When: func() (bool, error) { return classify.MustOutput().Value.Kind == "question", nil },
			Run: func(c *flow.Context) (string, error) {
				reason := "a " + string(classify.MustOutput().Value.Kind)
				c.CancelRun(reason)
				return reason, nil
			},
		})
		report := bash(c, "report", `echo "${WFC_1}"`, func() ([]flow.Binding, error) {
			field, err := value.Field(fix, "$fix.output.summary", "summary")
			return []flow.Binding{{Name: "WFC_1", Value: field}, {Name: "WFC_2", Value: "two\nlines"}}, err
		}, flow.Node[string]{After: flow.After(fix, lint)})
		bash(c, "tidy", "make clean", nil, flow.Node[string]{After: flow.After(fix, stop), Rule: flow.OneSuccess})
		bash(c, "always", "echo done", nil, flow.Node[string]{After: flow.After(report), Rule: flow.AllDone})
		return nil, flow.Settle(c)
	}
	return def
}

// deliver repeats until a word is said and a test passes, and asks people.
func deliver() *flow.Definition {
	def := &flow.Definition{
		Name: "deliver", Fingerprint: "f", Agents: []string{"claude"},
		Nodes: []flow.NodeInfo{
			{Key: "gate", Kind: "approval"},
			{Key: "fix", Kind: "loop", After: []string{"gate"}, Agent: "claude"},
			{Key: "talk", Kind: "loop", After: []string{"gate"}, Agent: "claude"},
			{Key: "release", Kind: "approval", After: []string{"fix", "talk"}},
			{Key: "note", Kind: "prompt", After: []string{"release"}, When: "$fix.output == 'all good'", Agent: "claude"},
		},
	}
	ask := func(text string) func(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
		return func(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
			return c.Do(flow.Prompt{Agent: "claude", Session: i.Session, Text: text + " (before: " + i.Previous + ", said: " + i.Answer + ")"})
		}
	}
	done := func(text string) bool { return strings.HasSuffix(text, "DONE") }
	def.Flow = func(c *flow.Context) (any, error) {
		gate := flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", Run: func(c *flow.Context) (string, error) {
			return steps.Approval{Message: "Begin?\nReally?", Timeout: time.Hour, Capture: true, MaxRejections: 2,
				Rework: func(c *flow.Context, reason string) (flow.Result, error) {
					return c.Do(flow.Prompt{Agent: "claude", Text: "Mend: " + reason})
				}}.Run(c)
		}})
		fix := flow.Spawn(c, flow.Node[string]{Key: "fix", Kind: "loop", After: flow.After(gate), Run: func(c *flow.Context) (string, error) {
			return steps.Loop{
				Max: 4, Goal: "DONE", Body: ask("Fix what is said: " + gate.MustOutput().Text), Done: done, Timeout: time.Hour, Retry: flow.Retry{Retries: 1, Delay: time.Minute, All: true},
				Clean: func(text string) string { return strings.TrimSpace(strings.TrimSuffix(text, "DONE")) },
				Until: func(c *flow.Context, _ *steps.Iteration) (bool, error) {
					return steps.Test(c, flow.Bash{Script: "make test"})
				},
			}.Run(c)
		}})
		talk := flow.Spawn(c, flow.Node[string]{Key: "talk", Kind: "loop", After: flow.After(gate), Run: func(c *flow.Context) (string, error) {
			return steps.Loop{Max: 3, Goal: "DONE", Body: ask("Talk."), Done: done, Gate: "Go on?"}.Run(c)
		}})
		release := flow.Spawn(c, flow.Node[string]{Key: "release", Kind: "approval", After: flow.After(fix, talk), Run: func(c *flow.Context) (string, error) {
			return steps.Approval{Message: "Release " + fix.MustOutput().Text + "?"}.Run(c)
		}})
		prompt(c, "note", "Write it down.", flow.Node[string]{After: flow.After(release), When: func() (bool, error) {
			text, err := fix.Text()
			return text == "all good", err
		}})
		return nil, flow.Settle(c)
	}
	return def
}
