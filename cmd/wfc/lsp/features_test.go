package lsp_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
)

// A sample is a workflow of a dialect with the places that the tests ask about: each is
// behind the n-th occurrence of a text.
type sample struct {
	name, text string
	// node is a reference to a node that is declared as nodeName, with uses in the file.
	node, nodeName string
	uses           int
	// hovers are texts with a part of the description of the name before their end.
	hovers map[string]string
	// completes are texts that replace the marker, with a proposal; without are those that
	// must not be proposed.
	completes map[string]string
	without   map[string]string
	// outgoing and incoming are the neighbours of the node.
	incoming, outgoing []string
}

var samples = []sample{
	{
		name: "archon.yaml",
		text: `name: fix
description: Fix an issue.
provider: claude
inputs:
  area: {description: Where to search.}
nodes:
  - id: fetch
    bash: |
      # The issue is $ARGUMENTS.
      if true; then echo "issue 'x'"; fi
  - id: classify
    depends_on: [fetch]
    prompt: CALL $ARGUMENTS. Classify $fetch.output in $INPUTS.area
    output_format:
      type: object
      properties:
        kind: {type: string, enum: [bug, feature], description: The kind of issue.}
        sure: {type: number}
      required: [kind]
  - id: report
    depends_on: [classify]
    when: $classify.output.kind == 'bug'
    bash: echo "$classify.output.kind" # MARK
`,
		node: "$classify", nodeName: "classify", uses: 4,
		hovers: map[string]string{
			"$fetch": "read by: `classify`", "output.kind": "`bug`, `feature`", "trigger_rule": "", "depends_on": "Ids of the nodes",
			"INPUTS.area": "Where to search.", "CALL $ARGUMENTS": "**input**", "when: $classify.output.kind =": "`classify`: completed",
		},
		completes: map[string]string{
			"\n    trig": "trigger_rule", "\n    trigger_rule: ": "all_done", "\n    bash: echo $": "fetch", "\n    bash: echo $classify.output.": "kind",
			"\n    when: $classify.output.kind == '": "feature", "\n    depends_on: [": "fetch", "\n    depends_on:\n      - ": "classify", "\n    provider: ": "claude",
			"\n    bash: |\n      x\n      echo $INPUTS.": "area", " # wfc:ignore[": "unknown-key", "\n    retry: {": "max_attempts", "\n    retry:\n      ": "delay_ms",
			"\n    command: ": "review", "\n    always_run: ": "true", "\n    runtime: ": "bun", "\n    bash: $A": "ARGUMENTS",
		},
		without:  map[string]string{"\n    ": "bash", "\n    depends_on: [": "report"},
		incoming: []string{"fetch"}, outgoing: []string{"report"},
	},
	{
		name: "graphloop.yaml",
		text: `workflow: tries
state:
  variables: {tries: 0, mood: calm}
nodes:
  work:
    type: task
    agent: bash
    command: "echo (reference state.mood)"
    outputs: [good, bad]
    on_output:
      bad: {set: {tries: 1, mood: output}}
  enough: {type: decision, condition: "state.tries > 2", outputs: [stop, again]}
edges:
  - {from: START, to: work}
  - {from: work, to: END, condition: "good"}
  - {from: work, to: enough, condition: "bad"}
  - {from: enough, to: END, condition: "stop"}
  - {from: enough, to: work, condition: "again"}
limits: {max_iterations: 9}
completion: [work.good] # MARK
`,
		node: "completion: [work", nodeName: "work", uses: 6,
		hovers: map[string]string{
			"state.mood": "written by: `work`", "state.tries": "initial value: `0`", "max_iterations": "Maximum number", "condition: \"good": "work.good",
			"outputs: [good": "work.good", "branches": "",
		},
		completes: map[string]string{
			"\nedges:\n  - {from: ": "work", "\nedges:\n  - {from: work, to: ": "END", "\nedges:\n  - {from: work, to: END, condition: \"": "good", "\nlimits:\n  ": "max_time_minutes",
			"\ncompletion:\n  - ": "work", "\ncompletion:\n  - work.": "bad", "\nnodes:\n  a:\n    type: task\n    ": "agent", "\nnodes:\n  a:\n    type: ": "task",
			"\nnodes:\n  a: {type: human, ": "default_output", "\nnodes:\n  a:\n    type: decision\n    condition: \"state.": "tries", "\ninterrupts:\n  - before: ": "enough",
			"\nnodes:\n  a:\n    agent: ": "self", "\nnodes:\n  a:\n    type: parallel\n    branches: [": "work",
		},
		without:  map[string]string{"\nnodes:\n  a:\n    type: checkpoint\n    ": "branches"},
		incoming: []string{"enough"}, outgoing: []string{"enough"},
	},
	{
		name: "lango.yaml",
		text: `name: digest
description: Summarize.
steps:
  - id: collect
    agent: executor
    prompt: Collect.
  - id: write-up
    agent: writer
    prompt: |
      Write about {{collect.result}} and {{ collect.result }}.
    depends_on: [collect]
  - id: check
    agent: writer
    prompt: Check {{write-up.result}} # MARK
    depends_on: [write-up]
`,
		node: "{{write-up", nodeName: "write-up", uses: 3,
		hovers:    map[string]string{"{{collect": "read by: `write-up`", "depends_on": "Ids of the steps", "agent: writer": "used by: `write-up`, `check`"},
		completes: map[string]string{"\n    time": "timeout", "\n    prompt: Ask {{": "collect", "\n    prompt: Ask {{collect.": "result", "\n    depends_on: [": "collect", "\n    agent: ": "writer"},
		without:   map[string]string{"\n    ": "prompt"},
		incoming:  []string{"collect"}, outgoing: []string{"check"},
	},
	{
		name: "xprompt.yaml",
		text: `name: notes
input: {since: word, all: {type: bool, default: false}}
steps:
  - name: changes
    bash: echo "area=core"
    output: [{area: word, size: int}]
  - name: lines
    for: {change: "{{ changes }}"}
    python: |
      # {{ since }}
      print("""{{ change.area | upper }}""")
    output: {text: text, level: word}
  - name: draft
    if: "{{ not all is none }}"
    prompt: "{{ lines[0].text }} {{ changes | length }}"
  - name: last
    bash: echo {{ draft }} # MARK
`,
		node: "{{ changes", nodeName: "changes", uses: 3,
		hovers: map[string]string{
			"{{ since": "word", "{{ change.area": "word", "{{ changes": "list of object", "{{ not all": "default: `false`", "fail_fast": "", "\n    python": "Python script",
		},
		completes: map[string]string{
			"\n    out": "output", "\n    join: ": "lastOf", "\n    bash: echo {{ ": "changes", "\n    bash: echo {{ changes | ": "length", "\n    if: \"{{ draft is ": "defined",
			"\n    bash: |\n      echo\n      echo {{ sin": "since", "\n    bash: |\n      {% ": "for", "\n    hitl: ": "true",
		},
		without:  map[string]string{"\n    ": "bash"},
		outgoing: []string{"lines"},
	},
}

// start opens a sample in a folder with a command file.
func start(t *testing.T, s *sample, change func(*protocol.InitializeParams)) (*client, string) {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".archon/commands/review.md"), "Review $ARGUMENTS.\n")
	c := connect(t, dir, change)
	file := filepath.Join(dir, s.name)
	c.open(file, s.text)
	for _, d := range c.diagnostics(file, 1) {
		if d.Severity == protocol.SeverityError {
			t.Errorf("%s: %s", s.name, d.Message)
		}
	}
	return c, file
}

func TestHover(t *testing.T) {
	for _, s := range samples {
		c, file := start(t, &s, nil)
		for text, want := range s.hovers {
			if want == "" {
				continue
			}
			var hover *protocol.Hover
			c.call("textDocument/hover", c.at(file, c.after(file, text, 1)), &hover)
			if hover == nil || !strings.Contains(hover.Contents.Value, want) {
				t.Errorf("%s: hover on %q is %+v, want %q", s.name, text, hover, want)
			}
		}
	}
}

func TestDefinitionAndReferences(t *testing.T) {
	for _, s := range samples {
		c, file := start(t, &s, nil)
		at := c.at(file, c.after(file, s.node, 1))
		var locations []protocol.Location
		c.call("textDocument/definition", at, &locations)
		if len(locations) != 1 || textOf(t, s.text, locations[0].Range) != s.nodeName || locations[0].URI != uri(file) {
			t.Errorf("%s: the definition is %+v", s.name, locations)
			continue
		}
		definition := locations[0]
		params := protocol.ReferenceParams{TextDocumentPositionParams: at}
		c.call("textDocument/references", params, &locations)
		if len(locations) != s.uses-1 || slices.Contains(locations, definition) {
			t.Errorf("%s: %d references, want %d: %+v", s.name, len(locations), s.uses-1, locations)
		}
		params.Context.IncludeDeclaration = true
		c.call("textDocument/references", params, &locations)
		if len(locations) != s.uses || !slices.Contains(locations, definition) {
			t.Errorf("%s: %d references with the declaration, want %d", s.name, len(locations), s.uses)
		}
		for _, l := range locations {
			if got := textOf(t, s.text, l.Range); got != s.nodeName {
				t.Errorf("%s: a reference is at %q", s.name, got)
			}
		}
		var highlights []protocol.DocumentHighlight
		c.call("textDocument/documentHighlight", at, &highlights)
		writes := 0
		for _, h := range highlights {
			if h.Kind == protocol.HighlightWrite {
				writes++
			}
		}
		if len(highlights) != s.uses || writes != 1 {
			t.Errorf("%s: the highlights are %+v", s.name, highlights)
		}
		var prepared *protocol.PrepareRenameResult
		c.call("textDocument/prepareRename", at, &prepared)
		if prepared == nil || prepared.Placeholder != s.nodeName || textOf(t, s.text, prepared.Range) != s.nodeName {
			t.Errorf("%s: the prepared rename is %+v", s.name, prepared)
		}
	}
}

func TestOutline(t *testing.T) {
	for _, s := range samples {
		c, file := start(t, &s, nil)
		id := protocol.TextDocumentIdentifier{URI: uri(file)}
		var list []protocol.DocumentSymbol
		c.call("textDocument/documentSymbol", protocol.DocumentParams{TextDocument: id}, &list)
		i := slices.IndexFunc(list, func(d protocol.DocumentSymbol) bool { return d.Name == s.nodeName })
		if i < 0 || textOf(t, s.text, list[i].SelectionRange) != s.nodeName {
			t.Errorf("%s: the outline is %+v", s.name, list)
		}
		checkNesting(t, s.text, list, 0, len(s.text))
		var found []protocol.SymbolInformation
		c.call("workspace/symbol", protocol.WorkspaceSymbolParams{Query: s.nodeName[:3]}, &found)
		if !slices.ContainsFunc(found, func(i protocol.SymbolInformation) bool { return i.Name == s.nodeName && i.Location.URI == uri(file) }) {
			t.Errorf("%s: the search found %+v", s.name, found)
		}
		var folds []protocol.FoldingRange
		c.call("textDocument/foldingRange", protocol.DocumentParams{TextDocument: id}, &folds)
		if len(folds) < 2 {
			t.Errorf("%s: the folds are %+v", s.name, folds)
		}
		for _, f := range folds {
			if f.EndLine <= f.StartLine || f.EndLine >= strings.Count(s.text, "\n") {
				t.Errorf("%s: the fold %+v", s.name, f)
			}
		}
	}
}

// checkNesting checks that selection ranges are in their ranges, and these in each other.
func checkNesting(t *testing.T, text string, list []protocol.DocumentSymbol, from, to int) {
	t.Helper()
	for _, d := range list {
		start, end := offsetOf(t, text, d.Range.Start), offsetOf(t, text, d.Range.End)
		name, after := offsetOf(t, text, d.SelectionRange.Start), offsetOf(t, text, d.SelectionRange.End)
		if start < from || end > to || name < start || after > end {
			t.Errorf("%s: the range %d-%d with the name %d-%d is not in %d-%d", d.Name, start, end, name, after, from, to)
		}
		checkNesting(t, text, d.Children, start, end)
	}
}

func TestCallHierarchy(t *testing.T) {
	for _, s := range samples {
		c, file := start(t, &s, nil)
		var items []protocol.CallHierarchyItem
		c.call("textDocument/prepareCallHierarchy", c.at(file, c.after(file, s.node, 1)), &items)
		if len(items) != 1 || items[0].Name != s.nodeName {
			t.Errorf("%s: prepared %+v", s.name, items)
			continue
		}
		var incoming []protocol.CallHierarchyCall
		c.call("callHierarchy/incomingCalls", protocol.CallHierarchyParams{Item: items[0]}, &incoming)
		var from []string
		for _, i := range incoming {
			from = append(from, i.From.Name)
		}
		var outgoing []protocol.CallHierarchyCall
		c.call("callHierarchy/outgoingCalls", protocol.CallHierarchyParams{Item: items[0]}, &outgoing)
		var to []string
		for _, o := range outgoing {
			to = append(to, o.To.Name)
		}
		if !slices.Equal(from, s.incoming) || !slices.Equal(to, s.outgoing) {
			t.Errorf("%s: from %v to %v, want from %v to %v", s.name, from, to, s.incoming, s.outgoing)
		}
	}
}

// TestTokens decodes the tokens of each sample and searches for some of them.
func TestTokens(t *testing.T) {
	want := map[string][]string{
		"archon.yaml":    {"fetch class", "kind property", "area parameter", "if keyword", "# The issue is $ARGUMENTS. comment", "claude type"},
		"graphloop.yaml": {"work class", "mood variable", "good enumMember", "tries variable"},
		"lango.yaml":     {"write-up class", "writer type"},
		"xprompt.yaml":   {"since parameter", "area property", "upper function", "change variable", "none function"},
	}
	for _, s := range samples {
		c, file := start(t, &s, nil)
		legend := c.result.Capabilities.SemanticTokensProvider.Legend.TokenTypes
		id := protocol.TextDocumentIdentifier{URI: uri(file)}
		var tokens *protocol.SemanticTokens
		c.call("textDocument/semanticTokens/full", protocol.DocumentParams{TextDocument: id}, &tokens)
		var got []string
		line, column := 0, 0
		for i := 0; i+4 < len(tokens.Data); i += 5 {
			if tokens.Data[i] > 0 {
				line, column = line+int(tokens.Data[i]), 0
			}
			column += int(tokens.Data[i+1])
			r := protocol.Range{Start: protocol.Position{Line: line, Character: column}, End: protocol.Position{Line: line, Character: column + int(tokens.Data[i+2])}}
			got = append(got, textOf(t, s.text, r)+" "+legend[tokens.Data[i+3]])
		}
		for _, w := range want[s.name] {
			if !slices.Contains(got, w) {
				t.Errorf("%s: no token %q in %q", s.name, w, got)
			}
		}
		var part *protocol.SemanticTokens
		c.call("textDocument/semanticTokens/range", protocol.RangeParams{TextDocument: id, Range: protocol.Range{End: protocol.Position{Line: line}}}, &part)
		if !slices.Equal(part.Data, tokens.Data) {
			t.Errorf("%s: the tokens of all lines differ from those of the file", s.name)
		}
	}
}

func TestInlayHintsAndLenses(t *testing.T) {
	want := map[string]string{"archon.yaml": ": bug | feature", "graphloop.yaml": ": int", "lango.yaml": "", "xprompt.yaml": ": bool"}
	for _, s := range samples {
		c, file := start(t, &s, func(p *protocol.InitializeParams) {
			p.Capabilities.Experimental.Commands = []string{"wfc.run", "wfc.dryRun"}
		})
		id := protocol.TextDocumentIdentifier{URI: uri(file)}
		var hints []protocol.InlayHint
		c.call("textDocument/inlayHint", protocol.RangeParams{TextDocument: id, Range: protocol.Range{End: referenceSpan(s.text, len(s.text))}}, &hints)
		if w := want[s.name]; w != "" && !slices.ContainsFunc(hints, func(h protocol.InlayHint) bool { return h.Label == w }) {
			t.Errorf("%s: no hint %q in %+v", s.name, w, hints)
		}
		var lenses []protocol.CodeLens
		c.call("textDocument/codeLens", protocol.DocumentParams{TextDocument: id}, &lenses)
		if len(lenses) != 2 || lenses[0].Command.Command != "wfc.run" {
			t.Errorf("%s: the lenses are %+v", s.name, lenses)
		}
	}
}

// TestCompletion writes a text at the end of each sample, or behind the line of the marker,
// and asks what can follow.
func TestCompletion(t *testing.T) {
	for _, s := range samples {
		c, file := start(t, &s, nil)
		version := int32(1)
		labels := func(text string) []string {
			// What is typed stands at the end: in the last node, or in a new section.
			at := c.after(file, "MARK", 1)
			base := c.files[file]
			at += strings.IndexByte(base[at:], '\n')
			if !strings.HasPrefix(text, "\n") {
				at = strings.LastIndexByte(base[:at], '#') // in place of the marker
			}
			version++
			c.replace(file, version, at, len(base), text)
			var list protocol.CompletionList
			c.call("textDocument/completion", c.at(file, at+len(text)), &list)
			version++
			c.replace(file, version, at, len(c.files[file]), base[at:])
			c.diagnostics(file, version)
			var labels []string
			for _, item := range list.Items {
				labels = append(labels, item.Label)
				if item.TextEdit == nil || item.TextEdit.Range.End != referenceSpan(base[:at]+text, at+len(text)) {
					t.Errorf("%s: behind %q, the edit of %q is %+v", s.name, text, item.Label, item.TextEdit)
				}
			}
			return labels
		}
		for text, want := range s.completes {
			if got := labels(text); !slices.Contains(got, want) {
				t.Errorf("%s: behind %q, %q is not proposed: %q", s.name, text, want, got)
			}
		}
		for text, unwanted := range s.without {
			got := labels(text)
			if len(got) == 0 || slices.Contains(got, unwanted) {
				t.Errorf("%s: behind %q, %q is proposed: %q", s.name, text, unwanted, got)
			}
		}
	}
}

// TestUnknownMethods: what the server does not offer has the protocol's error for that.
func TestUnknownMethods(t *testing.T) {
	c := connect(t, t.TempDir(), nil)
	if code, _ := c.try("textDocument/formatting", struct{}{}, nil); code != -32601 {
		t.Errorf("formatting has the error code %d", code)
	}
	if code, _ := c.try("textDocument/hover", json.RawMessage(`"x"`), nil); code != -32602 {
		t.Errorf("invalid parameters have the error code %d", code)
	}
	var hover *protocol.Hover
	c.call("textDocument/hover", protocol.TextDocumentPositionParams{TextDocument: protocol.TextDocumentIdentifier{URI: "file:///nowhere.yaml"}}, &hover)
	if hover != nil {
		t.Error("a document that is not open has a hover")
	}
}
