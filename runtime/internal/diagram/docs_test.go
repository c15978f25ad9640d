package diagram

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
)

var update = flag.Bool("update", false, "write the picture of the documents")

// TestDocumentedRun keeps the picture of a run in the guide.
func TestDocumentedRun(t *testing.T) {
	failed := step("publish", flow.Failed, 1800)
	failed.Failure = &flow.Failure{Message: "exit code 1: the branch is protected"}
	skipped := step("plan", flow.Skipped, 0)
	skipped.Reason = "its condition is false"
	w := &Workflow{Name: "triage", Nodes: []flow.NodeInfo{
		{Key: "fetch", Kind: "bash"},
		{Key: "classify", Kind: "prompt", Agent: "claude", After: []string{"fetch"}},
		{Key: "fix", Kind: "loop", After: []string{"classify"}, When: "$classify.output.kind == 'bug'", Inside: []flow.NodeInfo{
			{Key: "change", Kind: "prompt", Agent: "claude"}, {Key: "test", Kind: "bash", After: []string{"change"}},
		}},
		{Key: "plan", Kind: "prompt", Agent: "claude", After: []string{"classify"}, When: "$classify.output.kind == 'idea'"},
		{Key: "publish", Kind: "bash", After: []string{"fix"}},
		{Key: "report", Kind: "bash", After: []string{"publish", "plan"}, Rule: "all_done"},
	}, Run: pathOf(flow.Failed,
		step("fetch", flow.Completed, 420), step("classify", flow.Completed, 6100), step("fix", flow.Completed, 74000), skipped, failed, step("report", flow.Completed, 30),
		step("fix#1.change", flow.Completed, 31000), step("fix#1.test", flow.Failed, 4000), step("fix#2.change", flow.Completed, 35000), step("fix#2.test", flow.Completed, 4000),
	)}
	w.Run.ID = "triage-k3x9qz"
	path := filepath.Join("..", "..", "..", "docs", "run.svg")
	got := draw(t, "svg", w)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != got {
		t.Errorf("%s is not the picture of today (%v); `make golden` draws it", path, err)
	}
}
