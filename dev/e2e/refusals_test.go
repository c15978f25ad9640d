// Package e2e holds the tests that take whole workflows through compiler,
// generator and binary.
package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// A refusal is a script in which § must not stand: the code, and what the safe
// form that is named holds.
type refusal struct{ script, code, help string }

var refusals = []refusal{
	// Names.
	{`§=5`, "WFC503", "result=§"},
	{`echo "${§}"`, "WFC503", "without braces"},
	{`§() { echo; }`, "WFC503", "fixed name"},
	{`function § { echo; }`, "WFC503", "fixed name"},
	{`for § in 1 2; do echo; done`, "WFC503", "for item in §"},
	{`export §`, "WFC503", "export result=§"},
	{`declare "§=1"`, "WFC503", "declare result=§"},
	{`read -r §`, "WFC503", "declare -A"},
	{`printf -v § x`, "WFC503", "declare -A"},
	{`unset "§"`, "WFC503", "declare -A"},
	{`(( § = 5 ))`, "WFC503", "n=$(( § + 1 ))"},
	// A command that is one value.
	{`§`, "WFC504", "case § in"},
	{`"§" --flag`, "WFC504", "fixed commands"},
	{`sudo -u root §`, "WFC504", "fixed commands"},
	{`find . -exec § {} \;`, "WFC504", "fixed commands"},
	// Delimiters, ranges.
	{"cat <<§\nx\nEND", "WFC507", "cat <<< §"},
	{`echo {1..§}`, "WFC507", "i <= §"},
	// Program text.
	{`eval "echo §"`, "WFC510", "arrays"},
	{`bash -c "echo §"`, "WFC510", "as an argument"},
	{`sh -c 'echo §'`, "WFC510", "as an argument"},
	{`python3 -c "print('§')"`, "WFC510", "sys.argv[1]"},
	{`node -e "console.log('§')"`, "WFC510", "process.argv[1]"},
	{`node --eval="§"`, "WFC510", "process.argv[1]"},
	{`perl -e "§"`, "WFC510", "shift"},
	{`ruby -e "puts '§'"`, "WFC510", "ARGV[0]"},
	{`awk "/§/ {print}" f`, "WFC510", "ENVIRON"},
	{`sed "s/x/§/" f`, "WFC510", "${text//old/§}"},
	{`jq ".x = \"§\"" f`, "WFC510", "jq --arg value §"},
	{`sqlite3 db "select '§'"`, "WFC510", "readfile"},
	{`psql -d x -c "select '§'"`, "WFC510", "psql -v value=§"},
	{`trap "rm -rf §" EXIT`, "WFC510", "value=§; trap"},
	{`find . -exec sh -c "echo § {}" \;`, "WFC510", "as an argument"},
	{`env -i X=1 bash -c "§"`, "WFC510", "as an argument"},
	{`sudo -u root bash -c "§"`, "WFC510", "as an argument"},
	{`timeout 5 bash -c "§"`, "WFC510", "as an argument"},
	{`ls | xargs -n1 sh -c "echo §"`, "WFC510", "as an argument"},
	{`ssh host "deploy §"`, "WFC510", "printf '%q'"},
	{`docker exec -it box sh -c "§"`, "WFC510", "as an argument"},
	{`nice -n 5 sudo timeout 5 env X=1 bash -c "§"`, "WFC510", "as an argument"},
	// Program text from elsewhere.
	{"bash <<EOF\necho §\nEOF", "WFC510", "as an argument"},
	{"python3 <<'EOF'\nprint('§')\nEOF", "WFC510", "sys.argv"},
	{"psql db <<EOF\nselect '§';\nEOF", "WFC510", "psql -v"},
	{`bash <<< "§"`, "WFC510", "as an argument"},
	{`echo "§" | sudo sh`, "WFC510", "as an argument"},
	{"ssh host bash <<EOF\n§\nEOF", "WFC510", "as an argument"},
	{`source <(echo "x=§")`, "WFC510", "as an argument"},
	{`source §`, "WFC510", "case § in"},
	{`. "§"`, "WFC510", "fixed files"},
	{`bash §`, "WFC510", "fixed files"},
	// Through variables.
	{`x=§; eval "$x"`, "WFC510", "deploy"},
	{`x=§; y="run $x"; bash -c "$y"`, "WFC510", "as an argument"},
	{`f() { eval "$1"; }; f §`, "WFC510", "deploy"},
	{`x=§; $x --now`, "WFC504", "fixed commands"},
	{`x=§; echo "$x" | bash`, "WFC510", "as an argument"},
}

// workflowOf is a workflow in which an agent's answer stands in a script.
func workflowOf(script string) string {
	var b strings.Builder
	b.WriteString("name: refused\ndescription: One script.\nnodes:\n  - id: answer\n    prompt: Answer.\n  - id: act\n    depends_on: [answer]\n    bash: |\n")
	for line := range strings.Lines(script) {
		b.WriteString("      " + line)
	}
	return b.String() + "\n"
}

func compileText(t *testing.T, text string) *compiler.Result {
	t.Helper()
	dir := t.TempDir()
	return compiler.Compile(source.NewFile("refused.yaml", []byte(text)), compiler.Options{Path: dir + "/refused.yaml", Root: dir})
}

// Where a value would become code, a name or an expression, the workflow is
// refused once, in its place, with the safe form or a fix that works.
func TestRefusedPlaces(t *testing.T) {
	const hole = "$answer.output"
	for _, r := range refusals {
		script, help := strings.ReplaceAll(r.script, "§", hole), strings.ReplaceAll(r.help, "§", hole)
		text := workflowOf(script)
		result := compileText(t, text)
		var errors []*diag.Diagnostic
		for _, d := range result.Diagnostics {
			if d.Severity == diag.Error {
				errors = append(errors, d)
			}
		}
		if len(errors) != 1 || errors[0].Code.ID != r.code {
			t.Errorf("%s: %s, want one %s", script, describe(errors), r.code)
			continue
		}
		d := errors[0]
		if d.Span.Text() == "" || !strings.Contains(script, d.Span.Text()) {
			t.Errorf("%s: the finding is at %q", script, d.Span.Text())
		}
		if !strings.Contains(strings.Join(d.Help, "\n"), help) {
			t.Errorf("%s: the help is %q, want %q in it", script, d.Help, help)
		}
		for _, f := range d.Fixes {
			fixed := compileText(t, apply(text, f))
			if fixed.HasErrors() {
				t.Errorf("%s: after %q there is %s", script, f.Title, describe(fixed.Diagnostics))
			}
		}
	}
}

func describe(list []*diag.Diagnostic) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d findings", len(list))
	for _, d := range list {
		fmt.Fprintf(&b, "; %s %s", d.Code.ID, d.Message)
	}
	return b.String()
}

// apply makes the edits of a fix.
func apply(text string, f diag.Fix) string {
	edits := slices.Clone(f.Edits)
	slices.SortFunc(edits, func(a, b diag.Edit) int { return b.Span.Start - a.Span.Start })
	for _, e := range edits {
		text = text[:e.Span.Start] + e.New + text[e.Span.End:]
	}
	return text
}

// The safe forms that the findings name are taken without a word.
func TestSafeForms(t *testing.T) {
	for _, script := range []string{
		`bash -c 'echo "$1"' _ §`,
		`python3 -c 'import sys; print(sys.argv[1])' §`,
		`node -e 'console.log(process.argv[1])' -- §`,
		`VALUE=§ awk '$0 == ENVIRON["VALUE"]' f`,
		`text=x; echo "${text//old/§}"`,
		`jq --arg value § '.x = $value' f`,
		`value=§; trap 'rm -rf "$value"' EXIT`,
		`case § in test) make test ;; esac`,
		"declare -A by\nby[key]=§\necho \"${by[key]}\"",
		`for item in §; do echo "$item"; done`,
		`result=§; echo "$result"`,
		`cat <<< §`,
		"python3 - § <<'EOF'\nimport sys\nprint(sys.argv[1])\nEOF",
		`printf '%q\n' §`,
		`find . -name § -print`,
		`sudo -u root rm -- §`,
	} {
		text := strings.ReplaceAll(script, "§", "$answer.output")
		if result := compileText(t, workflowOf(text)); len(result.Diagnostics) > 0 {
			t.Errorf("%s: %s", text, describe(result.Diagnostics))
		}
	}
}
