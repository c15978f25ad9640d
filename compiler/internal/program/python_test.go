//go:build unix

package program_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// TestMain puts the real python3 first on PATH: where it is found by a wrapper,
// that takes longer than all the rest.
func TestMain(m *testing.M) {
	testkit.SetSeed()
	if out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output(); err == nil {
		os.Setenv("PATH", filepath.Dir(strings.TrimSpace(string(out)))+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	os.Exit(m.Run())
}

var pythonRuns = runs{
	{"in a string", "import sys\nsys.stdout.write('k={{ v }}.')", "k=«v»."},
	{"every kind of string", "import sys\nw = sys.stdout.write\nw('{{ v }}|')\nw(\"{{ v }}|\")\nw('''{{ v }}|''')\nw(\"\"\"a\n{{ v }}|\"\"\")\nw(r'\\d{{ v }}|')\nw(f'{1}{{ v }}|{len(\"{{ w }}\")}')", "«v»|«v»|«v»|a\n«v»|\\d«v»|1«v»|1"},
	{"in code", "print(repr({{ n }} + 1), {{ yes }}, {{ no }} or 'no', type({{ list }}).__name__)", "4 True no list\n"},
	{"comment and white space", "import sys\n# {{ v }} it's\nsys.stdout.write('a  {{- v -}}  b{# {{ v }} #}')", "a«v»b"},
	{"branch of lines", "import sys\nif True:\n{% if yes %}    sys.stdout.write('{{ v }}')\n{% else %}    sys.stdout.write({{ w }}){% endif %}\n", "«v»"},
	{"branch in a string", "import sys\nsys.stdout.write('{a} {% if yes %}{{ v }}{% else %}{b}{% endif %}{% if no %}{{ v }}{% endif %}')", "{a} «v»"},
	{"string with holes in a branch that is not there", "import sys\nsys.stdout.write('{a}\\\\ {% if no %}{{ v }}{% endif %}')", "{a}\\ "},
	{"string with holes in a later branch", "import sys\nsys.stdout.write('{a}\\\\ {% if yes %}{b}{% else %}{{ v }}{% endif %}')", "{a}\\ {b}"},
	{"branch in code", "import sys\nsys.stdout.write({% if yes %}'{{ v }}'{% else %}'no'{% endif %} + {% if no %}'x'{% else %}'.'{% endif %})", "«v»."},
	{"loop of items", "import sys\nsys.stdout.write('|'.join([{% for x in list %}'{{ x }}', {% endfor %}]))", "a|«v»|c"},
	{"loop of lines", "import sys\nout = []\n{% for x in list %}out.append('''{{ x }}''')\n{% endfor %}sys.stdout.write('|'.join(out))", "a|«v»|c"},
	{"loop in a string", "import sys\nsys.stdout.write('''{% for x in list %}{{ x }};\n{% else %}none{% endfor %}''')", "a;\n«v»;\nc;\n"},
	{"set", "{% set x = v %}import sys\nsys.stdout.write('{{ x }}')", "«v»"},
	{"comment in a branch", "{% if yes %}# {{ v }} '''\n{% endif %}print('{{ w }}') # {% if yes %}{{ v }}{% endif %}", "w\n"},
}

func TestPython(t *testing.T) { pythonRuns.each(t, runPython) }

// TestPythonRefused has for each text the diagnostic and the text that it points at.
func TestPythonRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"print({% if yes %}'{{ v }}'){% else %}'b'){% endif %}", "WFC508 {% if yes %}"},
		{"print('a {% if yes %}b{{ v }}'{% else %}c'{% endif %})", "WFC508 {% if yes %}"},
		{"x = {% if yes %}'{% endif %}{{ v }}{% if yes %}'{% endif %}", "WFC508 {% if yes %}"},
		{"{% if yes %}# {% endif %}print('{{ v }}')", "WFC508 {% if yes %}"},
		{"{% for x in list %}f({{ x }}, {% endfor %}0)", "WFC508 {% for x in list %}"},
		{"{% if yes %}eval({{ v }}){% endif %}", "WFC510 {{ v }}"},
		{"{% if no %}{% else %}{{ v }}\n{% endif %}", "WFC504 {{ v }}"},
		{"{% if no %}x = b'{{ v }}'{% endif %}", "WFC507 {{ v }}"},
		{"x = 'never ends {% if yes %}{{ v }}\n{% endif %}", "WFC501 {{ v }}"},
		{"x = 1\ny = = {{ v }}\n", "WFC500 ="},
		{"x = '{{ v }}'\nprint('never ends)\n", "WFC500 '"},
		{"é = '{{ v }}' 'ü'; f('{{ v }}', 1 2)", "WFC500 1"},
		{"if {{ yes }}:\nprint('{{ v }}')\n", "WFC500 print"},
		{"{% if yes %}print('{{ v }}'){% else %}print '{{ v }}'{% endif %}", "WFC500 print"},
	} {
		p, found := python(t, c.text)
		if len(found) == 0 {
			t.Errorf("%s\npasses", c.text)
			continue
		}
		got := found[0].Code.ID + " " + found[0].Span.Text()
		same := got == c.want
		if found[0].Code.ID == "WFC500" {
			same = strings.HasPrefix(got, c.want) // versions differ in where a fault ends
		}
		if !same || len(found) > 1 {
			t.Errorf("%s\ngot  %s of %v\nwant %s", c.text, got, ids(found), c.want)
		}
		if found[0].Code.ID != "WFC500" && (p.Template != nil || p.Source != "") {
			t.Errorf("%s: there is a program", c.text)
		}
	}
}

// TestPythonTooComplex reports a script with more branches than can be analysed.
func TestPythonTooComplex(t *testing.T) {
	p, found := python(t, strings.Repeat("{% if yes %}print({{ v }}){% elif no %}{% elif yes %}", 60)+strings.Repeat("{% endif %}", 60))
	if len(found) != 1 || found[0].Code.ID != "WFC502" || p.Template != nil {
		t.Errorf("%v", ids(found))
	}
}

// TestPythonPasses accepts programs that are invalid in a case that may never
// occur.
func TestPythonPasses(t *testing.T) {
	for _, text := range []string{
		"if {{ yes }}:\n{% for x in list %}    print({{ x }})\n{% endfor %}",
		"{% if yes %}def f():\n{% else %}class C:\n{% endif %}    x = '{{ v }}'\n",
	} {
		_, found := python(t, text)
		clean(t, text, found)
	}
}
