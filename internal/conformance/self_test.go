package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A folder that is named must be there: nothing may pass because it did not
// run.
func TestNamedFoldersMustBeThere(t *testing.T) {
	here := t.TempDir()
	list := func(dirs ...string) string { return strings.Join(dirs, string(os.PathListSeparator)) }
	for _, setting := range []string{"", filepath.Join(here, "absent"), list(here, filepath.Join(here, "absent"))} {
		if folders, _, err := caseFolders(setting, true); err == nil {
			t.Errorf("%q names %q", setting, folders)
		}
	}
	folders, complete, err := caseFolders(list(here, "testdata/conformance"), true)
	if want := []string{here, ownCases}; err != nil || complete || !slices.Equal(folders, want) {
		t.Errorf("folders %q (complete: %v, %v), want %q", folders, complete, err, want)
	}
	if _, err := collect([]string{here}); err == nil {
		t.Error("an empty folder has cases")
	}
}

func TestVerdicts(t *testing.T) {
	known, err := parseDeviations([]byte(`
- {case: archon/g/listed, rule: law 1, got: "text: y"}
- {case: archon/g/never, rule: law 1, got: "text: y"}
- {class: wider conditions, rule: law 2}
- {class: ordering edge, rule: law 3}
`))
	if err != nil {
		t.Fatal(err)
	}
	other := []difference{{"text", "x", "y"}}
	wide := []difference{{"condition", unparsed, isTrue}}
	for _, tt := range []struct {
		name, op, input string
		diffs           []difference
		want            string
	}{
		{"free", "vars", `{}`, nil, agrees},
		{"free", "vars", `{}`, other, failed},
		{"listed", "vars", `{}`, other, deviates},
		{"listed", "vars", `{}`, []difference{{"text", "x", "z"}}, failed},
		{"listed", "vars", `{}`, nil, failed},
		{"class", "condition", `{"expr": "($a.output == 'x')"}`, wide, deviates},
		{"class", "condition", `{"expr": "$a.output != '(!)'"}`, wide, failed},
	} {
		c := &recorded{Group: "g", Name: tt.name, Op: tt.op, Input: []byte(tt.input), dialect: "archon"}
		if got, why := known.verdict(c, tt.diffs); got != tt.want {
			t.Errorf("%s %s with %v: %s (%s), want %s", tt.name, tt.input, tt.diffs, got, why, tt.want)
		}
	}
	if got, want := known.unused(), []string{"case archon/g/never", "class ordering edge"}; !slices.Equal(got, want) {
		t.Errorf("unused are %q, want %q", got, want)
	}
}

func TestDeviationsAreWhole(t *testing.T) {
	for _, text := range []string{
		"- {case: a, rule: law 1}", "- {case: a, got: b}", "- {rule: law 1, got: b}", "- {class: nothing, rule: law 1}",
		"- {class: ordering edge}", "- {class: ordering edge, case: a, rule: law 1, got: b}",
		"- &a {case: a, rule: law 1, got: b}\n- *a", "- [", "a: b",
	} {
		if _, err := parseDeviations([]byte(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
