package shell

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/types"
)

// templateHoles takes `{{ … }}` for holes. Names that begin with n are of type int.
func templateHoles(src string) []Hole {
	var holes []Hole
	for at := 0; ; {
		start := strings.Index(src[at:], "{{")
		if start < 0 {
			return holes
		}
		start += at
		at = start + strings.Index(src[start:], "}}") + 2
		h := Hole{Start: start, End: at, Label: src[start:at], Type: types.Text}
		h.Name = strings.Trim(h.Label, "{} ")
		if h.Name[0] == 'n' {
			h.Type = types.Int
		}
		holes = append(holes, h)
	}
}

func rewriteTemplate(src string) (*Script, []*diag.Diagnostic) {
	var bag diag.Bag
	file := source.NewFile("flow.yml", []byte(src))
	out := (Options{Echo: true}).Rewrite(source.FileText(file, 0, len(src)), templateHoles(src), &bag)
	return out, bag.Sorted()
}

func mustRewriteTemplate(t *testing.T, src string) *Script {
	t.Helper()
	out, found := rewriteTemplate(src)
	for _, d := range found {
		t.Fatalf("%s\n%s at %q: %s", src, d.Code, d.Span.Text(), d.Message)
	}
	return out
}

// echoes are scripts whose echo interprets backslashes; want has «v» where the
// value must come out.
var echoes = []struct{ name, script, want string }{
	{"double", `echo "a\t{{ v }}\\\\b"`, "a\t«v»\\b\n"},
	{"bare", `echo {{ v }} x={{ v }}#1`, "«v» x=«v»#1\n"},
	{"single", `echo 'a {{ v }}\tb'`, "a «v»\tb\n"},
	{"ansi", `echo $'a {{ v }}\\tb'`, "a «v»\tb\n"},
	{"pipeline", `echo "k={{ v }}" | cat`, "k=«v»\n"},
	{"subshell", `(echo "k={{ v }}"; printf '%s\n' {{ v }})`, "k=«v»\n«v»\n"},
	{"function", `f() { local x; echo "k={{ v }}"; }; f`, "k=«v»\n"},
	{"substitution", `x="$(echo "<{{ v }}>")"; printf '%s.' "$x"`, "<«v»>."},
	{"backquotes", "x=\"`echo \"<{{ v }}>\"`\"; printf '%s.' \"$x\"", "<«v»>."},
	{"backquotes in backquotes", "printf '%s.' \"`printf '%s' \\`echo x\\\\\"{{ v }}\\\\\"x | tr -d '[:space:]' | wc -l\\``\"", "0."},
	{"builtin", `builtin echo "k={{ v }}"; command -p echo "k={{ v }}"`, "k=«v»\nk=«v»\n"},
	{"options", `echo -n "{{ v }}x"; echo -nE "{{ v }}x"; echo -E -e "{{ v }}x"`, "«v»x«v»x«v»x\n"},
	{"option or not", `echo {{ v }}; echo "{{ v }}x" {{ v }}; echo -n '{{ v }}'; echo -e $'{{ v }}'; echo x {{ v }}`, "«v»\n«v»x «v»\n«v»«v»\nx «v»\n"},
	{"alternative", `echo "x${u:-{{ v }}}" "${u-'{{ v }}'}"; x=1; echo "${x/1/<{{ v }}>}"`, "x«v» '«v»'\n<«v»>\n"},
	{"pattern", `x='{{ v }}end'; x=${x//\\/}; printf -v y '%s' '{{ v }}'; y=${y//\\/}; echo "<${x#"$y"}>"`, "<end>\n"},
	{"after variable", `x=1; echo "$x{{ v }}"`, "1«v»\n"},
	{"after dollar", `echo "${{ v }}"`, "$«v»\n"},
	{"after backslash", `echo "\\{{ v }}\{{ v }}" '\{{ v }}\\{{ v }}' \\{{ v }}\{{ v }}`, "\\«v»\\«v» \\«v»\\«v» \\«v»«v»\n"},
	{"printf", `printf '%s\n' "{{ v }}"`, "«v»\n"},
	{"heredoc", "cat <<'EOF'\n$x {{ v }} \\t\nEOF\n", "$x «v» \\t\n"},
	{"own function", `echo() { printf '[%s]' "$@"; }; echo "{{ v }}"; builtin echo "{{ v }}"`, "[«v»]«v»\n"},
	{"turned off", `shopt -u xpg_echo; echo "a\t{{ v }}"`, "a\\t«v»\n"},
	{"assignment before", `X="{{ v }}" command echo "{{ v }}"`, "«v»\n"},
	{"redirection", `echo "{{ v }}" > "out"; cat out`, "«v»\n"},
	{"condition", `if [ -n "x{{ v }}" ]; then echo "yes {{ v }}"; else echo "no"; fi`, "yes «v»\n"},
	{"case", `case "{{ v }}" in "{{ v }}") echo "is {{ v }}";; esac`, "is «v»\n"},
}

func TestEcho(t *testing.T) {
	names := append(slices.Sorted(maps.Keys(nasty)), "an option", "options", "a number")
	values := make([]string, len(names))
	for i, name := range names {
		values[i] = nasty[name]
	}
	copy(values[len(nasty):], []string{"-n", "-neE", "-5"})
	for _, c := range echoes {
		t.Run(c.name, func(t *testing.T) {
			s := mustRewriteTemplate(t, c.script)
			for i, r := range runAfter(t, "shopt -s xpg_echo\n", s, values) {
				want := strings.ReplaceAll(c.want, "«v»", values[i])
				if strings.Contains(c.script, "$(") || strings.Contains(c.script, "`") {
					want = strings.ReplaceAll(want, "\x00", "")
				}
				if r.stdout != want {
					t.Errorf("%s\nbecame %s\nwith %s:\ngot  %q\nwant %q", c.script, s.Text, names[i], r.stdout, want)
				}
			}
		})
	}
}

// TestEchoOfNumbers leaves a value as it is that has no backslashes and is no option.
func TestEchoOfNumbers(t *testing.T) {
	s := mustRewriteTemplate(t, `echo {{ n }} "is={{ n }} \\\\{{ n }}"`)
	if want := `echo "${n}" "is=${n} \\\\${n}"`; s.Text != want {
		t.Errorf("got  %s\nwant %s", s.Text, want)
	}
	values := []string{"-5", "7"}
	for i, r := range runAfter(t, "shopt -s xpg_echo\n", s, values) {
		if n := values[i]; r.stdout != n+" is="+n+` \`+n+"\n" {
			t.Errorf("%s: %q", n, r.stdout)
		}
	}
}

// TestLoopWords splits bare holes of a loop's list at white space, and nothing
// else; file names are not looked for.
func TestLoopWords(t *testing.T) {
	values := []string{"a b\tc\nd\n", "", "  ", "* ?", `"a b" \n 'c'`, "$(touch pwned) `x` $HOME", "one", "é 日本"}
	for script, want := range map[string]func(words []string, value string) string{
		`for x in {{ v }}; do printf '<%s>' "$x"; done`: func(words []string, _ string) string {
			return "<" + strings.Join(words, "><") + ">"
		},
		`for x in a {{ v }} b; do printf '<%s>' "$x"; done`: func(words []string, _ string) string {
			return "<" + strings.Join(append(append([]string{"a"}, words...), "b"), "><") + ">"
		},
		`IFS=,; touch out; for x in {{ v }} o*; do printf '<%s>' "$x"; done`: func(words []string, _ string) string {
			return "<" + strings.Join(append(slices.Clone(words), "out"), "><") + ">"
		},
		`for x in "{{ v }}" '{{ v }}'; do printf '<%s>' "$x"; done`: func(_ []string, value string) string {
			return "<" + value + "><" + value + ">"
		},
		`set -u; for x in p/{{ v }}/s; do printf '<%s>' "$x"; done`: func(words []string, _ string) string {
			if len(words) == 0 {
				words = []string{""}
			}
			words = slices.Clone(words)
			words[0] = "p/" + words[0]
			words[len(words)-1] += "/s"
			return "<" + strings.Join(words, "><") + ">"
		},
	} {
		s := mustRewriteTemplate(t, script)
		for i, r := range runAll(t, s, values) {
			words := strings.Fields(values[i])
			expected := want(words, values[i])
			if len(words) == 0 && expected == "<>" {
				expected = ""
			}
			if r.stdout != expected {
				t.Errorf("%s\nbecame %s\nwith %q:\ngot  %q\nwant %q", script, s.Text, values[i], r.stdout, expected)
			}
		}
	}
}

// TestLoopWordsApart keeps the words of a value apart from its text.
func TestLoopWordsApart(t *testing.T) {
	s := mustRewriteTemplate(t, `for x in {{ v }}; do echo "$x of {{ v }}"; done`)
	if len(s.Bindings) != 2 || !s.Bindings[0].Words || s.Bindings[1].Words || s.Bindings[0].Name == s.Bindings[1].Name {
		t.Errorf("%+v", s.Bindings)
	}
}
