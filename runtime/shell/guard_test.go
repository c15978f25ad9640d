//go:build unix

package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// TestGuardValues runs a guarded script with texts that are integers to bash and
// with others.
func TestGuardValues(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct{ value, want string }{
		{"5", "6"}, {"-5", "-4"}, {"+5", "6"}, {" 7\n", "8"}, {"\t7 ", "8"}, {"", "1"}, {" \n", "1"}, {"010", "9"}, {"0x1F", "32"}, {"0XaB", "172"},
		{"10#08", "9"}, {"16#ff", "256"}, {"0", "1"}, {"9223372036854775806", "9223372036854775807"},
		{"08", ""}, {"1.5", ""}, {"1e3", ""}, {"abc", ""}, {"n", ""}, {"1 2", ""}, {"1+1", ""}, {"-", ""}, {"--5", ""}, {"0x", ""}, {"0xg", ""}, {"5\r", ""},
		{"x[$(touch pwned)]", ""}, {"$(touch pwned)", ""}, {"`touch pwned`", ""}, {"1;touch pwned", ""}, {"16#x[$(touch pwned)]", ""}, {"０", ""},
	} {
		for _, script := range []string{
			`{ __wfc_int n "${n-}" && echo $(( n + 1 )); }`,
			`echo $(( $(__wfc_num n "${n-}") + 1 ))`,
		} {
			r := b.perform(flow.Bash{Script: script, Bindings: []flow.Binding{{Name: "n", Value: c.value}}})
			switch {
			case c.want != "" && (r.Status != flow.Completed || r.Text != c.want):
				t.Errorf("%q: %s %q %+v, want %q\n%s", c.value, r.Status, r.Text, r.Failure, c.want, script)
			case c.want == "" && (r.Status != flow.Failed || r.Failure.Reason != process.ReasonValue || !strings.Contains(r.Failure.Message, "calculates with `$n`")):
				t.Errorf("%q: %s %q %+v, want a failure\n%s", c.value, r.Status, r.Text, r.Failure, script)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(b.work, "pwned")); err == nil {
		t.Error("a value was executed")
	}
}

// TestGuardNames runs a guard of names with strings that bash reads as names, with and
// without an evaluation that could run code.
func TestGuardNames(t *testing.T) {
	b := newBench(t)
	const setup = "declare -A keys; list=(1 2 3); i=2; bad='list[$(touch pwned)]'; "
	for name, want := range map[string]string{ // the kinds of guards that let it pass
		"x": "any fixed", "list[1]": "any fixed", "list[-1]": "any fixed", "list[@]": "any fixed", "list[i]": "any", "list[07]": "any fixed",
		"keys[a key]": "any fixed", "keys[i]": "any fixed", "x=1": "any fixed", "list[1]=x": "any fixed", "list+=x": "any fixed", "": "any fixed",
		"list[bad]": "", "list[$(touch pwned)]": "", "list[i+1]": "", "list[list[0]]": "", "keys[$(touch pwned)]": "", "keys[`touch pwned`]": "", "keys[a]b]": "",
		"$(touch pwned)": "", "a;b": "", "a b": "", "x[$(touch pwned)]=1": "",
	} {
		for _, kind := range []string{"any", "fixed"} {
			r := b.perform(flow.Bash{Script: setup + "{ __wfc_name " + kind + ` n "${n-}" && echo passed; }`, Bindings: []flow.Binding{{Name: "n", Value: name}}})
			switch passes := strings.Contains(want, kind); {
			case passes && (r.Status != flow.Completed || r.Text != "passed"):
				t.Errorf("%s %q: %s %+v", kind, name, r.Status, r.Failure)
			case !passes && (r.Status != flow.Failed || r.Failure.Reason != process.ReasonValue):
				t.Errorf("%s %q: %s %q %+v, want a failure", kind, name, r.Status, r.Text, r.Failure)
			case !passes && name == "a b" && !strings.Contains(r.Failure.Message, "uses `$n` as the name of a variable"):
				t.Error(r.Failure.Message)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(b.work, "pwned")); err == nil {
		t.Error("a name was executed")
	}
}

// TestGuardIsFinal runs guarded arithmetic where a script could swallow the
// failure: the node fails all the same, and what follows does not run.
func TestGuardIsFinal(t *testing.T) {
	const guarded = `{ __wfc_int n "${n-}" && (( n > 3 )); }`
	for name, script := range map[string]string{
		"or true":              guarded + " || true; touch after",
		"condition":            "if " + guarded + "; then :; else touch after; fi; touch after",
		"negated":              "! " + guarded + "; touch after",
		"loop":                 "while " + guarded + "; do :; done; touch after",
		"subshell":             "( " + guarded + " ) || true; sleep 5; touch after",
		"pipeline":             "echo x | " + guarded + " | cat; sleep 5; touch after",
		"command substitution": "x=$( " + guarded + " || true ); sleep 5; touch after",
		"in place":             `[[ a && $(__wfc_num n "${n-}") -gt 3 ]] || true; sleep 5; touch after`,
		"function":             "f() { " + guarded + "; }; f || true; touch after",
		"exit trap":            "trap 'exit 0' EXIT; " + guarded + "; touch after",
		"caught signal":        "trap 'exit 0' TERM; ( " + guarded + " ); sleep 5; touch after",
		"background":           guarded + " & wait; exit 0",
		"own exit":             guarded + "\nexit 0",
	} {
		b := newBench(t)
		r := b.perform(flow.Bash{Script: script, Bindings: []flow.Binding{{Name: "n", Value: "x[$(touch after)]"}}})
		if r.Status != flow.Failed || r.Failure.Reason != process.ReasonValue || !strings.Contains(r.Failure.Message, "line 1 calculates with `$n`") {
			t.Errorf("%s: %s %+v", name, r.Status, r.Failure)
		}
		if _, err := os.Stat(filepath.Join(b.work, "after")); err == nil {
			t.Errorf("%s: the script went on", name)
		}
	}
}

// TestGuardLines checks the line that a message names, and that cleaning up works.
func TestGuardLines(t *testing.T) {
	b := newBench(t)
	r := b.perform(flow.Bash{
		Script:   "trap 'touch cleaned' EXIT\nset -eu\nf() {\n  { __wfc_int 1 \"${1-}\" && (( $1 )); }\n}\nf \"$n\"",
		Bindings: []flow.Binding{{Name: "n", Value: "many"}},
	})
	if r.Status != flow.Failed || !strings.Contains(r.Failure.Message, "line 4 calculates with `$1`, so it must be an integer, but it is \"many\"") {
		t.Errorf("%+v", r.Failure)
	}
	if _, err := os.Stat(filepath.Join(b.work, "cleaned")); err != nil {
		t.Error("the trap did not run")
	}
	test := b.perform(flow.Bash{Script: `{ __wfc_int n "${n-}" && (( n )); }`, Test: true, Bindings: []flow.Binding{{Name: "n", Value: "x"}}})
	if test.Status != flow.Failed {
		t.Errorf("a test that calculates with a text is %s %q", test.Status, test.Text)
	}
}
