package archon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// dependencyLayers is a workflow of nodes in layers of 100, each reading three nodes of
// the layer before and one far behind it.
func dependencyLayers(count int) string {
	var b strings.Builder
	b.WriteString("name: w\ndescription: d\nnodes:\n")
	for i := range count {
		fmt.Fprintf(&b, "  - id: n%d\n", i)
		if i < 100 {
			b.WriteString("    bash: echo hi\n")
			continue
		}
		base := i/100*100 - 100
		x, y, z := base+i%100, base+(i+1)%100, base+(i+7)%100
		fmt.Fprintf(&b, "    depends_on: [n%d, n%d, n%d]\n    prompt: $n%d.output and $n%d.output.f\n", x, y, z, x, i%100)
	}
	return b.String()
}

func BenchmarkResolveAndCheck10000(b *testing.B) {
	yaml := dependencyLayers(10_000)
	for b.Loop() {
		if _, list := checked(b, yaml); diag.HasErrors(list) {
			b.Fatal(findings(list))
		}
	}
}

// Every node of a chain may read the first one, from any distance.
func TestLongChainReadsItsRoot(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: w\ndescription: d\nnodes:\n  - {id: n0, bash: echo}\n")
	for i := 1; i < 2000; i++ {
		fmt.Fprintf(&b, "  - {id: n%d, prompt: $n0.output.f, depends_on: [n%d]}\n", i, i-1)
	}
	if _, list := checked(t, b.String()); len(list) > 0 {
		t.Error(findings(list))
	}
}

// resolvedCodes are the codes of resolving, types and checks, as ranges of IDs.
var resolvedCodes = [][2]string{{"WFC250", "WFC267"}, {"WFC300", "WFC399"}, {"WFC400", "WFC489"}, {"WFC900", "WFC949"}}

// Real files that their engine accepts get no warning about references, types
// or flow, but for the one that is wrong on purpose, and for a test whose last steps are
// skipped silently if one of its checks is.
func TestCorpusIsClean(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..", "..", "shared", "corpus", "archon", ".archon", "workflows")
	files, _ := filepath.Glob(filepath.Join(root, "*", "*.yaml"))
	if len(files) == 0 {
		t.Skip("the corpus is not here")
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, list := checked(t, string(content))
		list = slices.DeleteFunc(list, func(d *diag.Diagnostic) bool {
			own := slices.ContainsFunc(resolvedCodes, func(r [2]string) bool { return r[0] <= d.Code.ID && d.Code.ID <= r[1] })
			return !own || d.Portability || d.Code.Slug == "unknown-workflow" // without the other files
		})
		var want []string
		switch filepath.Base(name) {
		case "e2e-structured-output-failfast.yaml":
			want = []string{"warning unknown-field $classify.output.nonexistent_field"}
		case "e2e-copilot-all-nodes-smoke.yaml":
			want = []string{"warning never-runs merge"}
		case "guides__authoring-workflows--02.yaml":
			want = []string{"warning unknown-node-reference synthesize"}
		}
		if got := findings(list); !slices.Equal(got, want) {
			t.Errorf("%s: %q", filepath.Base(name), got)
		}
	}
	t.Logf("%d files", len(files))
}
