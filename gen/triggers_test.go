package gen_test

import (
	"bytes"
	"go/format"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
)

// programOf returns the main.go of a workflow, with the triggers of a configuration.
func programOf(t *testing.T, triggers, workflow string) string {
	t.Helper()
	c, findings := config.Parse(source.NewFile(config.FileName, []byte("workflows:\n  w.yaml:\n    triggers:\n"+triggers)))
	c.Dir = "/p"
	r := compiler.Compile(source.NewFile("w.yaml", []byte(workflow)), c.Options("/p/w.yaml"))
	for _, d := range append(findings, r.Diagnostics...) {
		if d.Severity == diag.Error {
			t.Fatalf("%s:%d: %s", d.Span.File.Name, d.Span.Position().Line, d.Message)
		}
	}
	for _, f := range gen.Generate(r.Workflow, gen.Options{Main: true}) {
		if f.Name != "main.go" {
			continue
		}
		if formatted, err := format.Source(f.Content); err != nil || !bytes.Equal(formatted, f.Content) {
			t.Errorf("main.go is not as gofmt leaves it: %v\n%s", err, f.Content)
		}
		return string(f.Content)
	}
	t.Fatal("there is no main.go")
	return ""
}

const (
	triggeredNodes = "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo $ARGUMENTS\n"
	triggeredSteps = "steps:\n  - name: a\n    bash: echo a\n"
	triggeredGraph = "workflow: w\nnodes:\n  a: {type: human, prompt: Well?, outputs: [again, stop]}\nedges:\n  - {from: START, to: a}\n  - {from: a, to: END}\nlimits: {max_iterations: 9}\n"
)

// The condition of a trigger is Go, by the rules of each format.
func TestTriggerConditions(t *testing.T) {
	for _, c := range []struct{ workflow, when, want string }{
		{triggeredNodes, `"$payload.action == 'opened' && ($payload.n > 3 || !$payload.a.b != '')"`, `p.Text("action") == "opened" && (p.Number("n") > 3 || !(p.Text("a", "b") != ""))`},
		{triggeredGraph, `"payload.action == 'opened' || !(payload.n <= 3) && payload.draft"`, `value.Equal(p.Value("action"), "opened") || !value.AtMost(p.Value("n"), json.RawMessage("3")) && value.Equal(p.Value("draft"), true)`},
		{triggeredGraph, `"payload.n > payload.m && payload.x != null"`, `value.Less(p.Value("m"), p.Value("n")) && !value.Equal(p.Value("x"), nil)`},
		{triggeredSteps, `"payload.action in ['a', 'b'] and not payload.draft"`, `(value.Equal(p.Value("action"), "a") || value.Equal(p.Value("action"), "b")) && !p.True("draft")`},
		{triggeredSteps, `"'bug' not in payload['labels'] and 1 < payload.n <= 1_000"`, `!p.Contains("bug", "labels") && value.Less(json.RawMessage("1"), p.Value("n")) && value.AtMost(p.Value("n"), json.RawMessage("1000"))`},
		{triggeredSteps, `"payload.x is defined or payload.y is none"`, `!value.Equal(p.Value("x"), nil) || value.Equal(p.Value("y"), nil)`},
	} {
		code := programOf(t, "      - on: {webhook: github, path: /hook, secret_variable: S}\n        when: "+c.when+"\n", c.workflow)
		_, rest, _ := strings.Cut(code, "return ")
		got, _, _ := strings.Cut(rest, "\n")
		if got != c.want {
			t.Errorf("%s becomes\n%s, want\n%s", c.when, got, c.want)
		}
	}
}

// A program links the server of webhooks only if it has some.
func TestTriggersOfPrograms(t *testing.T) {
	files := programOf(t, "      - on: {files: \"*.json\", every: 5m}\n        inputs: {arguments: {from: /path, default: none}, context: {value: [1]}}\n", triggeredNodes)
	for _, want := range []string{
		`Files: "*.json"`, `Every: 5 * time.Minute`, `Default: "\"none\""`, `Pointer: "/path"`, `Literal: "[1]"`,
	} {
		if !strings.Contains(strings.Join(strings.Fields(files), " "), want) {
			t.Errorf("main.go has no %s:\n%s", want, files)
		}
	}
	if strings.Contains(files, "runtime/webhooks") {
		t.Errorf("a program without webhooks links their server:\n%s", files)
	}
	hook := programOf(t, "      - on: {webhook: github, path: /hook, secret_variable: S}\n        inputs: {arguments: /x}\n", triggeredNodes)
	if !strings.Contains(hook, "webhooks.Server()") {
		t.Errorf("a program with webhooks does not link their server:\n%s", hook)
	}
}
