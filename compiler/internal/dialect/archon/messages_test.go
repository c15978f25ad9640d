package archon_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/detect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// The messages with their advice; one line for each finding.
func TestMessages(t *testing.T) {
	tests := []struct{ yaml, want string }{
		{nodes("  - {id: a, bash: x, dependson: []}\n"), "unknown key `dependson` on a node | did you mean `depends_on`?"},
		{nodes("  - {id: a, bash: x, gate_message: g}\n"), "misplaced key `gate_message` on a node: it is ignored | move it: `gate_message` is valid under `loop:`"},
		{nodes("  - {id: a, bash: x, max_attempts: 2}\n"), "misplaced key `max_attempts` on a node: it is ignored | move it: `max_attempts` is valid under `approval.on_reject:` and under `retry:`"},
		{"timeout: 5\n" + nodes("  - {id: a, bash: x}\n"), "misplaced key `timeout` at the top of the file: it is ignored | move it: `timeout` is valid on a node and in a hook"},
		{nodes("  - {id: a, bash: x, trigger_rule: All_done}\n"), "`trigger_rule` must be `all_success`, `one_success`, `none_failed_min_one_success` or `all_done`, got `All_done` | did you mean `all_done`?"},
		{nodes("  - {id: a, prompt: x, retry: {max_attempts: 6}}\n"), "`retry.max_attempts` must be an integer from 1 to 5, got 6"},
		{nodes("  - {id: a, prompt: x, retry: {delay_ms: 2000}}\n"), "missing key `max_attempts` in `retry`"},
		{"name: 5\n" + strings.TrimPrefix(nodes("  - {id: a, bash: x}\n"), "name: w\n"), "`name` must be a string, got a number | put it in quotes: \"5\""},
		{"effort: much\n" + nodes("  - {id: a, prompt: x}\n"), "`effort` must be `minimal`, `low`, `medium`, `high`, `xhigh`, `max`, `ultra` or `persistent`, got `much`: it is ignored"},
		{nodes("  - {id: a, prompt: x, effort: ultra}\n"), "`claude` has no effort `ultra`: it gets `max`"},
		{nodes("  - {bash: x, prompt: y}\n"), "missing key `id` in the node\nnode number 1 has both `bash` and `prompt` | split it: a node does one thing"},
		{nodes("  - {id: build, bash: x}\n  - {id: b, bash: x, depends_on: [biuld]}\n"), "unknown node `biuld` in `depends_on` of `b` | did you mean `build`?"},
		{nodes("  - {id: b, bash: x, depends_on: [' a ']}\n  - {id: a, bash: x}\n"), "unknown node ` a ` in `depends_on` of `b` | did you mean `a`?"},
		{nodes("  - {id: a, bash: x, depends_on: [c]}\n  - {id: b, bash: x, depends_on: [a]}\n  - {id: c, bash: x, depends_on: [b, a]}\n  - {id: t, bash: x, depends_on: [c]}\n"), "nodes depend on each other: `a` -> `c` -> `a` | remove one of these dependencies"},
		{nodes("  - {id: a, include: x}\n"), "unknown workflow `x` | create a workflow file with `name: x` in `.archon/workflows`"},
		{nodes("  - {id: a, bash: x, model: m, effort: low}\n"), "`bash` nodes ignore agent options: `model`, `effort`"},
		{nodes("  - {id: a, prompt: x, provider: pi, hooks: {}}\n"), "`pi` does not support `hooks`: it is ignored | choose an agent that supports it: `claude` or `opencode`"},
		{"- x\n", "the top level must be a mapping of keys, got a list"},
		{"", "the file is empty | write a workflow, or let `wfc init TEMPLATE` write one; `wfc init --list` lists the templates"},
	}
	for _, test := range tests {
		_, list := lint(t, project(nil), test.yaml)
		var lines []string
		for _, d := range list {
			lines = append(lines, strings.Join(append([]string{d.Message}, d.Help...), " | "))
		}
		if got := strings.Join(lines, "\n"); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.yaml, got, test.want)
		}
	}
}

// The places that explain a finding besides its own.
func TestRelatedPlaces(t *testing.T) {
	_, list := lint(t, project(nil), nodes("  - {id: a, bash: x, depends_on: [b]}\n  - {id: b, bash: x, depends_on: [a]}\n  - {id: a, bash: x}\n"))
	var got []string
	for _, d := range list {
		for _, r := range d.Related {
			got = append(got, d.Code.Slug+": "+r.Text)
			if p := r.Span.Position(); p.Line < 4 || p.Line > 5 {
				t.Errorf("%s: line %d", r.Text, p.Line)
			}
		}
	}
	if want := "dependency-cycle: `b` waits for `a`, duplicate-name: first used here"; strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A fix that names a near key or value makes the file clean.
func TestFixes(t *testing.T) {
	for _, yaml := range []string{
		nodes("  - {id: a, bash: x, trigger_rul: all_done}\n"),
		nodes("  - {id: a, bash: x, always_run: yes}\n"),
		nodes("  - {id: a, bash: x}\n  - {id: b, bash: x, depends_on: a}\n"),
		nodes("  - {id: build, bash: x}\n  - {id: b, bash: x, depends_on: [biuld]}\n"),
		"name: 5\ndescription: d\nnodes:\n  - {id: a, bash: x}\n",
		nodes("  - {id: a, prompt: x, provider: cloude}\n"),
		nodes("  - {id: a, prompt: x, hooks: {preToolUse: []}}\n"),
	} {
		_, list := lint(t, project(nil), yaml)
		if len(list) != 1 || len(list[0].Fixes) != 1 {
			t.Errorf("%s: findings %q without one fix", yaml, findings(list))
			continue
		}
		edit := list[0].Fixes[0].Edits[0]
		mended := yaml[:edit.Span.Start] + edit.New + yaml[edit.Span.End:]
		if _, list := lint(t, project(nil), mended); len(list) > 0 {
			t.Errorf("the fix makes\n%s with %q", mended, findings(list))
		}
	}
}

func TestDetect(t *testing.T) {
	tests := []struct {
		yaml string
		want string
	}{
		{"name: w\ndescription: d\nnodes: []\n", "it has a name, a description and a list `nodes:`"},
		{"name: w\ndescription: d\nnodes: {a: {bash: x}}\n", "it has `nodes:` with an entry that has `bash`"},
		{"nodes: [{id: a, bash: x}]\n", "it has a list `nodes:` with an entry that has `id` and `bash`"},
		{"nodes: [{id: a, depends_on: [b]}]\n", "it has a list `nodes:` with an entry that has `id` and `depends_on`"},
		{"nodes: []\n", ""},
		{"nodes: {a: {bash: x}}\n", ""},
		{"nodes: {a: {}}\nedges: []\n", ""},
		{"steps: []\n", ""},
		{"[nodes]\n", ""},
		{"", ""},
	}
	for _, test := range tests {
		var bag diag.Bag
		doc := yamlsrc.Parse(source.NewFile("w.yaml", []byte(test.yaml)), &bag)
		ok, why := archon.Frontend{}.Detect(detect.Look{Root: doc.Root})
		if ok != (test.want != "") || why != test.want {
			t.Errorf("%q: %v, %q; want %q", test.yaml, ok, why, test.want)
		}
	}
}
