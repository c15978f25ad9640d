package archon_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/dialect"
	"github.com/wfc-lang/wfc/compiler/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/compiler/yamlsrc"
)

// folder is a tree of files in memory: paths with slashes to contents.
type folder map[string]string

func (f folder) Read(path string) ([]byte, error) {
	content, ok := f[filepath.ToSlash(path)]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return []byte(content), nil
}

func (f folder) List(dir string) []string {
	var names []string
	prefix := filepath.ToSlash(dir) + "/"
	for path := range f {
		rest, inside := strings.CutPrefix(path, prefix)
		if !inside {
			continue
		}
		if cut := strings.IndexByte(rest, '/'); cut >= 0 {
			rest = rest[:cut+1]
		}
		if !slices.Contains(names, rest) {
			names = append(names, rest)
		}
	}
	slices.Sort(names)
	return names
}

// project is an environment of the files, whose paths start at the project's
// folder unless they start at "home/".
func project(files folder) *dialect.Env {
	all := folder{}
	for path, content := range files {
		if !strings.HasPrefix(path, "home/") {
			path = "repo/" + path
		}
		all["/"+path] = content
	}
	return &dialect.Env{Root: filepath.FromSlash("/repo"), Dir: filepath.FromSlash("/repo"), Home: filepath.FromSlash("/home"), Files: all}
}

// compile compiles a workflow and returns its program and all findings.
func compile(t testing.TB, env *dialect.Env, yaml string) (*ir.Program, []*diag.Diagnostic) {
	t.Helper()
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("w.yaml", []byte(yaml)), &bag)
	if doc == nil || bag.HasErrors() {
		return nil, bag.Sorted()
	}
	p := archon.Frontend{}.Compile(doc, env, &bag)
	return p, bag.Sorted()
}

// lint is compile without the findings that are shown only on request.
func lint(t testing.TB, env *dialect.Env, yaml string) (*ir.Program, []*diag.Diagnostic) {
	t.Helper()
	p, list := compile(t, env, yaml)
	return p, slices.DeleteFunc(list, func(d *diag.Diagnostic) bool { return d.Portability })
}

// nodes puts nodes under a minimal top level.
func nodes(yaml string) string { return "name: w\ndescription: d\nnodes:\n" + yaml }

// findings lists findings as "slug text", text being what the span covers,
// leaving out those whose slug is in without.
func findings(list []*diag.Diagnostic, without ...string) []string {
	var out []string
	for _, d := range list {
		if slices.Contains(without, d.Code.Slug) {
			continue
		}
		text, _, _ := strings.Cut(d.Span.Text(), "\n")
		out = append(out, strings.TrimSpace(d.Severity.String()+" "+d.Code.Slug+" "+text))
	}
	return out
}

func hasError(list []*diag.Diagnostic) bool { return diag.HasErrors(list) }
