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

// What a class takes for a deviation is not looked at again, so it must not
// take others.
func TestClasses(t *testing.T) {
	const (
		bashRetry = header + "  - id: a\n    bash: x\n    retry: {max_attempts: 2}\n"
		askRetry  = header + "  - id: a\n    prompt: x\n    retry: {max_attempts: 2}\n"
		aside     = header + "  - id: a\n    bash: x\n  - id: b\n    bash: 'echo $a.output'\n"
		after     = aside + "    depends_on: [a]\n"
	)
	completed := []difference{{"status", "failed", "completed"}, {"node a", "failed", `completed ""`}}
	read := []difference{{"node b", `completed ""`, `completed "x"`}, {"summary", "", "x"}}
	lost := []difference{{"node b", `completed ""`, "failed"}}
	for _, tt := range []struct {
		class, op string
		input     any
		expect    string
		diffs     []difference
		want      bool
	}{
		{"retry on every type", "run", runCase{YAML: bashRetry}, "{}", completed, true},
		{"retry on every type", "run", runCase{YAML: askRetry}, "{}", completed, false},
		{"retry on every type", "run", runCase{YAML: askRetry}, "{}", []difference{{"prompts of a", "x x", "x"}}, false},
		{"retry on every type", "run", runCase{YAML: bashRetry}, "{}", completed[:1], false},
		{"ordering edge", "run", runCase{YAML: aside}, "{}", read, true},
		{"ordering edge", "run", runCase{YAML: after}, "{}", read, false},
		{"ordering edge", "run", runCase{YAML: aside}, "{}", read[1:], false},
		{"failed producer", "run", runCase{YAML: after}, `{"nodes": {"a": {"state": "failed"}}}`, lost, true},
		{"failed producer", "run", runCase{YAML: after}, `{"nodes": {"a": {"state": "completed"}}}`, lost, false},
		{"failed producer", "run", runCase{YAML: after}, `{"nodes": {"a": {"state": "failed"}}}`, read, false},
		{"failed producer", "refs", refsCase{Template: "$a.output", Outputs: map[string]producer{"a": {State: "failed"}}}, "{}", []difference{{"text", `""`, fails}}, true},
		{"failed producer", "refs", refsCase{Template: "$a.output", Outputs: map[string]producer{"a": {State: "completed"}}}, "{}", []difference{{"text", `""`, fails}}, false},
		{"quotes of the engine", "run", runCase{YAML: after}, "{}", []difference{{"node b", `completed "'x'"`, `completed "x"`}}, true},
		{"quotes of the engine", "run", runCase{YAML: after}, "{}", []difference{{"node b", `completed "'x'"`, `completed "y"`}}, false},
		{"quotes of the engine", "run", runCase{YAML: after}, "{}", []difference{{"node b", `completed "x"`, `completed "'x'"`}}, false},
		{"condition that cannot parse", "run", runCase{YAML: after}, "{}", []difference{{"compilation", "completed", "refused: condition-syntax"}}, true},
		{"condition that cannot parse", "run", runCase{YAML: after}, "{}", []difference{{"compilation", "completed", "refused: condition-syntax, node-action"}}, false},
		{"unsettled upstream", "trigger", triggerCase{Upstreams: map[string]string{"u": "pending"}}, `"run"`, []difference{{"rule", "run", "skip"}}, true},
		{"signal as a whole word", "signal", signalCase{"not DONE yet", "DONE"}, "false", []difference{{"word", "false", "true"}}, true},
		{"signal as a whole word", "signal", signalCase{"UNDONE", "DONE"}, "true", []difference{{"word", "true", "false"}}, true},
		{"signal as a whole word", "signal", signalCase{"UNDONE yet", "DONE"}, "false", []difference{{"word", "false", "true"}}, false},
		{"signal as a whole word", "signal", signalCase{"not DONE yet", "DONE"}, "false", []difference{{"strict", "false", "true"}}, false},
		{"quirks of replacing", "vars", varsCase{Template: "[$ARGUMENTS]"}, "{}", []difference{{"text", `"[cost $5]"`, `"[cost $$5]"`}}, true},
		{"quirks of replacing", "vars", varsCase{Template: "[$ARGUMENTS]"}, "{}", []difference{{"text", `"[a $ARGUMENTS b]"`, `"[a $& b]"`}}, true},
		{"quirks of replacing", "vars", varsCase{Template: "[$ARGUMENTS]"}, "{}", []difference{{"text", `"[cost 5]"`, `"[cost $$5]"`}}, false},
		{"quirks of replacing", "vars", varsCase{Template: "[$ARGUMENTS]"}, "{}", []difference{{"prompt", `"[cost $5]"`, `"[cost $$5]"`}}, false},
		{"unsettled upstream", "trigger", triggerCase{Upstreams: map[string]string{"u": "failed"}}, `"run"`, []difference{{"rule", "run", "skip"}}, false},
	} {
		c := &recorded{Group: "g", Name: "n", Op: tt.op, Input: []byte(jsonText(tt.input)), Expect: []byte(tt.expect), dialect: "archon"}
		if got := classes[tt.class](c, tt.diffs); got != tt.want {
			t.Errorf("class %s takes %s with %v: %v", tt.class, c.Input, tt.diffs, got)
		}
	}
}
