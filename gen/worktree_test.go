package gen_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
)

func TestWorktreeRule(t *testing.T) {
	yes, no := true, false
	fingerprints := map[string]bool{}
	for _, tt := range []struct {
		worktree *bool
		want     string
	}{{nil, ""}, {&yes, "Worktree: flow.WorktreeAlways,"}, {&no, "Worktree: flow.WorktreeNever,"}} {
		p := workflow("tree", "nodes:\n  - {id: a, bash: 'true'}\n")
		p.Workflow.Worktree = tt.worktree
		fingerprints[p.Fingerprint()] = true
		code := squeeze(string(gen.Generate(p, gen.Options{})[0].Content))
		if !strings.Contains(code, squeeze(tt.want)) || tt.want == "" && strings.Contains(code, "Worktree") {
			t.Errorf("the code has no %s", tt.want)
		}
	}
	if len(fingerprints) != 3 {
		t.Error("fingerprints do not tell the rules apart")
	}
}
