package gen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// covering is a workflow whose nodes have the names of the counters of coverage.
const covering = `name: names
description: d
nodes:
  - id: covered
    prompt: hi
    output_format: {type: object, properties: {n: {type: integer}, term_counts: {type: boolean}}, required: [n, term_counts]}
  - id: terms
    depends_on: [covered]
    when: "$covered.output.n > 2 && ($covered.output.term_counts == 'true' || $covered.output.n == '1')"
    bash: echo hi
`

// TestCover: code with counters compiles for the workflows of the corpus, has one for each
// term, and other code has none.
func TestCover(t *testing.T) {
	sources := map[string]string{"names.yaml": covering}
	dir := filepath.Join(repo, "..", "shared", "corpus", "archon")
	for _, path := range append(workflowFiles(dir), workflowFiles(filepath.Join(repo, "examples"))...) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sources[path] = string(content)
	}
	check, generated := testkit.TypeChecker[gen.File](t), 0
	for path, content := range sources {
		r := compiler.Compile(source.NewFile(path, []byte(content)), compiler.Options{Root: filepath.Dir(path)})
		if r.Workflow == nil || r.HasErrors() || len(r.Workflow.Callees()) > 0 {
			continue
		}
		plain := gen.Generate(r.Workflow, gen.Options{})
		if path == "names.yaml" && strings.Contains(string(plain[0].Content), "atomic") {
			t.Errorf("%s: code without coverage has counters", path)
		}
		files := gen.Generate(r.Workflow, gen.Options{Cover: true})
		if len(files) != len(plain)+1 || files[len(files)-1].Name != "cover.go" {
			t.Fatalf("%s: %d files", path, len(files))
		}
		generated++
		_, counters, _ := strings.Cut(string(files[len(files)-1].Content), "import \"sync/atomic\"\n")
		for _, path := range []string{"value/jinja", "value/py"} {
			counters = strings.Replace(counters, "import \"github.com/wfc-lang/wfc/runtime/"+path+"\"\n", "", 1)
		}
		whole := strings.Replace(string(files[0].Content), "import (", "import (\n\t\"sync/atomic\"", 1) + counters
		plain[0].Content = []byte(whole)
		check(filepath.Base(path), plain...)
		if path == "names.yaml" && strings.Count(string(files[0].Content), "covered(") != 3 {
			t.Errorf("not every term has a counter:\n%s", files[0].Content)
		}
	}
	t.Logf("generated %d workflows", generated)
}
