package jinja_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// faulty are the recorded files whose templates the engine refuses or fails on
// whatever the values are, with a word of what is said.
var faulty = map[string]string{
	"repeat_broken_condition_never_true": "expected an expression",
	"while_undefined_condition_stops":    "divides by zero",
}

// TestRecordedTemplates parses every template of the recorded workflows; with all
// names known and of any type, there is nothing to say about them.
func TestRecordedTemplates(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "..", "shared", "conformance", "xprompt")
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*.yml"))
	if len(files) == 0 {
		t.Skip("the recorded workflows are not there")
	}
	templates := 0
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var bag, ignored diag.Bag
		doc := yamlsrc.Parse(source.NewFile(path, content), &ignored)
		if doc == nil || doc.Root == nil {
			continue
		}
		scalars(doc.Root, func(n *yamlsrc.Node) {
			if strings.Contains(n.Value, "{{") || strings.Contains(n.Value, "{%") {
				templates++
				jinja.Template(n.Text(), anything{}, jinja.Options{}, &bag)
			}
		})
		name := strings.TrimSuffix(filepath.Base(path), ".yml")
		want := faulty[name]
		for _, d := range bag.Sorted() {
			if want == "" || !strings.Contains(d.Message, want) {
				t.Errorf("%s: %s: %s", name, d.Span.Text(), d.Message)
			}
		}
		if want != "" && bag.Len() == 0 {
			t.Errorf("%s: nothing is said", name)
		}
	}
	t.Logf("%d templates in %d files", templates, len(files))
}

// scalars calls visit for every value that is a scalar.
func scalars(n *yamlsrc.Node, visit func(*yamlsrc.Node)) {
	switch n.Kind {
	case yamlsrc.Scalar:
		visit(n)
	case yamlsrc.Sequence:
		for _, item := range n.Items {
			scalars(item, visit)
		}
	case yamlsrc.Mapping:
		for _, p := range n.Pairs {
			scalars(p.Value, visit)
		}
	}
}
