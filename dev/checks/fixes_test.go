package checks

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/explain"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A sample is a file with the way to compile it.
type sample struct {
	name    string
	content string
	compile func(content []byte) *compiler.Result
}

// samples are the bad examples of all codes and the workflows of the fixtures.
func samples(t *testing.T) []sample {
	var list []sample
	for _, c := range codes.All() {
		for _, e := range codes.DocumentOf(c).Examples {
			list = append(list, exampleSample(c, e, e.Bad))
		}
	}
	names, err := filepath.Glob(filepath.Join("..", "..", "testdata", "checks", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f := ParseFixture(content)
		for _, workflow := range f.Workflows() {
			list = append(list, sample{filepath.Base(name) + "/" + workflow, f.files[root+"/"+workflow], func(content []byte) *compiler.Result {
				return f.Compile(workflow, content)
			}})
		}
	}
	return list
}

func exampleSample(c *diag.Code, e codes.Example, text string) sample {
	return sample{c.ID, text, func(content []byte) *compiler.Result {
		file, findings := explain.Findings(c, e, string(content), testkit.Memory{})
		return &compiler.Result{File: file, Diagnostics: findings}
	}}
}

// checkFixes checks the fixes of a file's findings: a question whether a name was meant has
// an edit in the file; no such guess is sure; a sure fix resolves its finding, and brings no
// other one; and neither does a suggestion bring the file further from YAML.
func checkFixes(t *testing.T, s sample, content string) {
	t.Helper()
	base := s.compile([]byte(content))
	for _, d := range base.Diagnostics {
		asks := strings.Contains(d.Message+strings.Join(d.Help, "\n"), "did you mean")
		if asks && len(d.Fixes) == 0 {
			t.Errorf("%s: %s %q asks %q without an edit:\n%s", s.name, d.Code.ID, d.Message, d.Help, content)
		}
		for _, fix := range d.Fixes {
			if asks && fix.Safe {
				t.Errorf("%s: the guess %q of %s is sure", s.name, fix.Title, d.Code.ID)
			}
			if slices.ContainsFunc(fix.Edits, func(e diag.Edit) bool { return e.Span.File != base.File }) {
				continue // wfc check --fix names these
			}
			s.checkFix(t, base, d, fix)
		}
	}
}

func (s *sample) checkFix(t *testing.T, base *compiler.Result, d *diag.Diagnostic, fix diag.Fix) {
	t.Helper()
	alone := *d
	alone.Fixes = []diag.Fix{fix}
	applied := (&compiler.Result{File: base.File, Diagnostics: []*diag.Diagnostic{&alone}}).FixAll(func(content []byte) *compiler.Result {
		return &compiler.Result{File: source.NewFile(base.File.Name, content)}
	})
	if applied.Applied == 0 {
		if fix.Safe && !strings.Contains(applied.Refused[0].Why, "would also change") {
			t.Errorf("%s: %s: %q is refused: %s", s.name, d.Code.ID, fix.Title, applied.Refused[0].Why)
		}
		return
	}
	fixed := s.compile(applied.Result.File.Content)
	same := func(of *diag.Diagnostic) bool { return of.Code == d.Code && of.Message == d.Message }
	if len(filter(fixed.Diagnostics, same)) >= len(filter(base.Diagnostics, same)) {
		t.Errorf("%s: %s %q remains after %q:\n%s", s.name, d.Code.ID, d.Message, fix.Title, applied.Result.File.Content)
	}
	for _, f := range fixed.Diagnostics {
		known := func(of *diag.Diagnostic) bool { return of.Code == f.Code && of.Message == f.Message }
		if fix.Safe && len(filter(base.Diagnostics, known)) == 0 {
			t.Errorf("%s: the sure fix %q of %s brings %s %q:\n%s", s.name, fix.Title, d.Code.ID, f.Code.ID, f.Message, applied.Result.File.Content)
		}
	}
}

func filter(list []*diag.Diagnostic, keep func(*diag.Diagnostic) bool) []*diag.Diagnostic {
	return slices.DeleteFunc(slices.Clone(list), func(d *diag.Diagnostic) bool { return !keep(d) })
}

func TestFixesOfSamples(t *testing.T) {
	for _, s := range samples(t) {
		checkFixes(t, s, s.content)
	}
}

// TestFixesOfMisspelt misspells each word of the good examples that is a key or a whole value.
func TestFixesOfMisspelt(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles thousands of files")
	}
	seen := map[string]bool{} // words in the same place of an example's text
	for _, c := range codes.All() {
		for _, e := range codes.DocumentOf(c).Examples {
			good := e.Good
			s := exampleSample(c, e, good)
			words(yamlsrc.Parse(source.NewFile("f.yaml", []byte(good)), new(diag.Bag)).Root, func(at source.Span) {
				line, _, _ := bytes.Cut([]byte(good)[at.Start:], []byte("\n"))
				if text := at.Text(); len(text) >= 5 && !seen[string(line)] {
					seen[string(line)] = true
					checkFixes(t, s, good[:at.End-2]+good[at.End-1:])
				}
			})
		}
	}
	if len(seen) < 400 {
		t.Errorf("only %d words", len(seen))
	}
}

// words visits the places of the words below a node.
func words(n *yamlsrc.Node, visit func(source.Span)) {
	if n == nil || n.Alias.IsValid() {
		return
	}
	if at := n.Place(); n.Kind == yamlsrc.Scalar && at.Text() == n.Value && !strings.ContainsAny(n.Value, " \n") {
		visit(at)
	}
	for _, item := range n.Items {
		words(item, visit)
	}
	for _, p := range n.Pairs {
		words(p.Key, visit)
		words(p.Value, visit)
	}
}
