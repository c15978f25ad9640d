package program_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/compiler/internal/program"
	"github.com/wfc-lang/wfc/compiler/internal/script"
	"github.com/wfc-lang/wfc/compiler/internal/shell"
	"github.com/wfc-lang/wfc/compiler/source"
)

// FuzzPrograms makes programs of any template: with a fault reported or with a
// program, and without a panic.
func FuzzPrograms(f *testing.F) {
	for _, seed := range []string{
		"echo {% if yes %}\"{{ v }}\"{% else %}'{{ w }}'{% endif %}", "{% for x in list %}cat <<'EOF'\n{{ x }}\nEOF\n{% endfor %}",
		"print('{% for x in list %}{{ x }}\\N{DASH}{% endfor %}')", "{%- set x = v -%} {{ x }} {# c #}", "`{% if no %}\\\\{{ v }}`{% endif %}",
		"f'{ {{ v }}{% if yes %}!r}' {% endif %}#", "{% if yes %}{% endif %}{% with x = v %}${{ x }}{% endwith %}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed := jinja.Template(source.PlainText(text), inputs{}, jinja.Options{}, &diag.Bag{})
		var bag diag.Bag
		b := program.Bash(shell.NewRewriter(shell.Options{Echo: true, Check: quiet}), parsed, holeName, &bag)
		if diag.HasErrors(bag.Sorted()) != (b.Template == nil && b.Script == "") && text != "" && parsed.Statements() {
			t.Errorf("bash: %v and %+v", ids(bag.Sorted()), b)
		}
		var found diag.Bag
		r := script.NewRewriter(script.Python)
		r.Ask = func([]string) []*script.Fault { return nil }
		p := program.Python(r, parsed, holeName, &found)
		if diag.HasErrors(found.Sorted()) != (p.Template == nil && p.Source == "") && text != "" && parsed.Statements() {
			t.Errorf("python: %v and %+v", ids(found.Sorted()), p)
		}
		r.Check(&found)
	})
}
