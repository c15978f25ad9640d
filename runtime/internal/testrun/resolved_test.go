package testrun

import (
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// TestResolvedScript: a script contains its values in every form that its author can write:
// as they are, as words of a shell, in quotes of the script, or as variables of the
// environment. Line ends do not count.
func TestResolvedScript(t *testing.T) {
	bindings := []flow.Binding{{Name: "a_output", Value: "it's"}, {Name: "a_output_2", Value: "two\nlines"}, {Name: "arguments", Value: "go"}}
	env := []flow.Variable{{Name: "ARGUMENTS", Value: "go"}, {Name: "LOG_DIR", Value: "/log"}}
	bash := resolvedScript(`echo "${a_output}" "x ${a_output_2} y" "${arguments}/f"`, bindings, env)
	for part, want := range map[string]bool{
		`echo it's x`:                            false, // the quotes of the script are there
		`echo it's "x two`:                       true,
		`echo "it's" "x two`:                     true,
		`echo 'it'\''s' "x two`:                  true,
		`echo "'it'\''s'" "x`:                    true,
		"\"x two\r\nlines y\"":                   true,
		`lines y" "$ARGUMENTS/f"`:                true,
		`lines y" "go/f"`:                        true,
		`two' y" "'go'/f"`:                       false,
		`lines' y" "'go'/f"`:                     true,
		`s`:                                      true,
		"":                                       true,
		"echo it's \"x two\nlines y\" \"go/f\"!": false,
	} {
		if got := bash.containsText(part); got != want {
			t.Errorf("bash contains %q: %v, want %v", part, got, want)
		}
	}
	if got, want := bash.String(), "echo \"it's\" \"x two\nlines y\" \"go/f\""; got != want {
		t.Errorf("bash is %q, want %q", got, want)
	}
	script := resolvedScript("log(wfc_a, `x ${wfc_a} y`, wfc_a_value, wfc_arguments)", []flow.Binding{{Name: "wfc_a", Value: "v"}, {Name: "wfc_a_value", Value: "[1]", Literal: true}, {Name: "wfc_arguments", Value: "go"}}, env)
	for part, want := range map[string]bool{
		"log('v', `x v y`, [1], go)":             true,
		"log(\"v\", `x v y`, [1], '$ARGUMENTS')": true,
		"log(v":                                  true,
		"wfc_a":                                  false,
		"[1], 'v":                                false,
	} {
		if got := script.containsText(part); got != want {
			t.Errorf("the script contains %q: %v, want %v", part, got, want)
		}
	}
	if plain := resolvedScript("echo", nil, nil); !plain.containsText("ech") || plain.containsText("echoo") {
		t.Error("a script without values contains its text")
	}
}
