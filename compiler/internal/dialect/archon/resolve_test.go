package archon_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// templateText writes a template with its holes in angle brackets.
func templateText(t *template.Template) string {
	var b strings.Builder
	for _, p := range t.Parts {
		switch p := p.(type) {
		case *template.Text:
			b.WriteString(p.Value)
		case *template.Hole:
			b.WriteString("<" + value(p.Expr) + ">")
		}
	}
	return b.String()
}

func value(e expr.Expr) string {
	switch e := e.(type) {
	case *expr.Output:
		return e.Node
	case *expr.Field:
		return e.Node + "." + strings.Join(e.Path, ".")
	case *expr.Input:
		return "input " + e.Name
	case *expr.Var:
		return e.Var.String()
	case *expr.Literal:
		return fmt.Sprintf("%q", e.Text)
	}
	return fmt.Sprintf("%T", e)
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// graph has nodes of each kind that a text may refer to.
const graph = `  - {id: a, bash: echo}
  - {id: a-b, bash: echo}
  - {id: a.c, bash: echo}
  - id: k
    prompt: classify
    output_format: {type: object, properties: {kind: {enum: [x, y]}, obj: {type: object, properties: {n: {type: string}}}, any: {}}, required: [kind]}
`

func reader(body string) string {
	return nodes(graph + "  - id: r\n    depends_on: [a, a-b, a.c, k]\n    " + body + "\n")
}

// The results for prompts and messages: archon.md 3.1 to 3.3.
func TestTextsOfSurfaces(t *testing.T) {
	for _, c := range []struct {
		surface, text, want string
		found               []string
	}{
		{"prompt", "got $a.output!", "got <a>!", nil},
		{"prompt", "$a.output$a-b.output", "<a><a-b>", nil},
		{"prompt", "$a-b.output.s-x", "<a-b.s>-x", nil},
		{"prompt", "$a.output. Next", "<a>. Next", nil},
		{"prompt", "${HOME} $1 $@ $$ $a $PATH", "${HOME} $1 $@ $$ $a $PATH", nil},
		{"prompt", `\$a.output`, `\<a>`, nil},
		{"prompt", "$k.output.kind $k.output.kind.md", "<k.kind> <k.kind>.md", nil},
		{"prompt", "$ARGUMENTS $USER_MESSAGE", "<input arguments> <input arguments>", nil},
		{"prompt", "$CONTEXT. $CONTEXT_FILE $ISSUE_CONTEXT $EXTERNAL_CONTEXT", "<input context>. $CONTEXT_FILE <input context> <input context>", nil},
		{"prompt", "$WORKFLOW_ID $ARTIFACTS_DIR/x $BASE_BRANCH $DOCS_DIR", "<run id> <artifacts folder>/x <base branch> <docs folder>", nil},
		{"prompt", "[$zzz.output] [$zzz.output.f]", "[] []", []string{"warning unknown-node-reference $zzz.output", "warning unknown-node-reference $zzz.output.f"}},
		{"prompt", "say `$zzz.output` and `$a.output`", "say `$zzz.output` and `<a>`", nil},
		{"prompt", "$a.outputs", "<a>s", []string{"warning run-on-reference $a.outputs"}},
		{"prompt", "$ARGUMENTS_X", "<input arguments>_X", []string{"warning run-on-reference $ARGUMENTS_X"}},
		{"prompt", "$a.output.o.k", "<a.o>.k", []string{"warning nested-field $a.output.o.k"}},
		{"prompt", "$k.output.obj.n $k.output.any.n", "<k.obj>.n <k.any>.n", []string{"warning nested-field $k.output.obj.n", "warning nested-field $k.output.any.n"}},
		{"prompt", "$a.Output $a.result $k.kind", "$a.Output $a.result $k.kind", []string{"warning literal-reference $a.Output", "warning literal-reference $k.kind"}},
		{"prompt", "${a.output} ${ARGUMENTS} ${b.output}", "${a.output} ${ARGUMENTS} ${b.output}", []string{"warning literal-reference ${a.output}", "warning literal-reference ${ARGUMENTS}"}},
		{"prompt", "$ARGUMENT $arguments `$ARGUMENT`", "$ARGUMENT $arguments `$ARGUMENT`", []string{"warning misspelt-name $ARGUMENT", "warning misspelt-name $arguments"}},
		{"prompt", "$a.c.output", "$a.c.output", []string{"warning unreadable-name $a.c.output"}},
		{"prompt", "[$LOOP_PREV_OUTPUT$REJECTION_REASON]", "[]", []string{"warning empty-variable $LOOP_PREV_OUTPUT", "warning empty-variable $REJECTION_REASON"}},
		{"prompt", "$k.output.knd", "<k.knd>", []string{"warning unknown-field $k.output.knd"}},
		{"prompt", "$ARGUMENTS $a.output", "<input arguments> <a>", []string{"warning inserted-text-scanned $ARGUMENTS"}},
		{"cancel", "$a.output for $ARGUMENTS", "<a> for $ARGUMENTS", []string{"warning literal-reference $ARGUMENTS"}},
		{"cancel", "`$zzz.output`", "``", []string{"warning unknown-node-reference $zzz.output"}},
	} {
		p, list := resolved(t, reader(c.surface+": "+quote(c.text)))
		if p == nil {
			t.Fatalf("%s: %q", c.text, findings(list))
		}
		var got string
		switch action := last(p).Action.(type) {
		case *ir.Prompt:
			got = templateText(action.Text)
		case *ir.Cancel:
			got = templateText(action.Reason)
		}
		if got != c.want || !slices.Equal(findings(list), c.found) {
			t.Errorf("%s: %s\ngot  %s %q\nwant %s %q", c.surface, c.text, got, findings(list), c.want, c.found)
		}
	}
}

func last(p *ir.Program) *ir.Node {
	all := p.Workflow.Body.All()
	return all[len(all)-1]
}

// Variables of loops and rejections have their value where they are at home.
func TestVariablesAtHome(t *testing.T) {
	p, list := resolved(t, reader("loop: {prompt: '$LOOP_PREV_OUTPUT $LOOP_USER_INPUT END', until: END, max_iterations: 2}"))
	if len(list) > 0 {
		t.Error(findings(list))
	}
	body := last(p).Action.(*ir.Loop).Body.All()[0]
	if got := templateText(body.Action.(*ir.Prompt).Text); got != "<previous loop output> <loop input> END" {
		t.Error(got)
	}
	p, list = resolved(t, reader("approval: {message: 'ok $a.output?', on_reject: {prompt: fix $REJECTION_REASON}}"))
	if len(list) > 0 {
		t.Error(findings(list))
	}
	approval := last(p).Action.(*ir.Approval)
	if got := templateText(approval.Gate.Message) + templateText(approval.Rework.Text); got != "ok <a>?fix <rejection reason>" {
		t.Error(got)
	}
}

// In bash only four variables and the references are holes; the rest belongs
// to the shell.
func TestBashHoles(t *testing.T) {
	p, list := resolved(t, reader("bash: "+quote(`echo "$ARGUMENTS" "$HOME" "${x}" $a.output "$k.output.kind" "$WORKFLOW_ID" "$DOCS_DIR" $ARTIFACTS_DIR/x "$BASE_BRANCH"`)))
	if got := findings(list, "shell-quoted-reference"); len(got) > 0 {
		t.Error(got)
	}
	bash := last(p).Action.(*ir.Bash)
	var got []string
	for _, b := range bash.Bindings {
		got = append(got, value(b.Value))
	}
	want := []string{"a", "k.kind", "run id", "docs folder", "artifacts folder", "base branch"}
	if !slices.Equal(got, want) {
		t.Errorf("bindings %q, want %q", got, want)
	}
	for _, gone := range []string{"$a.output", "$k.output", "$WORKFLOW_ID"} {
		if strings.Contains(bash.Script, gone) {
			t.Errorf("%s is still in %s", gone, bash.Script)
		}
	}
	if !strings.Contains(bash.Script, `"$ARGUMENTS" "$HOME" "${x}"`) {
		t.Error(bash.Script)
	}
}

func TestBashMistakes(t *testing.T) {
	for text, want := range map[string][]string{
		`echo "${WORKFLOW_ID}" "${BASE_BRANCH}"`: {"warning literal-reference ${WORKFLOW_ID}"},
		`WORKFLOW_ID=1; echo "${WORKFLOW_ID}"`:   nil,
		`echo "$BASE_BRANCH_NAME"`:               {"warning run-on-reference $BASE_BRANCH_NAME"},
		`echo "$file.output"`:                    {"warning unknown-node-reference $file.output"},
		`echo "$a.txt"`:                          nil,
		`echo "$a.ouput"`:                        {"warning literal-reference $a.ouput"},
		"# about $nodeId.output\necho hi":        nil,
		"cat <<X\n# about $nodeId.output\nX":     {"warning unknown-node-reference $nodeId.output"},
	} {
		_, list := resolved(t, reader("bash: |-\n      "+strings.ReplaceAll(text, "\n", "\n      ")))
		if got := findings(list, "shell-quoted-reference"); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", text, got, want)
		}
	}
}

// A reader without a dependency on its producer waits for it, and the fix declares
// the dependency; after that there is no finding.
func TestUndeclaredDependencies(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"flow list", "  - id: a\n    bash: echo\n  - id: x\n    bash: echo\n  - id: b\n    depends_on: [x]\n    prompt: $a.output\n", "    depends_on: [x, a]\n"},
		{"quoted entry", "  - id: a\n    bash: echo\n  - id: x\n    bash: echo\n  - id: b\n    depends_on: ['x']\n    prompt: $a.output\n", "    depends_on: ['x', a]\n"},
		{"block list", "  - id: a\n    bash: echo\n  - id: x\n    bash: echo\n  - id: b\n    depends_on:\n      - x\n    prompt: $a.output\n", "      - x\n      - a\n"},
		{"none", "  - id: a\n    bash: echo\n  - id: b  # last\n    prompt: $a.output\n", "  - id: b  # last\n    depends_on: [a]\n"},
		{"id not first", "  - id: a\n    bash: echo\n  - prompt: $a.output\n    id: b\n", "    id: b\n    depends_on: [a]\n"},
		{"flow mapping", "  - id: a\n    bash: echo\n  - {id: b, prompt: $a.output}\n", "  - {id: b, depends_on: [a], prompt: $a.output}\n"},
		{"condition", "  - id: a\n    bash: echo\n  - id: b\n    bash: echo\n    when: $a.output == 'x'\n", "  - id: b\n    depends_on: [a]\n"},
	} {
		p, list := resolved(t, nodes(c.before))
		if got := findings(list); !slices.Equal(got, []string{"warning undeclared-dependency $a.output"}) {
			t.Errorf("%s: %q", c.name, got)
			continue
		}
		needs := last(p).Needs
		if n := needs[len(needs)-1]; !n.Order || n.Node.ID != "a" {
			t.Errorf("%s: no ordering edge", c.name)
		}
		fixed := fix(nodes(c.before), list)
		if !strings.Contains(fixed, c.after) {
			t.Errorf("%s: fixed to\n%s", c.name, fixed)
		}
		p, list = resolved(t, fixed)
		if len(list) > 0 {
			t.Errorf("%s: after the fix %q", c.name, findings(list))
		}
		for _, need := range last(p).Needs {
			if need.Order {
				t.Errorf("%s: still an ordering edge", c.name)
			}
		}
	}
}

// fix applies the first fix of each finding, last place first.
func fix(yaml string, list []*diag.Diagnostic) string {
	if len(list) > 0 {
		yamlsrc.Parse(list[0].Span.File, &diag.Bag{}).EncodeFixes(list)
	}
	var edits []diag.Edit
	for _, d := range list {
		if len(d.Fixes) > 0 {
			edits = append(edits, d.Fixes[0].Edits...)
		}
	}
	slices.SortFunc(edits, func(a, b diag.Edit) int { return b.Span.Start - a.Span.Start })
	for _, e := range edits {
		yaml = yaml[:e.Span.Start] + e.New + yaml[e.Span.End:]
	}
	return yaml
}

func TestImpossibleOrders(t *testing.T) {
	for _, c := range []struct {
		yaml string
		want []string
	}{
		{"  - {id: a, prompt: $a.output}\n", []string{"error reference-order $a.output"}},
		{"  - {id: a, prompt: x, when: $a.output == 'x'}\n", []string{"error reference-order $a.output"}},
		{"  - {id: a, loop: {prompt: $a.output END, until: END, max_iterations: 1}}\n", []string{"error reference-order $a.output"}},
		{"  - {id: a, prompt: $c.output}\n  - {id: b, bash: echo, depends_on: [a]}\n  - {id: c, bash: echo, depends_on: [b]}\n", []string{"error reference-order $c.output"}},
		{"  - {id: a, prompt: $b.output}\n  - {id: b, prompt: $a.output}\n", []string{"warning undeclared-dependency $b.output", "error reference-order $a.output"}},
		{"  - {id: a, prompt: $c.output}\n  - {id: b, prompt: $a.output}\n  - {id: c, bash: echo, depends_on: [b]}\n", []string{"warning undeclared-dependency $c.output", "error reference-order $a.output"}},
		// One finding a pair of nodes, however often it reads.
		{"  - {id: a, bash: echo}\n  - {id: b, prompt: $a.output $a.output, when: $a.output == 'x'}\n", []string{"warning undeclared-dependency $a.output"}},
		// An ancestor may be read from any distance.
		{"  - {id: a, bash: echo}\n  - {id: b, bash: echo, depends_on: [a]}\n  - {id: c, prompt: $a.output, depends_on: [b]}\n", nil},
	} {
		_, list := resolved(t, nodes(c.yaml))
		if got := findings(list); !slices.Equal(got, c.want) {
			t.Errorf("%s\ngot  %q\nwant %q", c.yaml, got, c.want)
		}
	}
}

func TestConditionsOfNodes(t *testing.T) {
	for when, want := range map[string][]string{
		"$zzz.output == 'x'":                   {"error unknown-node $zzz.output"},
		"$a.output == 'x' || $zz.f == 'x'":     {"error unknown-node $zz.f"},
		"$k.output.knd == 'x'":                 {"error no-such-field $k.output.knd"},
		"$k.kind == 'x' && $k.output.kind = 1": {"error unknown-operator ="},
		"$a.anything == 'x'":                   nil,
	} {
		_, list := resolved(t, reader("bash: echo\n    when: "+when))
		if got := findings(list); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", when, got, want)
		}
	}
}

// Fixes fit into whatever quotes the condition is in.
func TestConditionFixesInQuotes(t *testing.T) {
	for when, want := range map[string]string{
		`'$a.output == x'`:                  `'$a.output == ''x'''`,
		`"$a.output = 'x'"`:                 `"$a.output == 'x'"`,
		`'"x" == $a.output'`:                `'$a.output == "x"'`,
		`"\"x\" == $a.output"`:              `"$a.output == \"x\""`,
		"|-\n      $a.output\n      is 'x'": "|-\n      $a.output\n      == 'x'",
		"$a-d.output == 'x'":                "$a-b.output == 'x'",
	} {
		yaml := reader("bash: echo\n    when: " + when)
		_, list := resolved(t, yaml)
		if got, want := fix(yaml, list), reader("bash: echo\n    when: "+want); got != want {
			t.Errorf("%s is fixed to\n%s", when, got)
		}
	}
}

func FuzzRefs(f *testing.F) {
	for _, text := range []string{"$a.output.k `$b.output` ${a.output}", "\\$ARGUMENTSx$CONTEXT$", "``` $a.output\n```", "$k.output.obj.n$a-b.outputs"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\r\n\t") || strings.TrimSpace(text) != text || text == "" {
			return
		}
		p, _ := resolved(t, reader("prompt: "+quote(text)))
		if p == nil {
			return
		}
		prompt, ok := last(p).Action.(*ir.Prompt)
		if !ok || prompt.Text.Source.Value != text {
			return
		}
		// Parts lie in the text in order, and holes start with a dollar sign.
		end := 0
		for _, part := range prompt.Text.Parts {
			start, stop := end, end
			switch part := part.(type) {
			case *template.Text:
				start, stop = part.Start, part.Start+len(part.Value)
				if text[start:stop] != part.Value {
					t.Errorf("%q: the text %q is not at %d", text, part.Value, start)
				}
			case *template.Hole:
				start, stop = part.Start, part.End
				if text[start] != '$' || prompt.Text.Span(part).Text() != strings.ReplaceAll(text[start:stop], "'", "''") {
					t.Errorf("%q: no hole at %d to %d", text, start, stop)
				}
			}
			if start < end {
				t.Errorf("%q: parts overlap at %d", text, start)
			}
			end = stop
		}
	})
}
