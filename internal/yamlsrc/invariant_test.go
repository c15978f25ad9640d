package yamlsrc_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// parse parses text as a file and returns the document and the findings.
func parse(text string) (*yamlsrc.Document, []*diag.Diagnostic) {
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("f.yaml", []byte(text)), &bag)
	return doc, bag.Sorted()
}

// mustParse parses text that must be clean.
func mustParse(t *testing.T, text string) *yamlsrc.Document {
	t.Helper()
	doc, list := parse(text)
	for _, d := range list {
		t.Fatalf("%q: unexpected %s: %s", text, d.Code, d.Message)
	}
	return doc
}

// checkDocument checks the invariants of every document, whatever its text.
func checkDocument(t *testing.T, doc *yamlsrc.Document, list []*diag.Diagnostic) (exact, coarse int) {
	t.Helper()
	size := len(doc.File.Content)
	if doc.Root == nil && len(list) == 0 && len(doc.Duplicates) > 0 {
		t.Errorf("duplicates without a root")
	}
	for _, d := range list {
		if !d.Span.IsValid() || d.Span.Start < 0 || d.Span.End < d.Span.Start || d.Span.End > size {
			t.Errorf("%s: span %d-%d outside the file of %d bytes", d.Message, d.Span.Start, d.Span.End, size)
		}
		if d.Message == "" || strings.Contains(d.Message, "yaml: ") {
			t.Errorf("bad message %q", d.Message)
		}
	}
	last := 0
	for _, c := range doc.Comments {
		if c.Span.Start < last || c.Span.End > size || !strings.HasPrefix(c.Span.Text(), "#") {
			t.Errorf("comment %q at %d-%d out of order or place", c.Text, c.Span.Start, c.Span.End)
		}
		last = c.Span.End
	}
	if doc.Root == nil {
		return 0, 0
	}
	w := walker{t: t}
	w.node(doc.Root, source.Span{File: doc.File, Start: 0, End: size})
	return w.exact, w.coarse
}

type walker struct {
	t             *testing.T
	exact, coarse int
}

func (w *walker) node(n *yamlsrc.Node, in source.Span) {
	s := n.Place()
	if s.File != in.File || s.Start < in.Start || s.End > in.End || s.Start > s.End {
		w.t.Errorf("node %q at %d-%d not within its parent at %d-%d", n.Value, s.Start, s.End, in.Start, in.End)
	}
	if n.Alias.IsValid() {
		if !strings.HasPrefix(n.Alias.Text(), "*") {
			w.t.Errorf("alias place %q", n.Alias.Text())
		}
		return
	}
	last := s.Start
	for _, item := range n.Items {
		w.follows(item, &last)
		w.node(item, s)
	}
	for _, p := range n.Pairs {
		if p.Merged {
			continue
		}
		w.follows(p.Key, &last)
		w.node(p.Key, s)
		w.follows(p.Value, &last)
		w.node(p.Value, s)
	}
	if n.Kind == yamlsrc.Scalar {
		w.scalar(n)
	}
}

// follows checks that siblings do not overlap and keep their order.
func (w *walker) follows(n *yamlsrc.Node, last *int) {
	s := n.Place()
	if s.Start < *last {
		w.t.Errorf("node %q at %d starts before the end %d of the one before it", n.Value, s.Start, *last)
	}
	*last = s.End
}

func (w *walker) scalar(n *yamlsrc.Node) {
	text := n.Text()
	if text.Value != n.Value {
		w.t.Errorf("text %q of scalar %q", text.Value, n.Value)
	}
	if len(n.Value) > 1 && text.Span(0, 1) == n.Span && text.Span(1, 2) == n.Span {
		w.coarse++
		w.t.Errorf("scalar %q (style %d) at %d-%d %q has no exact map", n.Value, n.Style, n.Span.Start, n.Span.End, n.Span.Text())
		return
	}
	w.exact++
	content := n.Span.File.Content
	last := n.Span.Start
	for i := range n.Value {
		s := text.Span(i, i+1)
		if s.Start < last || s.End > len(content) {
			w.t.Errorf("byte %d of %q at %d-%d, after %d, of %d", i, n.Value, s.Start, s.End, last, len(content))
			return
		}
		last = s.Start
		if c := n.Value[i]; c > ' ' && c < 0x7F && c != content[s.Start] && content[s.Start] != '\\' {
			w.t.Errorf("byte %d of %q is said to be at %d, where %q stands", i, n.Value, s.Start, content[s.Start])
			return
		}
	}
}
