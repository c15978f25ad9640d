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
		b := newBuilder("tree")
		b.bash("a", "true")
		p := b.program()
		p.Workflow.Worktree = tt.worktree
		fingerprints[p.Fingerprint()] = true
		code := strings.Join(strings.Fields(string(gen.Generate(p, gen.Options{})[0].Content)), " ")
		if !strings.Contains(code, tt.want) || tt.want == "" && strings.Contains(code, "Worktree") {
			t.Errorf("the code has no %s", tt.want)
		}
	}
	if len(fingerprints) != 3 {
		t.Error("fingerprints do not tell the rules apart")
	}
}
