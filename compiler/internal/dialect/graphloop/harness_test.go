package graphloop_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/graphloop"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// project is an environment whose folder holds the files.
func project(files testkit.Memory) *dialect.Env {
	all := testkit.Memory{}
	for path, content := range files {
		all["/repo/"+path] = content
	}
	return &dialect.Env{Root: filepath.FromSlash("/repo"), Dir: filepath.FromSlash("/repo"), Files: all}
}

// compile compiles a workflow and returns its program and all findings.
func compile(t testing.TB, env *dialect.Env, yaml string) (*ir.Program, []*diag.Diagnostic) {
	t.Helper()
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("w.yaml", []byte(yaml)), &bag)
	if doc == nil || bag.HasErrors() {
		return nil, bag.Sorted()
	}
	p := graphloop.Frontend{}.Compile(doc, env, &bag)
	return p, bag.Sorted()
}

// good compiles a workflow that has no errors and returns its graph.
func good(t testing.TB, yaml string) (*ir.Workflow, *ir.Graph) {
	t.Helper()
	p, list := compile(t, project(nil), yaml)
	if p == nil || diag.HasErrors(list) {
		t.Fatalf("%s\n%s", strings.Join(findings(list), "\n"), yaml)
	}
	return p.Workflow, p.Workflow.Body.(*ir.Graph)
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

// nodes puts nodes, lines with their indentation, under a minimal top level.
func nodes(lines string) string {
	return "workflow: w\nnodes:\n" + lines
}

// straight are the edges of a graph whose only node is n.
const straight = "edges:\n  - {from: START, to: n}\n  - {from: n, to: END}\n"

func configuredAgent(name string) settings.Agent { return settings.Agent{Name: name, Use: "claude"} }

func configuredModel(name, agent, model string) settings.Model {
	return settings.Model{Name: name, Agent: agent, Model: model}
}
