//go:build unix

package program_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/template"
)

var bashRuns = runs{
	{"plain", `echo "k={{ v }}"`, "k=«v»\n"},
	{"comment and white space", "echo \"a {# nothing {{ v }} #}b  \n  {{- v -}}  \n c\"{# end #}", "a b«v»c\n"},
	{"raw", `echo '{% raw %}{{ v }}{% endraw %} {{ v }}'`, "{{ v }} «v»\n"},
	{"branch of commands", `{% if yes %}echo "yes {{ v }}"{% else %}echo "no {{ v }}"{% endif %}`, "yes «v»\n"},
	{"other branch", `{% if no %}echo "yes {{ v }}"{% elif no %}false{% else %}echo "no {{ v }}"{% endif %}`, "no «v»\n"},
	{"branch left out", "{% if no %}\necho \"yes {{ v }}\"\n{% endif %}echo end", "end\n"},
	{"argument", `printf '%s.' {% if yes %}-x {{ v }}{% endif %} "{{ w }}"`, "-x.«v».w."},
	{"prefix", `{% if yes %}command {% endif %}echo x{{ v }}`, "x«v»\n"},
	{"assignment", `x={% if yes %}{{ v }}{% else %}{{ w }}{% endif %}; printf '%s.' "$x"`, "«v»."},
	{"inside quotes", `echo "a {% if yes %}{{ v }} {% endif %}{% if no %}{{ w }}{% endif %}b"`, "a «v» b\n"},
	{"beginning of an argument of echo", `echo "{% if no %}a {% endif %}{{ v }}"; echo {% if yes %}-n{% endif %} {{ v }}`, "«v»\n«v»"},
	{"inside single quotes", `echo 'a {% if yes %}"{{ v }}"{% else %}$x{% endif %} $b'`, "a \"«v»\" $b\n"},
	{"loop of commands", "{% for x in list %}printf '%s.' {{ x }}\n{% endfor %}", "a.«v».c."},
	{"loop in quotes", `echo "{% for x in list %}<{{ x }}>{% else %}none{% endfor %}"`, "<a><«v»><c>\n"},
	{"loop in arguments", `printf '%s.' {% for x in list %}{{ x }} {% endfor %}end`, "a.«v».c.end."},
	{"heredoc", "cat <<EOF\n{% for x in list %}- {{ x }} $HOMELESS\n{% endfor %}EOF\n", "- a \n- «v» \n- c \n"},
	{"quoted heredoc", "cat <<'EOF'\n$x \\ {% for x in list %}`{{ x }}`\n{% endfor %}{% if no %}{{ v }}{% endif %}$(y)\nEOF\n", "$x \\ `a`\n`«v»`\n`c`\n$(y)\n"},
	{"quoted heredoc, holes in one branch", "cat <<'EOF'\n$x\n{% if no %}{{ v }}{% else %}\\$y{% endif %}\nEOF\necho {{ w }}\n", "$x\n\\$y\nw\n"},
	{"quoted heredoc, holes in a later branch", "cat <<'EOF'\n$x\n{% if yes %}\\$y{% else %}{{ v }}{% endif %}\nEOF\n", "$x\n\\$y\n"},
	{"heredoc in a body", "{% for x in list %}cat <<'EOF'\n{{ x }}$\nEOF\n{% endfor %}", "a$\n«v»$\nc$\n"},
	{"set", "{% set x = v %}{% set y %}<{{ v }}>{% endset %}echo \"{{ x }}\" '{{ y }}'", "«v» <«v»>\n"},
	{"with", `{% with x = v %}echo "{{ x }}"{% endwith %}`, "«v»\n"},
	{"nested", "{% for x in list %}{% if yes %}{% for y in list %}{% endfor %}echo \"{{ x }}{{ x }}\"{% endif %}\n{% endfor %}", "aa\n«v»«v»\ncc\n"},
	{"comment of the script", "{% if yes %}# {{ v }} it's\n{% endif %}echo {{ w }} # {{ v }}", "w\n"},
	{"after a backslash", `printf '%s.' "\\{% if yes %}{{ v }}{% endif %}"`, `\«v».`},
	{"if of the script", "if {% if yes %}true{% else %}false{% endif %}; then\n{% if yes %}printf '%s.' {{ v }}{% else %}:{% endif %}\n{% if yes %}else printf '%s' {{ v }}{% endif %}\nfi", "«v»."},
	{"arithmetic", "total={{ n }}\n{% if yes %}total=$((total + {{ n }})){% endif %}\necho \"total=$total $((RANDOM * 0))\"", "total=6 0\n"},
	{"loop of words", "{% if yes %}for x in {{ w }} b; do echo \"$x {{ v }}\"; done{% endif %}", "w «v»\nb «v»\n"},
}

func TestBash(t *testing.T) { bashRuns.each(t, runBash) }

// TestBashManyBranches analyses more branches than can be analysed in all
// combinations.
func TestBashManyBranches(t *testing.T) {
	var text strings.Builder
	for range 40 {
		text.WriteString("{% if yes %}printf '%s.' {{ v }}\n{% elif no %}{% for x in list %}echo '{{ x }}'\n{% endfor %}{% endif %}")
	}
	runs{{"many", text.String(), strings.Repeat("«v».", 40)}}.each(t, runBash)
	p, found := bash(t, text.String()+"{% if no %}{% elif no %}eval {{ w }}{% endif %}")
	if p.Template != nil || len(found) != 1 || found[0].Code.ID != "WFC510" {
		t.Errorf("a sink in the last of many branches: %v", ids(found))
	}
	_, found = bash(t, strings.Repeat("{% if yes %}{% if yes %}{% if yes %}{{ v }}{% else %}{% endif %}{% endif %}", 20)+strings.Repeat("{% endif %}", 20))
	if !slices.Equal(ids(found), []string{"WFC504"}) {
		t.Errorf("deep: %v", ids(found))
	}
}

// TestBashTooComplex reports a script with more branches than can be analysed.
func TestBashTooComplex(t *testing.T) {
	p, found := bash(t, strings.Repeat("{% if yes %}echo {{ v }};{% elif no %}{% elif yes %}", 60)+strings.Repeat("{% endif %}", 60))
	if len(found) != 1 || found[0].Code.ID != "WFC502" || p.Template != nil {
		t.Errorf("%v", ids(found))
	}
}

func ids(list []*diag.Diagnostic) []string {
	var ids []string
	for _, d := range list {
		ids = append(ids, d.Code.ID)
	}
	return ids
}

// TestBashRefused has for each text the diagnostic and the text that it points at.
func TestBashRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`echo {% if yes %}"a {% endif %}{{ v }}{% if yes %}"{% endif %}`, "WFC508 {% if yes %}"},
		{`echo "{% if yes %}a" {{ v }}{% else %}"{% endif %}`, "WFC508 {% if yes %}"},
		{"{% if yes %}if true; then{% else %}if false; then{% endif %} echo {{ v }}; fi", "WFC508 {% if yes %}"},
		{"cat {% if yes %}<<EOF{% endif %}\n{{ v }}\nEOF\n", "WFC508 {% if yes %}"},
		{"cat <<EOF\n{% if yes %}{{ v }}\nEOF\n{% endif %}\n", "WFC508 {% if yes %}"},
		{"{% for x in list %}cat <<EOF\n{% endfor %}{{ v }}\nEOF\n", "WFC508 {% for x in list %}"},
		{"{% if yes %}# {% endif %}{{ v }} x", "WFC508 {% if yes %}"},
		{"{% if yes %}# {% endif %}printf {{ v }} x", "WFC508 {% if yes %}"},
		{"x={% if yes %}${y:-{% endif %}{{ v }}{% if yes %}}{% endif %}", "WFC508 {% if yes %}"},
		{"{% if yes %}eval{% else %}printf{% endif %} {{ v }}", "WFC510 {{ v }}"},
		{"{% if no %}printf {% endif %}{{ v }}", "WFC504 {{ v }}"},
		{"{% for x in list %}eval \"$y\"; y={{ x }}; {% endfor %}", "WFC510 $y"},
		{"{% if yes %}echo {{ v }}{% endif %}; if", "WFC500 i"},
		{"{% if yes %}echo {{ v }} ){% endif %}", "WFC500 )"},
		{"{% for x in list %}{{ x }}=1; {% endfor %}", "WFC503 {{ x }}"},
		{"echo $(( {% if yes %}{{ yes }}{% else %}{{ n }}{% endif %} ))", "WFC520 {{ yes }}"},
		{`printf \{% if yes %}{{ v }}{% else %}y{% endif %}`, "WFC508 {% if yes %}"},
		{"echo `cat <<'EOF'\n{% if yes %}{{ v }}{% endif %}\nEOF\n`", "WFC507 {{ v }}"},
	} {
		p, found := bash(t, c.text)
		if len(found) == 0 {
			t.Errorf("%s\npasses", c.text)
			continue
		}
		if got := found[0].Code.ID + " " + found[0].Span.Text(); got != c.want || len(found) > 1 || p.Template != nil {
			t.Errorf("%s\ngot  %s of %v\nwant %s", c.text, got, ids(found), c.want)
		}
	}
}

// TestBashPasses are scripts that may be no script at all in some case, which is
// for their author to know.
func TestBashPasses(t *testing.T) {
	for _, text := range []string{
		"if true; then {% for x in list %}echo {{ x }}; {% endfor %} fi",
		"case {{ v }} in {% for x in list %}{{ x }}) echo 1;; {% endfor %}esac",
		"{% if yes %}if true; then echo {{ v }}; fi{% endif %}",
		"f() {\n{% if yes %}  echo {{ v }}\n{% endif %}}\n",
	} {
		p, found := bash(t, text)
		clean(t, text, found)
		if p.Template == nil || p.Script != "" {
			t.Errorf("%s: %+v", text, p)
		}
	}
}

// TestNames gives each hole a separate variable, none of which can be another's
// with a number behind it.
func TestNames(t *testing.T) {
	p, found := bash(t, "v_i=1; x=2 deploy {% for x in list %}{{ v }}{{ v }}{{ x }}{% endfor %}{{ v }}{{ v }} {% for x in list %}{{ v }}{% endfor %}")
	clean(t, "", found)
	var names []string
	template.WalkParts(p.Template.Parts, func(p template.Part) bool {
		if b, ok := p.(*template.Bound); ok {
			names = append(names, b.Name)
		}
		return true
	})
	if want := []string{"v_ii", "v_iii", "x_i", "v", "v_2", "v_iiii"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
