package xprompt_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/check"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/xprompt"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// project is an environment whose folder is /repo, whose workflows lie in
// /repo/flows, and whose home folder is /home.
func project(files testkit.Memory) *dialect.Env {
	return &dialect.Env{Root: filepath.FromSlash("/repo"), Dir: filepath.FromSlash("/repo/flows"), Home: filepath.FromSlash("/home"), Files: files}
}

// compile compiles a workflow, runs the checks, and returns its program and all
// findings.
func compile(t testing.TB, env *dialect.Env, yaml string) (*ir.Program, []*diag.Diagnostic) {
	t.Helper()
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("flow.yaml", []byte(yaml)), &bag)
	if doc == nil || bag.HasErrors() {
		return nil, bag.Sorted()
	}
	p := xprompt.Frontend{}.Compile(doc, env, &bag)
	if p != nil {
		check.Run(p, &bag)
	}
	return p, bag.Sorted()
}

// good compiles a workflow that has no findings and returns it with its nodes.
func good(t testing.TB, yaml string) (*ir.Workflow, []*ir.Node) {
	t.Helper()
	return goodIn(t, nil, yaml)
}

func goodIn(t testing.TB, files testkit.Memory, yaml string) (*ir.Workflow, []*ir.Node) {
	t.Helper()
	p, list := compile(t, project(files), yaml)
	if p == nil || len(list) > 0 {
		t.Fatalf("%s\n%s", strings.Join(findings(list), "\n"), yaml)
	}
	return p.Workflow, p.Workflow.Body.All()
}

// findings lists findings as "severity slug text", text being the first line of
// what the span covers.
func findings(list []*diag.Diagnostic) []string {
	var out []string
	for _, d := range list {
		text, _, _ := strings.Cut(d.Span.Text(), "\n")
		out = append(out, strings.TrimSpace(d.Severity.String()+" "+d.Code.Slug+" "+text))
	}
	return out
}

// messages lists the texts of findings.
func messages(list []*diag.Diagnostic) string {
	var out []string
	for _, d := range list {
		out = append(out, d.Code.ID+" "+d.Message)
	}
	return strings.Join(out, "\n")
}

// steps is a workflow of steps, lines with their indentation.
func steps(lines string) string { return "steps:\n" + lines }
