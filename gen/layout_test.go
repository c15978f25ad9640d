package gen_test

import (
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// Lines are at most so long, with tabs of four columns; only a string that has no
// place to break, such as a line of a script, makes a longer one.
const (
	widest     = 120
	longString = 60
)

func TestLinesAreShort(t *testing.T) {
	for _, s := range samples {
		code := s.golden()
		strings := stringLines(code)
		for i, line := range lines(string(code)) {
			if columns(line) > widest && strings[i+1] < longString {
				t.Errorf("%s: line %d has %d columns:\n%s", s.name, i+1, columns(line), line)
			}
		}
	}
}

func lines(text string) []string { return strings.Split(text, "\n") }

func columns(line string) int { return len([]rune(strings.ReplaceAll(line, "\t", "    "))) }

// stringLines is the length of the longest string on each line, counted from 1; a
// string of several lines makes each of them long.
func stringLines(code []byte) map[int]int {
	longest := map[int]int{}
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(file, code, nil, 0)
	for {
		pos, kind, text := s.Scan()
		switch kind {
		case token.EOF:
			return longest
		case token.STRING:
			first, size := set.Position(pos).Line, len(text)
			n := strings.Count(text, "\n")
			if n > 0 {
				size = longString
			}
			for i := first; i <= first+n; i++ {
				longest[i] = max(longest[i], size)
			}
		}
	}
}

// A file has its sections in the order of a reader.
func TestOrderOfSections(t *testing.T) {
	for _, s := range samples {
		code := string(s.golden())
		at := -1
		for _, section := range []string{"// Package ", "\ntype Inputs struct", "\ntype Outputs ", "\nvar Workflow = ", "\nfunc Run(", "\nfunc workflow(", "\nvar nodes = ", "\nconst _ = flow.RunWfcGenAgain"} {
			next := strings.Index(code, section)
			if next <= at {
				t.Errorf("%s: %q is at %d, after %d", s.name, section, next, at)
			}
			at = next
		}
	}
}

// The type of a node's output, its condition and its functions follow each other.
func TestShapesStandBesideTheirNodes(t *testing.T) {
	code := string(find("triage").golden())
	at := -1
	for _, part := range []string{
		"func workflow(", "func runFetch(", "type ClassifyKind string", "type ClassifyOutput struct", "var classifySchema = ", "func runClassify(",
		"func whenInvestigate(", "func runInvestigate(", "func whenStop(", "func runStop(",
	} {
		next := strings.Index(code, part)
		if next <= at {
			t.Errorf("%q is at %d, after %d", part, next, at)
		}
		at = next
	}
	for _, doc := range []string{
		"// Package triage is the compiled workflow \"triage\": Classify an issue and investigate bugs.",
		"// runClassify asks the agent of node `classify` (triage.yaml:8): Says what kind of issue it is, and how\n// sure that is.",
		"\t// What the issue asks for\n",
	} {
		if !strings.Contains(code, doc) {
			t.Errorf("there is no %q", doc)
		}
	}
}

// Nodes with one JSON Schema share the type and the schema.
func TestEqualSchemasAreOne(t *testing.T) {
	const nodes = `nodes:
  - id: a
    prompt: One.
    output_format: &shape
      type: object
      properties: {level: {type: string, enum: [low, high]}, items: {type: array, items: {type: object, properties: {n: {type: integer}}, required: [n]}}}
      required: [level, items]
  - id: b
    prompt: Two.
    output_format: *shape
  - id: c
    prompt: Three.
    output_format: {type: object, properties: {level: {type: string}}, required: [level]}
  - id: d
    depends_on: [a, b, c]
    when: $a.output.level == 'low' && $b.output.level == 'high' && $c.output.level == 'low'
    bash: echo $b.output.level
`
	file := gen.Generate(workflow("shared", nodes), gen.Options{})[0]
	code := string(file.Content)
	for text, want := range map[string]int{
		"// LevelItemsOutput is the output of each of `a` and `b`.": 1, "type LevelItemsOutput struct": 1, "type COutput struct": 1,
		"LevelLow  Level = \"low\"": 1, "\"enum\":[\"low\",\"high\"]": 1,
		"a, b *flow.Task[*LevelItemsOutput]": 1, "b.Output().Value.Level == LevelHigh": 1,
	} {
		if n := strings.Count(code, text); n != want {
			t.Errorf("%q is there %d times, not %d", text, n, want)
		}
	}
	testkit.TypeChecker[gen.File](t)("shared", file)
}

// A prompt says which file it is from.
func TestPromptsNameTheirFiles(t *testing.T) {
	p := compile("ask.yml", "name: ask\nsteps:\n  - name: a\n    prompt: '#greet(who=\"you\") Go.'\n", map[string]string{
		"/project/xprompts/greet.md": "---\nname: greet\ninput: { who: word }\n---\nSay hello to {{ who }},\nthen stop.\n",
	})
	code := string(gen.Generate(p, gen.Options{})[0].Content)
	if want := "// runA asks the agent of step `a` (ask.yml:3). The prompt is from `greet.md`."; !strings.Contains(code, want) {
		t.Errorf("there is no %q in\n%s", want, code)
	}
}

// A position stands in the text of an expression or in a comment, not in both, and the
// comment of a function has that of its node for the whole body. No position has a line.
func TestPositionsStandOnce(t *testing.T) {
	wrong := regexp.MustCompile("(?m)^.*\\(line \\d+\\)[\"`].*// \\S+:\\d+$|^.* {20,}// \\S+:\\d+$|^\t(return|script|prompt) .*// \\S+:\\d+$|^\\s*// \\S+:\\d+$")
	for _, s := range samples {
		if _, _, graph := strings.Cut(s.name, "graph"); graph {
			continue // lists of conditions stand in columns
		}
		for _, line := range wrong.FindAllString(string(s.golden()), -1) {
			t.Errorf("%s: %s", s.name, line)
		}
	}
}

// What is true of several functions is explained once, in the first that needs it.
func TestExplanationsStandOnce(t *testing.T) {
	found := 0
	for _, s := range samples {
		code := strings.Join(strings.Fields(strings.ReplaceAll(string(s.golden()), "//", "")), " ")
		for _, words := range []string{"so scripts double those", "Echoed protects", "Bind numbers", "A Literal value becomes", "FieldOrEmpty reads"} {
			n := strings.Count(code, words)
			if found += n; n > 1 {
				t.Errorf("%s: %q is there %d times", s.name, words, n)
			}
		}
	}
	if found < 5 {
		t.Errorf("%d explanations in all goldens", found)
	}
}

// A script reads a value in place if that needs no variable, and explains a long one by a
// variable's name.
func TestValuesOfScriptsAreReadInPlace(t *testing.T) {
	p := compile("sum.yml", "name: sum\nsteps:\n  - {name: a, bash: echo 1}\n  - {name: b, python: 'print(1)', output: {text: text}}\n"+
		"  - {name: c, bash: 'echo {{ a }} {{ b }}'}\n  - {name: d, bash: 'echo {{ b }} {{ b.text }}'}\n  - {name: last, bash: 'true'}\n", nil)
	code := squeeze(string(gen.Generate(p, gen.Options{})[0].Content))
	for _, want := range []string{
		`Value: e.Text(e.Step(b), "{{b}} (line 5)")`,
		`bOutput := e.Step(b)`,
		`bText := e.Text(py.Member(b.Output().Value.Text, "text", b), "{{b.text}} (line 6)")`,
		`Value: bText`,
	} {
		if !strings.Contains(code, want) {
			t.Errorf("there is no %s in\n%s", want, code)
		}
	}
}
