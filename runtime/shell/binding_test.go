//go:build unix

package shell_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// nasty are values that break whatever splices them.
func nasty() map[string]string {
	return map[string]string{
		"empty":             "",
		"issue":             `'; touch pwned; "$(touch pwned)" \`,
		"trailing newlines": "a\n\n\n",
		"only newlines":     "\n\n",
		"quotes":            `'"` + "`" + `'\''"'"'`,
		"expansions":        "$HOME ${HOME} $(id) `id` $((1+1)) ~ * ? [a-z] {a,b}",
		"options":           "-n -e -- --help",
		"heredoc end":       "EOF\nEOF\ntouch pwned\n",
		"unicode":           "é 漢字 😀 \u2028",
		"half a character":  "\xc3",
		"not utf-8":         "\xff\xfe\xc3",
		"control":           "\x01\x7f\x1b[31m\r\t",
		"blanks":            "  a \t b  ",
		"backslashes":       `\\\n\t\0\`,
		"300 KiB":           strings.Repeat("0123456789abcde\n", 300*1024/16),
	}
}

// Every context writes the value to the file out, so that what arrives can be
// compared byte for byte.
var contexts = map[string]struct{ script, before, after string }{
	"printf":              {`printf %s "${V}" >out`, "", ""},
	"redirected builtin":  {`{ printf 'a %s b' "${V}"; } >out`, "a ", " b"},
	"here-string":         {`cat >out <<<"${V}"`, "", "\n"},
	"heredoc":             {"cat >out <<EOF\n<${V}>\nEOF", "<", ">\n"},
	"heredoc in function": {"f() {\ncat <<-EOF\n\t${V}\n\tEOF\n}\nf >out", "", "\n"},
	"assignment":          {`x=${V}; printf %s "$x" >out`, "", ""},
	"array":               {`a=("${V}" end); printf %s "${a[0]}" >out; [ "${a[1]}" = end ]`, "", ""},
	"case":                {`case "${V}" in "${V}") printf %s "${V}" >out;; esac`, "", ""},
	"condition":           {`[[ "${V}" == "${V}" ]] && printf %s "${V}" >out`, "", ""},
	"function argument":   {`f() { printf %s "$1" >out; }; f "${V}"`, "", ""},
	"default":             {`printf %s "${unset:-${V}}" >out`, "", ""},
	"pipe to a subshell":  {`printf %s "${V}" | ( cat >out )`, "", ""},
	"quoted neighbours":   {`printf %s 'a'"${V}"'b' >out`, "a", "b"},
	"strict":              {"#!/bin/bash\nset -euo pipefail\nprintf %s \"${V}\" >out", "", ""},
	"comment first":       {"# a comment\nprintf %s \"${V}\" >out", "", ""},
}

func TestValuesArriveUnchanged(t *testing.T) {
	for name, context := range contexts {
		t.Run(name, func(t *testing.T) {
			for kind, value := range nasty() {
				b := newBench(t)
				b.output(flow.Bash{Script: context.script, Bindings: bind("V", value, "after", "still here")})
				got, err := os.ReadFile(filepath.Join(b.work, "out"))
				if err != nil {
					t.Fatal(err)
				}
				if want := context.before + value + context.after; string(got) != want {
					t.Errorf("%s: %d bytes arrived, want %d: %.80q", kind, len(got), len(want), got)
				}
				if files, _ := os.ReadDir(b.work); len(files) != 1 {
					t.Errorf("%s: the script made %v", kind, files)
				}
				if left, _ := os.ReadDir(filepath.Join(b.dir, "bindings")); len(left) != 0 {
					t.Errorf("%s: left %v", kind, left)
				}
			}
		})
	}
}

func TestAnyValueArrives(t *testing.T) {
	b := newBench(t)
	rapid.Check(t, func(r *rapid.T) {
		values := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) string {
			return strings.ReplaceAll(string(rapid.SliceOf(rapid.Byte()).Draw(r, "bytes")), "\x00", "")
		}), 1, 4).Draw(r, "values")
		var payload flow.Bash
		want := ""
		for i, value := range values {
			name := fmt.Sprintf("V%d", i)
			payload.Bindings = append(payload.Bindings, flow.Binding{Name: name, Value: value})
			payload.Script += `printf '%s|' "${` + name + `}" >>out` + "\n"
			want += value + "|"
		}
		out := filepath.Join(b.work, "out")
		_ = os.Remove(out)
		b.output(payload)
		if got, _ := os.ReadFile(out); string(got) != want {
			r.Fatalf("got %q, want %q", got, want)
		}
	})
}

// The prelude leaves the shell as bash starts it.
func TestPreludeLeavesTheShellAlone(t *testing.T) {
	probe := `printf '[%s]' "$?" "$#" "$0" "$-" "$SHELLOPTS" "$BASHOPTS"; printf '%q' "$IFS"; declare -F; trap -p; echo "$LINENO ${#umlaut} $PPID $LC_ALL"
compgen -v | grep -v -e '^_' -e PIPESTATUS -e BASH_ARG -e '^V$' -e '^PPID$'; env | grep -c '^V='; caller; echo ${#V}`
	for name, extra := range map[string][]string{
		"plain":    nil,
		"posix":    {"POSIXLY_CORRECT=1"},
		"locale":   {"LC_ALL=C.UTF-8", "umlaut=é"},
		"exported": {"V=from the environment"},
		"function": {"BASH_FUNC_read%%=() { echo hijacked; }"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.environ = append(b.environ, extra...)
			probe := strings.ReplaceAll(probe, "$PPID", "")
			got := b.output(flow.Bash{Script: probe, Bindings: bind("V", "12345")})
			// Without bindings there is no prelude; V is then a plain variable.
			b.environ = append(b.environ, "V=")
			want := b.output(flow.Bash{Script: "unset V; V=12345; (exit 0); " + probe})
			if got != want {
				t.Errorf("with a prelude\n%s\nwithout\n%s", got, want)
			}
		})
	}
}

func TestPreludeKeepsLinesAndTraps(t *testing.T) {
	b := newBench(t)
	got := b.message(flow.Bash{Script: "trap 'echo err at $LINENO >&2' ERR\n\nset -e\nfalse", Bindings: bind("V", "a\nb\nc")})
	if want := "Bash node 'x' failed [exit 1]: err at 4"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPreludeDoesNotTouchTheUsersStartFile(t *testing.T) {
	b := newBench(t)
	file := filepath.Join(t.TempDir(), "start file")
	if err := os.WriteFile(file, []byte("started=yes; set -u\nread() { echo hijacked; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.environ = append(b.environ, "BASH_ENV="+file)
	got := b.output(flow.Bash{Script: `echo "$started $V $BASH_ENV"; bash -c 'echo "$started ${V:-none}"'`, Bindings: bind("V", "v")})
	if want := "yes v " + file + "\nyes none"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestValuesAreNotExported(t *testing.T) {
	b := newBench(t)
	b.environ = append(b.environ, "V=outer")
	got := b.output(flow.Bash{Script: `echo "$V"; bash -c 'echo "${V-none}"'`, Bindings: bind("V", "inner"), Env: []flow.Variable{{Name: "V", Value: "env"}}})
	if got != "inner\nnone" {
		t.Errorf("got %q", got)
	}
}

func TestBindingsFileIsPrivateAndRemoved(t *testing.T) {
	b := newBench(t)
	got := b.output(flow.Bash{Script: `ls -l "$RUN/bindings" | tail -1 | cut -c1-10`, Bindings: bind("V", "v"), Env: []flow.Variable{{Name: "RUN", Value: b.dir}}})
	if got != "-rw-------" {
		t.Errorf("mode %s", got)
	}
	b.perform(flow.Bash{Script: "exit 1", Bindings: bind("V", "v")})
	if left, _ := os.ReadDir(filepath.Join(b.dir, "bindings")); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestPathOfTheRunIsNoCode(t *testing.T) {
	b := newBench(t)
	b.dir = filepath.Join(b.dir, `it's $(touch pwned) "x"`)
	if got := b.output(flow.Bash{Script: `echo "$V"; ls`, Bindings: bind("V", "v")}); got != "v" {
		t.Errorf("got %q", got)
	}
}

func TestEnvironment(t *testing.T) {
	b := newBench(t)
	large := strings.Repeat("x", 300<<10)
	got := b.output(flow.Bash{
		Script: `echo "$A ${#B}"; bash -c 'echo "$A ${B-none}"'`,
		Env:    []flow.Variable{{Name: "A", Value: "it's; $(x)"}, {Name: "B", Value: large}},
	})
	if want := "it's; $(x) " + strconv.Itoa(len(large)) + "\nit's; $(x) none"; got != want {
		t.Errorf("got %q", got)
	}
	if got := b.message(flow.Bash{Script: `/bin/echo "$V"`, Bindings: bind("V", large)}); !strings.Contains(got, "Argument list too long") {
		t.Errorf("a value beyond the system's limit: %q", got)
	}
	many := make([]flow.Variable, 100)
	for i := range many {
		many[i] = flow.Variable{Name: fmt.Sprintf("M%d", i), Value: large[:90<<10]}
	}
	if got := b.message(flow.Bash{Script: "true", Env: many}); !strings.Contains(got, "environment together are larger than the system allows") {
		t.Errorf("got %q", got)
	}
}

func TestLargeScripts(t *testing.T) {
	b := newBench(t)
	script := "set -u; trap 'echo err $LINENO' ERR\n" + strings.Repeat(": 0123456789\n", 20000) + "false\necho \"$V $#\"\n"
	if got := b.output(flow.Bash{Script: script, Bindings: bind("V", "v")}); got != "err 20002\nv 0" {
		t.Errorf("got %q", got)
	}
	if got := b.output(flow.Bash{Script: strings.ReplaceAll(script, "$V ", "")}); got != "err 20002\n0" {
		t.Errorf("without bindings: got %q", got)
	}
	if left, _ := os.ReadDir(filepath.Join(b.dir, "bindings")); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestValuesThatNoVariableCanHold(t *testing.T) {
	for want, payload := range map[string]flow.Bash{
		"the value of $V contains a NUL byte":    {Script: "true", Bindings: bind("V", "a\x00b")},
		"the value of $E contains a NUL byte":    {Script: "true", Env: []flow.Variable{{Name: "E", Value: "\x00"}}},
		"`a b` cannot be the name of a shell":    {Script: "true", Bindings: bind("a b", "")},
		"`a=b` cannot be the name of an environ": {Script: "true", Env: []flow.Variable{{Name: "a=b"}}},
	} {
		if got := newBench(t).message(payload); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestIntegers(t *testing.T) {
	b := newBench(t)
	for value, want := range map[string]string{
		"0": "1", "41": "42", "-1": "0", "+1": "2", " 7\n": "8", "010": "11", "08": "9", "000": "1", "-0": "1",
		"9223372036854775806": "9223372036854775807",
	} {
		if got := b.output(flow.Bash{Script: `echo $(( ${V} + 1 ))`, Bindings: []flow.Binding{{Name: "V", Value: value, Integer: true}}}); got != want {
			t.Errorf("%q: got %s, want %s", value, got, want)
		}
	}
	for value, want := range map[string]string{
		"": "it is empty", "\n": "it is empty", "-": `it is "-"`, "1.5": `it is "1.5"`, "a[$(touch pwned)]": "it is", "x": "it is", "1 2": "it is",
		"0x10": "it is", "2#1": "it is", "٣": "it is", "1e3": "it is", "--1": "it is", "9223372036854775808": "does not fit into 64 bits",
	} {
		got := b.message(flow.Bash{Script: `echo $(( ${V} + 1 ))`, Bindings: []flow.Binding{{Name: "V", Value: value, Integer: true}}})
		if !strings.Contains(got, "the script calculates with $V, so it must be an integer: ") || !strings.Contains(got, want) {
			t.Errorf("%q: got %q", value, got)
		}
	}
}

func TestScriptDoesNotStartWithoutItsValues(t *testing.T) {
	b := newBench(t)
	file := filepath.Join(t.TempDir(), "start")
	for _, sabotage := range []string{`rm -r "$RUN/bindings"`, `for f in "$RUN"/bindings/*; do : >"$f"; done`} {
		if err := os.WriteFile(file, []byte(sabotage), 0o600); err != nil {
			t.Fatal(err)
		}
		b.environ = append(b.environ, "BASH_ENV="+file, "RUN="+b.dir)
		for _, test := range []bool{true, false} {
			r := b.perform(flow.Bash{Script: "touch pwned", Bindings: bind("V", "v"), Test: test})
			if r.Status != flow.Failed || r.Failure.ExitCode != 126 || !strings.Contains(r.Failure.Message, "the values for this script cannot be read") {
				t.Errorf("%s: got %+v", sabotage, r.Failure)
			}
		}
		if files, _ := os.ReadDir(b.work); len(files) != 0 {
			t.Errorf("%s: the script started", sabotage)
		}
	}
}
