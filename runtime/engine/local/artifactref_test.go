package local_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A node whose output refers to artifacts fails unless each is a file of its own run.
func TestArtifactReferences(t *testing.T) {
	w := newWorld(t)
	e := w.engine(t, nil)
	definition := func(checks bool) *flow.Definition {
		return &flow.Definition{Name: "refs", Fingerprint: "f1", Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash"}}, Flow: func(c *flow.Context) (any, error) {
			flow.Spawn(c, flow.Node[string]{Key: "a", Kind: "bash", CheckArtifactRefs: checks, Run: func(c *flow.Context) (string, error) {
				return flow.TextOf(c.Do(flow.Bash{Script: "a"}))
			}})
			return nil, flow.Settle(c)
		}}
	}
	for name, c := range map[string]struct {
		output string // RUN is the id of the run
		checks bool
		want   string
	}{
		"a file":           {`{"type":"archon_artifact","run_id":"RUN","path":"sub/plan.md"}`, true, ""},
		"inside":           {`{"plan":{"type":"archon_artifact","run_id":"RUN","path":"sub/plan.md"},"n":[1]}`, true, ""},
		"no reference":     {`{"type":"plan","path":"x"}`, true, ""},
		"not JSON":         {`archon_artifact`, true, ""},
		"no check":         {`{"type":"archon_artifact","run_id":"x","path":"x"}`, false, ""},
		"another run":      {`{"type":"archon_artifact","run_id":"other","path":"sub/plan.md"}`, true, "`run_id` is `other`"},
		"no run":           {`{"type":"archon_artifact","path":"sub/plan.md"}`, true, "`run_id` is ``"},
		"no path":          {`{"type":"archon_artifact","run_id":"RUN"}`, true, "it has no `path`"},
		"not there":        {`{"type":"archon_artifact","run_id":"RUN","path":"sub/no.md"}`, true, "the file `sub/no.md` is missing"},
		"in a list":        {`[{"a":[{"type":"archon_artifact","run_id":"RUN","path":"no"}]}]`, true, "the file `no` is missing"},
		"a folder":         {`{"type":"archon_artifact","run_id":"RUN","path":"sub"}`, true, "`sub` is not a file"},
		"outside":          {`{"type":"archon_artifact","run_id":"RUN","path":"../x"}`, true, "is not inside the folder"},
		"out and in again": {`{"type":"archon_artifact","run_id":"RUN","path":"sub/../sub/plan.md"}`, true, "is not inside the folder"},
		"absolute":         {`{"type":"archon_artifact","run_id":"RUN","path":"/etc/passwd"}`, true, "is not inside the folder"},
		"a Windows path":   {`{"type":"archon_artifact","run_id":"RUN","path":"\\\\sub"}`, true, "is not inside the folder"},
		"a parent inside":  {`{"type":"archon_artifact","run_id":"RUN","path":"sub\\\\..\\\\x"}`, true, "is not inside the folder"},
		"a zero byte":      {`{"type":"archon_artifact","run_id":"RUN","path":"a\u0000b"}`, true, "is not inside the folder"},
		"an empty file":    {`{"type":"archon_artifact","run_id":"RUN","path":"sub/empty"}`, true, "the file `sub/empty` is empty"},
		"more keys":        {`{"type":"archon_artifact","run_id":"RUN","path":"sub/plan.md","label":"the plan"}`, true, ""},
		"through a link":   {`{"type":"archon_artifact","run_id":"RUN","path":"link"}`, true, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			w.performer.by["a"] = func(_ context.Context, call *engine.Attempt) flow.Result {
				dir := call.Info.ArtifactsDir
				err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700)
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, "sub", "plan.md"), []byte("x"), 0o600)
				}
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, "sub", "empty"), nil, 0o600)
				}
				if err == nil {
					err = os.Symlink(os.TempDir(), filepath.Join(dir, "link"))
				}
				if err != nil {
					return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: fmt.Sprint(err)}}
				}
				return completed(strings.ReplaceAll(c.output, "RUN", call.Info.ID))
			}
			r, err := e.Run(t.Context(), definition(c.checks), nil, w.options())
			if err != nil {
				t.Fatal(err)
			}
			step := w.steps(t, r.ID)["a"]
			message := ""
			if step.Failure != nil {
				message = step.Failure.Message
			}
			if c.want == "" && step.Status != flow.Completed || !strings.Contains(message, c.want) || c.want != "" && step.Failure.Reason != "artifact" {
				t.Errorf("the step is %s: %s", step.Status, message)
			}
		})
	}
}
