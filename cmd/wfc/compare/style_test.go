package compare_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/wfc-lang/wfc/cmd/wfc/compare"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
)

// styles write a document in other ways, with the same meaning.
var styles = map[string]func(*yaml.Node){
	"flow": func(n *yaml.Node) {
		if n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode {
			n.Style |= yaml.FlowStyle
		}
	},
	"double-quoted": func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
			n.Style = yaml.DoubleQuotedStyle
		}
	},
	"blocks": func(n *yaml.Node) {
		n.Style &^= yaml.FlowStyle
		if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
			n.Style = yaml.LiteralStyle
		}
	},
	"single-quoted": func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
			n.Style = yaml.SingleQuotedStyle
		}
	},
	"keys": func(n *yaml.Node) {
		if n.Kind == yaml.MappingNode {
			pairs := slices.Collect(slices.Chunk(n.Content, 2))
			slices.Reverse(pairs)
			n.Content = slices.Concat(pairs...)
		}
	},
}

func each(n *yaml.Node, visit func(*yaml.Node)) {
	visit(n)
	for _, inner := range n.Content {
		each(inner, visit)
	}
}

// meant are keys of mappings whose order means something: inputs have positions on the
// command line.
var meant = map[string]bool{"input": true, "inputs": true}

// quotes reports whether quotes around a scalar mean something: in the assignments of state
// graphs, output is the output of the node and "output" a string.
func quotes(n *yaml.Node) bool { return n.Value == "output" }

// restyled returns the content in another style, and whether it still has the same values.
func restyled(content []byte, style func(*yaml.Node)) ([]byte, bool) {
	var doc yaml.Node
	var before, after any
	if yaml.Unmarshal(content, &doc) != nil || doc.Decode(&before) != nil {
		return nil, false
	}
	keep := map[*yaml.Node]bool{}
	each(&doc, func(n *yaml.Node) {
		for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
			keep[n.Content[i+1]] = keep[n.Content[i+1]] || meant[n.Content[i].Value]
		}
		if keep[n] || quotes(n) {
			return
		}
		n.HeadComment, n.LineComment, n.FootComment = "", "", ""
		style(n)
	})
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(4)
	if e.Encode(&doc) != nil || yaml.Unmarshal(b.Bytes(), &after) != nil {
		return nil, false
	}
	return b.Bytes(), equal(before, after)
}

func equal(x, y any) bool {
	a, errA := yaml.Marshal(x)
	b, errB := yaml.Marshal(y)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// Another style is no change, in every real file and in five styles.
func TestStylesAreNoChange(t *testing.T) {
	files, compared := 0, 0
	for _, root := range []string{"../../../examples", "../../../testdata", "../../../../shared/corpus"} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".yaml" && ext != ".yml" {
				return nil
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			old := compiler.Compile(source.NewFile(path, content), compiler.Options{})
			if old.Workflow == nil || old.HasErrors() {
				return nil
			}
			files++
			for name, style := range styles {
				text, same := restyled(content, style)
				if !same {
					continue
				}
				fresh := compiler.Compile(source.NewFile(path, text), compiler.Options{Dialect: old.Dialect})
				if fresh.Workflow == nil || fresh.HasErrors() {
					t.Errorf("%s as %s has errors: %s", path, name, fresh.Diagnostics[0].Message)
					continue
				}
				compared++
				if list := compare.Programs(old.Workflow, fresh.Workflow); len(list) > 0 {
					c := list[0]
					t.Errorf("%s as %s: %s %s %s: %q -> %q", path, name, c.Where, c.What, c.Verb, c.Old, c.New)
				}
			}
			return nil
		})
	}
	t.Logf("%d files, %d versions", files, compared)
	if files < 10 || compared < 4*files {
		t.Errorf("only %d files with %d versions", files, compared)
	}
}
