package lsp_test

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/runtime/wfctest"
)

const tested = `name: tested
description: Has tests.
inputs:
  area: {default: here}
nodes:
  - id: look
    prompt: Look at $INPUTS.area
  - id: polish
    depends_on: [look]
    loop_group:
      until_bash: 'true'
      max_iterations: 3
      nodes:
        - {id: rub, prompt: Rub}
        - {id: wipe, depends_on: [rub], bash: echo}
  - id: report
    depends_on: [polish]
    bash: echo
`

const itsTests = `tests:
  - name: it shines
    inputs: {area: there}
    agents:
      look: Dust.
      polish.rub: Done.
    interrupt: polish#1.rub
    expect:
      ran: [look, polish#2.wipe, report]
      skipped: {only: [look]}
      nodes:
        report: {status: completed}
      before: {look: [polish, report]}
      iterations: {polish: 2}
  - name: it stays dull
    agents: {"*": No.}
    expect: {order: [look, report]}
`

// testedProject writes a workflow and its tests, and returns their paths.
func testedProject(t *testing.T, folder string) (workflow, test string) {
	t.Helper()
	dir := t.TempDir()
	workflow, test = filepath.Join(dir, "tested.yaml"), filepath.Join(dir, folder, "tested.test.yaml")
	write(t, workflow, tested)
	write(t, test, itsTests)
	return workflow, test
}

// TestExamplesOfTests finds no fault in the test files of the examples.
func TestExamplesOfTests(t *testing.T) {
	count := 0
	for _, file := range examples(t) {
		if !strings.HasSuffix(file, ".test.yaml") {
			continue
		}
		count++
		c := connect(t, filepath.Dir(file), nil)
		c.open(file, read(t, file))
		for _, d := range c.diagnostics(file, 1) {
			t.Errorf("%s:%d: %s", filepath.Base(file), d.Range.Start.Line+1, d.Message)
		}
	}
	if count == 0 {
		t.Error("no example has tests")
	}
}

func TestFaultsOfTests(t *testing.T) {
	for i, test := range []struct{ old, new, at, message string }{
		{"", "", "", ""},
		{"expect:\n", "expcet:\n", "expcet", "unknown key `expcet` in a test; did you mean `expect`?"},
		{"name: it shines", "git: true", "", "a test needs the key `name`"},
		{"interrupt: polish#1.rub", "commands: {gh: x}\n    interrupt: polish#1.rub", "", ""},
		{"iterations: {polish: 2}", "commands: {gh: {contains: x}}", "gh", "unknown stand-in `gh`"},
		{"status: completed", "status: complete", "complete", "unknown status `complete`; did you mean `completed`?"},
		{"look: Dust.", "lock: Dust.", "lock", "unknown node `lock`; did you mean `look`?"},
		{"polish#1.rub", "polihs#1.rub", "polihs#1.rub", "unknown node `polihs#1.rub`; did you mean `polish.rub`?"},
		{"[polish, report]", "[polish, reprot]", "reprot", "unknown node `reprot`; did you mean `report`?"},
		{"only: [look]", "only: [loko]", "loko", "unknown node `loko`; did you mean `look`?"},
		{"{area: there}", "{aera: there}", "aera", "unknown input `aera`; did you mean `area`?"},
		{"tests:", "workflow: other.yaml\ntests:", "other.yaml", "the tested workflow does not exist; write its path as `workflow: PATH`"},
		{"tests:", "workflow: tested.yaml\ntests:", "", ""},
		{"inputs: {area: there}", "inputs: {area: there", "", "YAML"},
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			_, file := testedProject(t, "")
			c := connect(t, filepath.Dir(file), nil)
			text := strings.Replace(itsTests, test.old, test.new, 1)
			c.open(file, text)
			list := c.diagnostics(file, 1)
			if test.message == "" {
				if len(list) > 0 {
					t.Errorf("%+v", list)
				}
				return
			}
			if len(list) == 0 || !strings.Contains(list[0].Message, test.message) || list[0].Severity != protocol.SeverityError {
				t.Fatalf("%+v, want %s", list, test.message)
			}
			if got := textOf(t, text, list[0].Range); test.at != "" && got != test.at {
				t.Errorf("%s is at %q, want %q", list[0].Message, got, test.at)
			}
		})
	}
}

// TestLoadFaultsOfTests shows every kind of fault that wfc test finds in a file, at the same
// place, once.
func TestLoadFaultsOfTests(t *testing.T) {
	const head = "tests:\n  - name: one\n    "
	for _, text := range []string{
		"", "- a", "{}", "tests: []", "tests: {a: b}", "tests:\n  - {inputs: {}}", "tests:\n  - {name: \"\"}", "tests:\n  - {name: a}\n  - {name: a}",
		"tests:\n  - {name: a}\n---\nx: 1", "workflow: [a]\ntests: [{name: a}]",
		head + "expct: {}", head + "inputs: [a]", head + "inputs: {area: 1, area: 2}", head + "git: maybe", head + "now: yesterday",
		head + "files: {a: [b]}", head + "agents: {look: {txt: b}}", head + "agents: {look: {fail: b, class: transent}}",
		head + "agents: {look: {text: b, class: fatal}}", head + "agents: {look: {prompt: '('}}", head + "agents: {look: {delay: 5}}",
		head + "agents: {look: {cost: -1}}", head + "agents: {look: null}", head + "bash: {report: {exit: x}}", head + "commands: {gh: {arg: x}}",
		head + "answers: {look: {}}", head + "answers: {look: {approve: x, reject: y}}", head + "expect: {stat: failed}",
		head + "expect: {status: fialed}", head + "expect: {nodes: {look: {contians: b}}}", head + "expect: {nodes: {look: {status: paused}}}",
		head + "expect: {prompts: {look: {matches: '['}}}", head + "expect: {ran: {only: [look], but: b}}", head + "expect: {ran: {}}",
		head + "expect: {cost: {mn: 1}}", head + "snapshot: 1",
		head + "env: {ü: 1, \U0001f600: [x]}", "\ufeff" + head + "git: maybe", strings.ReplaceAll(head+"git: maybe\n    now: x\n", "\n", "\r\n"),
	} {
		var want []string
		wfctest.Faults([]byte(text), func(line, column int, message string) {
			want = append(want, strconv.Itoa(line)+":"+strconv.Itoa(column))
		})
		if len(want) == 0 {
			t.Errorf("%q has no fault", text)
		}
		_, file := testedProject(t, "")
		c := connect(t, filepath.Dir(file), nil)
		c.open(file, text)
		var got []string
		lines := strings.Split(text, "\n")
		for _, d := range c.diagnostics(file, 1) {
			units := utf16.Encode([]rune(lines[d.Range.Start.Line]))
			column := len([]rune(string(utf16.Decode(units[:d.Range.Start.Character])))) + 1
			got = append(got, strconv.Itoa(d.Range.Start.Line+1)+":"+strconv.Itoa(column))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q: faults at %v, want %v", text, got, want)
		}
	}
}

// TestNamesOfTests follows names between a workflow and its tests, both ways.
func TestNamesOfTests(t *testing.T) {
	for _, folder := range []string{"", "tests"} {
		workflow, file := testedProject(t, folder)
		c := connect(t, filepath.Dir(workflow), nil)
		c.open(workflow, tested)
		c.open(file, itsTests)
		c.diagnostics(file, 1)
		c.diagnostics(workflow, 1)

		for text, want := range map[string]string{
			"      lo": "look", "polish.ru": "rub", "polish#2.wi": "wipe", "      poli": "polish", "before: {lo": "look", "inputs: {ar": "area",
		} {
			at := c.at(file, c.after(file, text, 1))
			var places []protocol.Location
			c.call("textDocument/definition", at, &places)
			if len(places) != 1 || places[0].URI != uri(workflow) || textOf(t, tested, places[0].Range) != want {
				t.Errorf("the definition at %q is %+v", text, places)
			}
			var hover *protocol.Hover
			c.call("textDocument/hover", at, &hover)
			if hover == nil || !strings.Contains(hover.Contents.Value, "`"+want+"`") {
				t.Errorf("the hover at %q is %+v", text, hover)
			}
		}
		var hover *protocol.Hover
		if c.call("textDocument/hover", c.at(file, c.after(file, "interr", 1)), &hover); hover == nil || !strings.Contains(hover.Contents.Value, "killed once") {
			t.Errorf("the hover of a key is %+v", hover)
		}
		var marks []protocol.DocumentHighlight
		c.call("textDocument/documentHighlight", c.at(file, c.after(file, "      lo", 1)), &marks)
		if len(marks) != 5 {
			t.Errorf("%d marks of the node in the tests, want 5", len(marks))
		}
		for _, from := range []struct {
			file, text string
			uses       int
		}{{workflow, "id: ru", 4}, {file, "polish.ru", 4}, {workflow, "id: poli", 7}} {
			var places []protocol.Location
			params := protocol.ReferenceParams{TextDocumentPositionParams: c.at(from.file, c.after(from.file, from.text, 1))}
			params.Context.IncludeDeclaration = true
			c.call("textDocument/references", params, &places)
			if len(places) != from.uses {
				t.Errorf("%d references from %q, want %d", len(places), from.text, from.uses)
			}
		}
		for _, from := range []struct{ file, text, name string }{
			{workflow, "id: poli", "polish"}, {file, "      poli", "polish"}, {workflow, "id: wi", "wipe"}, {file, "#2.wi", "wipe"},
			{workflow, "  ar", "area"}, {file, "{ar", "area"}, {workflow, "id: rep", "report"},
		} {
			var edit struct {
				DocumentChanges []protocol.TextDocumentEdit `json:"documentChanges"`
			}
			params := protocol.RenameParams{TextDocumentPositionParams: c.at(from.file, c.after(from.file, from.text, 1)), NewName: "zq-new"}
			c.call("textDocument/rename", params, &edit)
			want := map[string]string{workflow: strings.ReplaceAll(tested, from.name, "zq-new"), file: strings.ReplaceAll(itsTests, from.name, "zq-new")}
			for _, change := range edit.DocumentChanges {
				changed := path(change.TextDocument.URI)
				if got := applied(t, c.files[changed], change.Edits); got != want[changed] {
					t.Errorf("the rename at %q makes of %s\n%s\nwant\n%s", from.text, filepath.Base(changed), got, want[changed])
				}
				delete(want, changed)
			}
			if len(want) > 0 {
				t.Errorf("the rename at %q leaves out %d files", from.text, len(want))
			}
		}
		params := protocol.RenameParams{TextDocumentPositionParams: c.at(file, c.after(file, "      lo", 1)), NewName: "report"}
		if code, _ := c.try("textDocument/rename", params, nil); code == 0 {
			t.Error("a node can get the name of another one")
		}
	}
}

func TestCompletionOfTests(t *testing.T) {
	for _, test := range []struct {
		text    string
		with    []string
		without []string
	}{
		{"tests:\n  - name: a\n    ", []string{"inputs", "agents", "expect"}, []string{"name", "nodes", "look"}},
		{"tests:\n  - name: a\n    agents:\n      ", []string{"look", "polish.rub"}, []string{"area", "expect"}},
		{"tests:\n  - name: a\n    inputs: {", []string{"area"}, []string{"look"}},
		{"tests:\n  - name: a\n    expect:\n      ", []string{"status", "ran"}, []string{"agents"}},
		{"tests:\n  - name: a\n    expect:\n      status: ", []string{"completed", "paused"}, []string{"look"}},
		{"tests:\n  - name: a\n    expect:\n      ran: [", []string{"look", "polish.rub"}, []string{"area"}},
		{"tests:\n  - name: a\n    expect:\n      order:\n        - ", []string{"look", "report"}, []string{"area"}},
		{"tests:\n  - name: a\n    expect:\n      nodes:\n        look:\n          ", []string{"status", "output", "contains"}, []string{"report"}},
		{"", []string{"tests", "workflow"}, []string{"nodes"}},
	} {
		_, file := testedProject(t, "")
		c := connect(t, filepath.Dir(file), nil)
		c.open(file, test.text)
		var list protocol.CompletionList
		c.call("textDocument/completion", c.at(file, len(test.text)), &list)
		var got []string
		for _, item := range list.Items {
			got = append(got, item.Label)
		}
		for _, label := range test.with {
			if !slices.Contains(got, label) {
				t.Errorf("%q: no %q in %q", test.text, label, got)
			}
		}
		for _, label := range test.without {
			if slices.Contains(got, label) {
				t.Errorf("%q: %q in %q", test.text, label, got)
			}
		}
	}
}

func TestLensesOfTests(t *testing.T) {
	workflow, file := testedProject(t, "")
	c := connect(t, filepath.Dir(workflow), func(p *protocol.InitializeParams) {
		p.Capabilities.Experimental.Commands = []string{"wfc.test"}
	})
	for _, test := range []struct{ file, text, want string }{
		{workflow, tested, "look: 2 tests ^(tested/it shines|tested/it stays dull)$; polish: 1 test ^(tested/it shines)$; rub: 1 test ^(tested/it shines)$; wipe: 1 test ^(tested/it shines)$; report: 2 tests ^(tested/it shines|tested/it stays dull)$"},
		{file, itsTests, "it shines: Run test ^(tested/it shines)$; it stays dull: Run test ^(tested/it stays dull)$"},
	} {
		c.open(test.file, test.text)
		var lenses []protocol.CodeLens
		c.call("textDocument/codeLens", protocol.DocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri(test.file)}}, &lenses)
		var got []string
		for _, l := range lenses {
			if l.Command.Command != "wfc.test" || l.Command.Arguments[0] != string(uri(test.file)) {
				t.Errorf("the lens has %+v", l.Command)
			}
			got = append(got, textOf(t, test.text, l.Range)+": "+l.Command.Title+" "+l.Command.Arguments[1].(string))
		}
		if s := strings.Join(got, "; "); s != test.want {
			t.Errorf("%s: %s\nwant %s", filepath.Base(test.file), s, test.want)
		}
	}
}
