package reference

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
)

// The format's successor takes words such as %model:opus out of a prompt before it asks the
// agent. wfc has other means for what they say, and would send them as text.

// directives are the names of directives with their short forms, and what to write instead.
var directives = map[string]string{
	"model m effort e":    "set the model and the effort of the agent under `agents` in wfc.yaml",
	"wait w queue q hold": "remove it: a step runs when the steps before it have ended",
	"repeat r":            "write `repeat` or `for` on the step",
	"alt {":               "write the variants as steps of a `parallel`",
	"proc if":             "write a step with `bash` or `python`, or `if` on the step",
	"auto a final":        "remove it: wfc asks a person only where a step has `hitl`",
	"id i clan c tab dispatch hide h name n tribe t": "remove it: it concerns only how the original lists and starts agents",
}

// directive is a % with a name and what gives it a value.
var directive = lazyregexp.New(`(?m)(?:^|[\s(\[{"'])%(?:([a-z]+)(?::[^\s:]|\()|(\{)[^%])`)

// findDirectives reports the directives of a text.
func (e *expander) findDirectives(f *flat, zones *literalZones) {
	if !e.library.Successor || !strings.Contains(f.text, "%") {
		return
	}
	for _, m := range directive().FindAllStringSubmatchIndex(f.text, -1) {
		start, end := m[2], m[3]
		if start < 0 {
			start, end = m[4], m[5]
		}
		name := f.text[start:end]
		if help := directiveHelp(name); help != "" && !zones.contain(f.text, start) {
			e.library.bag.Add(finding.PromptDirective(f.textSpan(start-1, end), name, help))
		}
	}
}

func directiveHelp(name string) string {
	for names, help := range directives {
		for one := range strings.FieldsSeq(names) {
			if one == name {
				return help
			}
		}
	}
	return ""
}

// separator is the line that separates the prompts of several agents.
const separator = "---"

// TrimMarker removes a separator that is the first line, with the empty lines behind it.
func TrimMarker(t source.Text) source.Text {
	line, rest, _ := strings.Cut(t.Value, "\n")
	if strings.TrimRight(line, " \t\r") != separator {
		return t
	}
	rest = strings.TrimLeft(rest, "\n")
	return t.Slice(len(t.Value)-len(rest), len(t.Value))
}

// separatorAt is where a line begins that separates the prompts of several agents, or -1.
func separatorAt(text string) int {
	zones := literalZones{successor: true}
	for at := 0; ; {
		i := strings.Index(text[at:], "\n"+separator)
		if i < 0 {
			return -1
		}
		at += i + 1
		line, _, _ := strings.Cut(text[at:], "\n")
		if strings.TrimRight(line, " \t\r") == separator && !zones.contain(text, at) {
			return at
		}
	}
}
