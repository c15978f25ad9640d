package program_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/compiler/internal/program"
	"github.com/wfc-lang/wfc/compiler/internal/script"
	"github.com/wfc-lang/wfc/compiler/internal/shell"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// Binding the values of a template and then choosing its branches must come to
// the same as choosing the branches and then binding the values of the program
// that they make, whatever the branches.

// bashFragments are the parts of random programs; related ones are drawn more often
// than by chance.
var bashFragments = []string{
	"echo ", "printf '%s' ", `"`, `'`, " ", "\n", "; ", "$x", `\`, "#", "cat <<EOF\n", "cat <<'EOF'\n", "\nEOF\n", "$(", ")", "if true; then ", "; fi\n",
	"word", "${y:-", "}", "a=", "(( ", " ))", "x", "{{ v }}", "{{ v }}", `"{{ v }}"`, `'{{ v }}'`, `echo "{{ v }}"`, "for i in ", "; do ", "; done\n", "`", "| ", "$'",
}

// bashLines and pythonLines are whole, so that more programs can be read.
var bashLines = []string{
	"echo {{ v }}\n", "x=\"{{ v }}\"\n", "cat <<'EOF'\n$x {{ v }}\nEOF\n", "cat <<EOF\n'{{ v }}'\nEOF\n", "for i in {{ v }}; do printf '{{ v }}'; done\n",
	"if [ {{ v }} ]; then echo x{{ v }} # {{ v }}\nfi\n", "printf \"$(echo '{{ v }}')\" \\\n", "f() { echo -n \"{{ v }}\"; }\n",
}

var pythonLines = []string{
	"print({{ v }})\n", "x = '{{ v }}'\n", "y = f'{1} {{ v }}' # {{ v }}\n", "z = ['{a}', r'\\{{ v }}', {{ v }}]\n", "w = \"\"\"\n{{ v }}\n\"\"\"\n",
}

var pythonFragments = []string{
	"print(", ")", `"`, `'`, `'''`, " ", "\n", "; ", `\`, "#", "[", "]", "f'", "r'", "{", "}", "word", ", ", "x = ", "+ ", "{{ v }}", "{{ v }}", `"{{ v }}"`, `'{{ v }}'`, "f'{{ v }}{1}'", "    ", "if x:\n",
}

// drawTemplate draws a template of fragments and at most so many statements, few
// enough that all combinations of their branches are looked at.
func drawTemplate(t *rapid.T, lines, fragments []string, statements *int) string {
	var b strings.Builder
	draw := func() string { return drawTemplate(t, lines, fragments, statements) }
	for range rapid.IntRange(0, 5).Draw(t, "length") {
		kind := rapid.IntRange(0, 8).Draw(t, "kind")
		if kind < 3 && *statements > 0 {
			*statements--
		} else {
			kind = 3
		}
		switch kind {
		case 0:
			b.WriteString("{% if yes %}" + draw() + "{% else %}" + draw() + "{% endif %}")
		case 1:
			b.WriteString("{% if no %}" + draw() + "{% endif %}")
		case 2:
			b.WriteString("{% for x in list %}" + draw() + "{% endfor %}")
		default:
			if rapid.Bool().Draw(t, "line") {
				b.WriteString(rapid.SampledFrom(lines).Draw(t, "lines"))
				continue
			}
			b.WriteString(rapid.SampledFrom(fragments).Draw(t, "fragment"))
		}
	}
	return b.String()
}

// chosen is a template as it is when its branches are chosen.
type chosen struct {
	text  string
	holes []bind.Hole
	flags []string
}

// choose renders parts: with variables where values are bound, and with holes as
// they are written elsewhere.
func choose(c *chosen, source string, parts []template.Part, values map[string]value) {
	for _, p := range parts {
		switch p := p.(type) {
		case *template.Text:
			c.text += p.Value
		case *template.Hole:
			label := source[p.Start:p.End]
			c.holes = append(c.holes, bind.Hole{
				Start: len(c.text), End: len(c.text) + len(label), Name: "hole", Label: fmt.Sprint(label, len(c.holes)), Type: types.Text,
			})
			c.text += label
		case *template.Bound:
			c.text += p.Before + p.Name
			if p.Echoed {
				c.text += echoed
			}
			c.text += p.After
			c.flags = append(c.flags, flags(p.Words, p.Literal))
		case *template.If:
			if (&renderer{values: values}).value(p.Branches[0].Cond) == true {
				choose(c, source, p.Branches[0].Body, values)
			} else {
				choose(c, source, p.Else, values)
			}
		case *template.For:
			for range values["list"].([]string) {
				choose(c, source, p.Body, values)
			}
		}
	}
}

func flags(words, literal bool) string { return fmt.Sprint(words, literal) }

// echoed marks the variables that hold what echo needs, like the expansions that
// make it of the value: which of the two a hole has may depend on other forms.
const echoed = `//\\/\\\\`

// names are the names of variables.
var names = regexp.MustCompile(`(wfc_)?hole[a-z_0-9]*`)

// plain leaves out of a program what a form may have for the sake of another one:
// a here-document without quotes around its delimiter, a string that is an
// f-string; and the numbers of variables.
func plain(text string) string {
	text = regexp.MustCompile(`[fr]+(['"])`).ReplaceAllString(names.ReplaceAllString(text, "hole"), "$1")
	text = regexp.MustCompile(`[{}]+`).ReplaceAllStringFunc(text, func(braces string) string { return braces[:1] })
	return strings.NewReplacer("<<'EOF'", "<<EOF", `\`, "").Replace(text)
}

// commutes compares the two ways for all branches. rewrite binds the values of a
// program without statements; its result is false when it cannot be read.
func commutes(t *rapid.T, text string, before, after *template.Template, rewrite func(source.Text, []bind.Hole) (string, []string, bool)) {
	for n := range 12 {
		values := map[string]value{"yes": n%2 == 0, "no": n/2%2 == 0, "list": []string{"a", "b", "c"}[:n/4]}
		var late, early chosen
		choose(&late, before.Source.Value, before.Parts, values)
		choose(&early, after.Source.Value, after.Parts, values)
		want, wantFlags, ok := rewrite(source.PlainText(late.text), late.holes)
		if !ok {
			continue
		}
		got, want := plain(early.text), plain(want)
		if got != want || fmt.Sprint(early.flags) != fmt.Sprint(wantFlags) {
			t.Fatalf("%s\nwith %v\nbinds %s %v\nbut its program %s\nis bound as %s %v", text, values, got, early.flags, late.text, want, wantFlags)
		}
	}
}

// check checks more than is usual: most random programs are none.
func check(t *testing.T, property func(*rapid.T)) {
	for range 8 {
		rapid.Check(t, property)
	}
}

func quiet(string) shell.Verdict { return shell.Unknown }

func TestBashBindsAsItsPrograms(t *testing.T) {
	accepted := 0
	check(t, func(t *rapid.T) {
		statements := 3
		text := drawTemplate(t, bashLines, bashFragments, &statements)
		parsed := jinja.Template(source.PlainText(text), inputs{}, jinja.Options{}, &diag.Bag{})
		r := shell.NewRewriter(shell.Options{Echo: true, Check: quiet})
		p := program.Bash(r, parsed, func(string) string { return "hole" }, &diag.Bag{})
		if p.Template == nil {
			return
		}
		accepted++
		commutes(t, text, parsed, p.Template, func(text source.Text, holes []bind.Hole) (string, []string, bool) {
			var bag diag.Bag
			out := r.Rewrite(text, holes, &bag)
			if out == nil {
				for _, d := range bag.Sorted() {
					if d.Code.ID != "WFC500" && d.Code.ID != "WFC501" {
						t.Fatalf("%s\nhas a program with an error: %s\n%s %s", parsed.Source.Value, text.Value, d.Code.ID, d.Message)
					}
				}
				return "", nil, false
			}
			var list []string
			for _, b := range out.Bindings {
				list = append(list, flags(b.Words, false))
				if b.Echoed {
					out.Text = strings.ReplaceAll(out.Text, "${"+b.Name+"}", "${"+b.Name+echoed+"}")
				}
			}
			return out.Text, list, true
		})
	})
	t.Logf("%d templates were accepted", accepted)
}

func TestPythonBindsAsItsPrograms(t *testing.T) {
	accepted := 0
	check(t, func(t *rapid.T) {
		statements := 3
		text := drawTemplate(t, pythonLines, pythonFragments, &statements)
		parsed := jinja.Template(source.PlainText(text), inputs{}, jinja.Options{}, &diag.Bag{})
		p := program.Python(script.NewRewriter(script.Python), parsed, func(string) string { return "hole" }, &diag.Bag{})
		if p.Template == nil {
			return
		}
		accepted++
		commutes(t, text, parsed, p.Template, func(text source.Text, holes []bind.Hole) (string, []string, bool) {
			var bag diag.Bag
			out := script.Rewrite(script.Python, text, holes, &bag)
			if out == nil {
				for _, d := range bag.Sorted() {
					if d.Code.ID != "WFC501" {
						t.Fatalf("%s\nhas a program with an error: %s\n%s %s", parsed.Source.Value, text.Value, d.Code.ID, d.Message)
					}
				}
				return "", nil, false
			}
			var list []string
			for _, b := range out.Bindings {
				list = append(list, flags(false, b.Literal))
			}
			return out.Text, list, true
		})
	})
	t.Logf("%d templates were accepted", accepted)
}
