package archon_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// A field of a condition that is nearly output was meant as output, unless the node
// declares it.
func TestMisspeltOutput(t *testing.T) {
	const head = "  - {id: a, bash: echo}\n  - id: k\n    prompt: x\n    output_format: {type: object, properties: {outputs: {type: string}}, required: [outputs]}\n"
	for when, want := range map[string][]string{
		"$a.outptu == 'x'":                     {"warning misspelt-output $a.outptu"},
		"$a.Output == 'x'":                     {"warning misspelt-output $a.Output"},
		"$a.ouput != 'x' && $a.outputs == 'y'": {"warning misspelt-output $a.ouput", "warning misspelt-output $a.outputs"},
		"$a.output.outptu == 'x'":              nil,
		"$a.kind == 'x'":                       nil,
		"$k.outputs == 'x'":                    nil,
		"$k.outptu == 'x'":                     {"error no-such-field $k.outptu"},
	} {
		_, list := checked(t, nodes(head+"  - id: b\n    bash: echo\n    depends_on: [a, k]\n    when: "+when+"\n"))
		if got := findings(list); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", when, got, want)
		}
	}
	yaml := nodes(head + "  - {id: b, bash: echo, depends_on: [a], when: \"$a.outptu == 'x'\"}\n")
	_, list := resolved(t, yaml)
	if got := list[0].Fixes; len(got) != 1 || got[0].Edits[0].New != "output" || got[0].Edits[0].Span.Text() != "outptu" {
		t.Errorf("fixes %v", got)
	}
}

// A condition without anything in it is reported once, and is false.
func TestBlankConditions(t *testing.T) {
	for _, when := range []string{`""`, `''`, `"  "`, "|\n      \n", `"\t"`} {
		p, list := checked(t, nodes("  - id: a\n    bash: echo\n    when: "+when+"\n  - {id: b, bash: echo, depends_on: [a]}\n"))
		got := findings(list)
		if len(got) != 1 || !strings.HasPrefix(got[0], "warning blank-condition") {
			t.Errorf("%q: %q", when, got)
		}
		if p.Workflow.Body.All()[0].When == nil {
			t.Errorf("%q: the node always runs", when)
		}
	}
}

// In code of a prompt a node may show how others read it.
func TestItselfInCode(t *testing.T) {
	for _, c := range []struct {
		yaml string
		want []string
	}{
		{"  - id: a\n    prompt: Others read `$a.output` and `$a.output.x`.\n", nil},
		{"  - id: a\n    prompt: |\n      ```\n      $a.output\n      ```\n", nil},
		{"  - id: a\n    prompt: Others read $a.output.\n", []string{"error reference-order $a.output"}},
		{"  - id: a\n    loop: {prompt: 'Say DONE, `$a.output`', until: DONE, max_iterations: 2}\n", nil},
		{"  - id: a\n    bash: echo \"$a.output\"\n", []string{"error reference-order $a.output"}},
		// Other nodes are read in code too.
		{"  - id: b\n    bash: echo\n  - id: a\n    prompt: '`$b.output`'\n    depends_on: [b]\n", nil},
	} {
		p, list := checked(t, nodes(c.yaml))
		if got := findings(list, "shell-quoted-reference"); !slices.Equal(got, c.want) {
			t.Errorf("%s\ngot  %q\nwant %q", c.yaml, got, c.want)
		}
		if prompt, ok := p.Workflow.Body.All()[0].Action.(*ir.Prompt); ok && c.want == nil && len(prompt.Text.Holes()) > 0 {
			t.Errorf("%s has holes", c.yaml)
		}
	}
}

// Content between two lines of dashes is front matter if it is YAML settings.
func TestFrontMatter(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"---\ndescription: d\n---\nDo it\n", "Do it\n"},
		{"---\ndescription: d\nargument-hint: '[x]'\nallowed-tools:\n  - a\n---\nDo it\n", "Do it\n"},
		{"---\n# nothing\n---\nDo it\n", "Do it\n"},
		{"---\n---\nDo it\n", "Do it\n"},
		{"\ufeff---\r\na: b\r\n---\r\nDo it\r\n", "Do it\r\n"},
		{"---\nLook around.\n---\nThen act.\n", "---\nLook around.\n---\nThen act.\n"},
		{"---\n- one\n- two\n---\nThen act.\n", "---\n- one\n- two\n---\nThen act.\n"},
		{"---\na: [b\n---\nThen act.\n", "---\na: [b\n---\nThen act.\n"},
		{"---\na: b\nDo it\n", "---\na: b\nDo it\n"},
		{"Do it\n---\na: b\n---\n", "Do it\n---\na: b\n---\n"},
	} {
		p, list := lint(t, project(testkit.Memory{"commands/c.md": c.file}), nodes("  - {id: a, command: c}\n"))
		if len(list) > 0 {
			t.Errorf("%q: %q", c.file, findings(list))
		}
		if got := p.Workflow.Body.All()[0].Action.(*ir.Prompt).Text.Source.Value; got != c.want {
			t.Errorf("%q: got %q, want %q", c.file, got, c.want)
		}
	}
}

// The finding about a command that the original engine includes names its location.
func TestBundledCommands(t *testing.T) {
	for name, want := range map[string][]string{
		"archon-create-pr":  {"copy Archon's own commands, `.archon/commands/defaults`"},
		"archon-create-prr": {"copy Archon's `.archon/commands/defaults/archon-create-pr.md` to `", "archon-create-prr.md` if"},
		"implement":         {"copy Archon's `.archon/commands/defaults/archon-implement.md` to `", "implement.md` if"},
		"archon-of-later":   {"copy Archon's own commands, `.archon/commands/defaults`"},
		"my-own":            nil,
	} {
		_, list := lint(t, project(nil), nodes("  - {id: a, command: "+name+"}\n"))
		help := strings.Join(list[0].Help, "\n")
		if len(list[0].Fixes) > 0 {
			t.Errorf("%s: a fix to a name without a file: %+v", name, list[0].Fixes)
		}
		for _, w := range want {
			if !strings.Contains(help, w) {
				t.Errorf("%s: %q is not in %q", name, w, help)
			}
		}
		if want == nil && strings.Contains(help, "Archon") {
			t.Errorf("%s: %q", name, help)
		}
	}
	_, list := lint(t, project(testkit.Memory{".archon/commands/defaults/archon-create-pr.md": "Do it"}), nodes("  - {id: a, command: archon-create-pr}\n"))
	if len(list) > 0 {
		t.Errorf("a copy: %q", findings(list))
	}
}
