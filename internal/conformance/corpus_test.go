package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// deserved are the warnings that accepted files of the corpus deserve, besides
// those about files that the corpus does not have.
var deserved = map[string][]string{
	// The engine ignores these options, too, and says so.
	"test-workflows/e2e-copilot-all-nodes-smoke.yaml": {"agent-options-ignored"},
	"test-workflows/e2e-pi-all-nodes-smoke.yaml":      {"agent-options-ignored"},
	// Keys of a newer version, which the engine ignores.
	"docs-snippets/guides__authoring-workflows--02.yaml": {"newer-key"},
	"docs-snippets/guides__authoring-workflows--35.yaml": {"newer-key"},
	// It is there to show that a field that is not declared fails.
	"test-workflows/e2e-structured-output-failfast.yaml": {"unknown-field"},
	// A script that relies on bash splitting what the user typed.
	"docs-snippets/claude__skills__archon__references__workflow-dag--28.yaml": {"shell-unquoted-variable"},
}

// absent are the codes of files that a workflow names and the corpus, which is
// a part of a project, does not hold.
var absent = []string{"command-not-found", "script-not-found", "mcp-file", "missing-skill"}

// TestCorpus checks, generates and builds every real workflow that the engine
// accepts and that has neither loop nor approval. That the others are rejected
// for the engine's reasons is tested beside the front end.
func TestCorpus(t *testing.T) {
	root := filepath.Join("..", "..", "..", "shared", "corpus", "archon")
	text, err := os.ReadFile(filepath.Join(root, "verdicts.json"))
	if err != nil {
		t.Skip("the corpus is not here: ", err)
	}
	var verdicts map[string]struct{ Accepted bool }
	if err := json.Unmarshal(text, &verdicts); err != nil {
		t.Fatal(err)
	}
	batch := testkit.NewBatch(t)
	built, left := 0, 0
	for name, verdict := range verdicts {
		path := filepath.Join(root, ".archon", "workflows", filepath.FromSlash(name))
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r := compiler.Compile(source.NewFile(name, content), compiler.Options{Path: path, Root: root})
		if r.HasErrors() == verdict.Accepted {
			t.Errorf("%s: accepted = %v, the engine says %v: %s", name, !r.HasErrors(), verdict.Accepted, refusal(r))
			continue
		}
		if !verdict.Accepted {
			continue
		}
		for _, d := range r.Diagnostics {
			slug := d.Code.Slug
			if d.Severity == diag.Warning && !slices.Contains(absent, slug) && !slices.Contains(deserved[name], slug) {
				t.Errorf("%s: %s: %s", name, slug, d.Message)
			}
		}
		if hasGate(r.Program) {
			left++
			continue
		}
		batch.Add(t, r.Program)
		built++
	}
	if t.Failed() {
		return
	}
	// One program of all: each on its own would link the runtime anew.
	batch.Build(t, "internal/conformance/runner")
	t.Logf("%d workflows built, %d left out for their loops and approvals", built, left)
}

// hasGate reports whether a workflow has a loop or an approval.
func hasGate(p *ir.Program) bool {
	return slices.ContainsFunc(p.Workflow.Body.All(), func(n *ir.Node) bool {
		switch n.Action.(type) {
		case *ir.Loop, *ir.Approval:
			return true
		}
		return false
	})
}
