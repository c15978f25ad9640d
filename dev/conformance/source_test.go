package conformance

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// compile compiles a workflow in a project whose files are in memory.
func compile(yaml string, files map[string]string) *compiler.Result {
	memory := testkit.Memory{}
	for name, content := range files {
		memory[path.Join("/project", name)] = content
	}
	// One name for all, so that equal workflows are equal code.
	file := source.NewFile("w.yaml", []byte(yaml))
	return compiler.Compile(file, compiler.Options{
		Path: "/project/.archon/workflows/w.yaml", Dialect: "archon", Root: "/project", Home: "/home", Files: memory,
	})
}

// errorsOf returns the findings that stop compilation.
func errorsOf(r *compiler.Result) (list []*diag.Diagnostic) {
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Error {
			list = append(list, d)
		}
	}
	return list
}

// refusal names the errors of a workflow: "refused: script-syntax, node-action".
func refusal(r *compiler.Result) string {
	var slugs []string
	seen := map[string]bool{}
	for _, d := range errorsOf(r) {
		if !seen[d.Code.Slug] {
			seen[d.Code.Slug] = true
			slugs = append(slugs, d.Code.Slug)
		}
	}
	return "refused: " + strings.Join(slugs, ", ")
}

// quote writes a text as a YAML scalar on one line.
func quote(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// header begins the workflows that tests write.
const header = "name: w\ndescription: d\nnodes:\n"

// A nodeText is one node of a workflow that a test writes: its keys with their
// values in YAML, in order.
type nodeText [][2]string

func (n nodeText) String() string {
	var b strings.Builder
	for i, pair := range n {
		lead := "    "
		if i == 0 {
			lead = "  - "
		}
		fmt.Fprintf(&b, "%s%s: %s\n", lead, pair[0], pair[1])
	}
	return b.String()
}

// flowList writes texts as a YAML list on one line.
func flowList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = quote(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
