package dialect_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/check"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// files are the project's files by path.
type files map[string]string

func (f files) Read(path string) ([]byte, error) {
	for name, content := range f {
		if strings.HasSuffix(path, name) {
			return []byte(content), nil
		}
	}
	return nil, errNotThere{}
}

func (f files) List(dir string) []string {
	var names []string
	for name := range f {
		if folder, base, _ := strings.Cut(name, "/"); strings.HasSuffix(dir, folder) && !strings.Contains(dir, ".archon") {
			names = append(names, base)
		}
	}
	return names
}

type errNotThere struct{}

func (errNotThere) Error() string { return "not there" }

func program(t *testing.T, name, yaml string, f files) *ir.Program {
	t.Helper()
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile(name, []byte(yaml)), &bag)
	p := archon.Frontend{}.Compile(doc, &dialect.Env{Root: "/repo", Dir: "/repo", Files: f}, &bag)
	if p == nil || bag.HasErrors() {
		t.Fatalf("%s\n%s", yaml, bag.Sorted()[0].Message)
	}
	return p
}

const workflow = `name: w
description: d
nodes:
  - id: fetch
    bash: |
      cat issue.txt
  - id: classify
    prompt: Classify $fetch.output
    depends_on: [fetch]
    output_format:
      type: object
      properties:
        kind: {type: string, enum: [bug, feature]}
      required: [kind]
  - id: fix
    command: fix
    depends_on: [classify]
    when: $classify.output.kind == 'bug'
    retry: {max_attempts: 2}
`

var commands = files{"commands/fix.md": "Fix $fetch.output"}

// A change without effect on the behaviour does not change the fingerprint.
func TestFingerprintIgnoresLayout(t *testing.T) {
	want := program(t, "w.yaml", workflow, commands).Fingerprint()
	for name, change := range map[string]func(string) string{
		"nothing": func(s string) string { return s },
		"a comment": func(s string) string {
			return "# hello\n" + strings.Replace(s, "  - id: fix", "  # more\n  - id: fix", 1)
		},
		"quotes":                    func(s string) string { return strings.Replace(s, "name: w", "name: 'w'", 1) },
		"flow and block":            func(s string) string { return strings.Replace(s, "[fetch]", "\n      - fetch", 1) },
		"carriage returns":          func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"blanks in a condition":     func(s string) string { return strings.Replace(s, " == 'bug'", "  ==  'bug'", 1) },
		"the short form of a field": func(s string) string { return strings.Replace(s, "classify.output.kind", "classify.kind", 1) },
	} {
		yaml := change(workflow)
		if name != "nothing" && yaml == workflow {
			t.Errorf("%s changed nothing", name)
		}
		p := program(t, "elsewhere/other.yaml", yaml, commands)
		if got := p.Fingerprint(); got != want {
			t.Errorf("%s: the fingerprint changed", name)
		}
		check.Run(p, &diag.Bag{})
		if got := p.Fingerprint(); got != want {
			t.Errorf("%s: checking changed the fingerprint", name)
		}
	}
}

// Every change of the behaviour changes the fingerprint.
func TestFingerprintSeesChanges(t *testing.T) {
	seen := map[string]string{program(t, "w.yaml", workflow, commands).Fingerprint(): "nothing"}
	see := func(name string, p *ir.Program) {
		got := p.Fingerprint()
		if other, known := seen[got]; known {
			t.Errorf("%s and %s have one fingerprint", name, other)
		}
		seen[got] = name
	}
	for _, edit := range [][2]string{
		{"name: w", "name: v"},
		{"cat issue.txt", "cat issues.txt"},
		{"Classify $fetch.output", "Classify it"},
		{"Classify $fetch.output", "Classify fetch"},
		{"[fetch]", "[]"},
		{"bug, feature]", "bug, feature, other]"},
		{"required: [kind]", "required: []"},
		{"== 'bug'", "!= 'bug'"},
		{"== 'bug'", "== 'feature'"},
		{"max_attempts: 2", "max_attempts: 3"},
		{"depends_on: [classify]", "depends_on: [classify, fetch]"},
		{"depends_on: [classify]", "depends_on: [classify]\n    trigger_rule: all_done"},
		{"command: fix", "command: fix\n    model: small"},
		{"command: fix", "command: fix\n    always_run: true"},
		{"id: fix", "id: repair"},
	} {
		yaml := strings.Replace(workflow, edit[0], edit[1], 1)
		if yaml == workflow {
			t.Fatalf("%s is not there", edit[0])
		}
		see(edit[1], program(t, "w.yaml", yaml, commands))
	}
	const third = "name: w\ndescription: d\nnodes:\n  - {id: a, bash: echo}\n  - {id: b, bash: echo}\n  - {id: c, bash: echo, depends_on: [a]}\n"
	see("needs a", program(t, "w.yaml", third, nil))
	see("needs b", program(t, "w.yaml", strings.Replace(third, "[a]", "[b]", 1), nil))
	see("the command file", program(t, "w.yaml", workflow, files{"commands/fix.md": "Mend $fetch.output"}))
}
