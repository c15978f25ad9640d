package archon_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// project is an environment of the files, whose paths start at the project's
// folder unless they start at "home/".
func project(files testkit.Memory) *dialect.Env {
	all := testkit.Memory{}
	for path, content := range files {
		if !strings.HasPrefix(path, "home/") {
			path = "repo/" + path
		}
		all["/"+path] = content
	}
	env := &dialect.Env{Root: filepath.FromSlash("/repo"), Dir: filepath.FromSlash("/repo"), Home: filepath.FromSlash("/home"), Files: all}
	env.Use = func(path string) *dialect.Used {
		content, _ := all.Read(path)
		used := &dialect.Used{File: source.NewFile(path, content)}
		var bag diag.Bag
		if doc := yamlsrc.Parse(used.File, &bag); doc != nil {
			used.Program = archon.Frontend{}.Compile(doc, env, &bag)
		}
		if used.Findings = bag.Sorted(); bag.HasErrors() {
			used.Program = nil
		}
		return used
	}
	return env
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
