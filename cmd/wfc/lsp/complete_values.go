package lsp

import (
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/cmd/wfc/symbols"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/shared/pynames"
	"github.com/wfc-lang/wfc/internal/types"
)

// proposeEmbedded proposes the names inside a reference that is being written, in the notation of
// the dialect. It reports false if no reference is.
func (p *proposals) proposeEmbedded() bool {
	switch p.dialect {
	case "archon":
		return p.proposeDollarNames()
	case "lango":
		return p.proposeTemplateSteps()
	case "xprompt":
		return p.proposeJinjaNames() || p.proposePrompts()
	case "graphloop":
		return p.proposeState()
	}
	return false
}

// archonVariables are the values that the run supplies, with what they are.
var archonVariables = []struct{ name, doc string }{
	{"ARGUMENTS", "The arguments of the run."},
	{"USER_MESSAGE", "The arguments of the run."},
	{"ARTIFACTS_DIR", "The run's folder for artifacts."},
	{"WORKFLOW_ID", "The id of the run."},
	{"BASE_BRANCH", "The branch against which changes are made."},
	{"DOCS_DIR", "The folder of the project's documentation."},
	{"CONTEXT", "The context of the run."},
	{"LOOP_USER_INPUT", "The answer of a person at the gate of the loop."},
	{"LOOP_PREV_OUTPUT", "The output of the previous iteration of the loop."},
	{"REJECTION_REASON", "The reason that a person gave for a rejection."},
}

var (
	dollarField = lazyregexp.New(`\$([A-Za-z_][\w-]*)\.(?:output\.)?([\w]*)$`)
	dollarName  = lazyregexp.New(`\$([A-Za-z_][\w-]*)?$`)
	dollarValue = lazyregexp.New(`\$([A-Za-z_][\w-]*)\.(?:output\.)?(\w+)\s*[!=]=\s*['"]?([^'"\s]*)$`)
)

// proposeDollarNames proposes names behind a dollar sign.
func (p *proposals) proposeDollarNames() bool {
	if m := dollarValue().FindStringSubmatch(p.line); m != nil {
		if node := p.lookupNode(m[1]); node != nil {
			p.proposeEnumValues(fieldIn(node.Output, m[2]), len(m[3]), strings.HasSuffix(strings.TrimSuffix(p.line, m[3]), "'"))
		}
		return true
	}
	if m := dollarField().FindStringSubmatch(p.line); m != nil {
		if m[1] == "INPUTS" {
			for _, s := range p.symbolsOf(symbols.Input) {
				if s.Def.IsValid() {
					p.add(len(m[2]), p.itemOf(s), s.Name)
				}
			}
			return true
		}
		if !strings.HasSuffix(strings.TrimSuffix(p.line, m[2]), ".output.") {
			p.add(len(m[2]), protocol.CompletionItem{Label: "output", Kind: protocol.CompleteField, Detail: "the whole output"}, "output")
		}
		if node := p.lookupNode(m[1]); node != nil {
			p.fieldsOf(node.Output, len(m[2]))
		}
		return true
	}
	m := dollarName().FindStringSubmatch(p.line)
	if m == nil {
		return false
	}
	p.addSymbols(len(m[1]), p.knownNodes(), ".output")
	for _, s := range p.symbolsOf(symbols.Input) {
		if s.Def.IsValid() {
			item := p.itemOf(s)
			item.Label = "INPUTS." + s.Name
			p.add(len(m[1]), item, item.Label)
		}
	}
	for _, v := range archonVariables {
		p.add(len(m[1]), protocol.CompletionItem{Label: v.name, Kind: protocol.CompleteVariable, Documentation: markupContent(v.doc)}, v.name)
	}
	return true
}

// fieldIn returns the type of a field, or nil.
func fieldIn(t types.Type, name string) types.Type {
	if f := symbols.FieldOf(t, name); f != nil {
		return f.Type
	}
	return nil
}

// proposeEnumValues proposes the values of a type that has few, in quotes unless the user has
// typed one.
func (p *proposals) proposeEnumValues(t types.Type, n int, quoted bool) {
	var values []string
	if e := enumOf(t); e != nil {
		values = e.Values
	} else if t == types.Bool {
		values = []string{"true", "false"}
	}
	for _, v := range values {
		text := v
		if !quoted {
			text = "'" + v + "'"
		}
		p.add(n, protocol.CompletionItem{Label: v, Kind: protocol.CompleteEnum}, text)
	}
}

var (
	bracesField = lazyregexp.New(`\{\{[^}]*?([\w-]+)\.(\w*)$`)
	bracesName  = lazyregexp.New(`\{\{-?[^}]*?([\w-]*)$`)
)

// proposeTemplateSteps proposes the steps of a Go template.
func (p *proposals) proposeTemplateSteps() bool {
	if m := bracesField().FindStringSubmatch(p.line); m != nil {
		p.add(len(m[2]), protocol.CompletionItem{Label: "result", Kind: protocol.CompleteField, Detail: "the result of the step"}, "result")
		return true
	}
	m := bracesName().FindStringSubmatch(p.line)
	if m == nil {
		return false
	}
	p.addSymbols(len(m[1]), p.knownNodes(), ".result")
	p.addWords(len(m[1]), protocol.CompleteKeyword, "if", "else", "end", "range", "with")
	return true
}

var (
	jinjaFilter = lazyregexp.New(`\|\s*(\w*)$`)
	jinjaTest   = lazyregexp.New(`\bis\s+(?:not\s+)?(\w*)$`)
	jinjaValue  = lazyregexp.New(`([A-Za-z_][\w.]*)\s*[!=]=\s*["']?([^'"\s]*)$`)
	jinjaPath   = lazyregexp.New(`([A-Za-z_][\w.]*)\.(\w*)$`)
	jinjaName   = lazyregexp.New(`(\w*)$`)
)

// proposeJinjaNames proposes names inside the tags of a Jinja2 template.
func (p *proposals) proposeJinjaNames() bool {
	before := p.text[:p.offset]
	open := max(strings.LastIndex(before, "{{"), strings.LastIndex(before, "{%"))
	if open < 0 || strings.LastIndex(before, "}}") > open || strings.LastIndex(before, "%}") > open {
		return false
	}
	inside := before[open+2:]
	if m := jinjaFilter().FindStringSubmatch(inside); m != nil {
		p.proposeFunctions(pynames.Filters, len(m[1]))
		return true
	}
	if m := jinjaTest().FindStringSubmatch(inside); m != nil {
		p.proposeFunctions(pynames.Tests, len(m[1]))
		return true
	}
	if m := jinjaValue().FindStringSubmatch(inside); m != nil {
		p.proposeEnumValues(p.valueOf(m[1]), len(m[2]), strings.ContainsAny(strings.TrimSuffix(inside, m[2])[len(strings.TrimSuffix(inside, m[2]))-1:], `"'`))
		return true
	}
	if m := jinjaPath().FindStringSubmatch(inside); m != nil {
		p.fieldsOf(p.valueOf(m[1]), len(m[2]))
		return true
	}
	n := len(jinjaName().FindString(inside))
	p.addSymbols(n, p.symbolsOf(symbols.Input, symbols.Local), "")
	p.addSymbols(n, p.knownNodes(), "")
	statements := []string{"if", "elif", "else", "endif", "for", "endfor", "set", "endset", "raw", "endraw"}
	if before[open+1] == '{' {
		statements = []string{"if", "else", "not", "and", "or", "in", "is"}
	}
	p.addWords(n, protocol.CompleteKeyword, statements...)
	return true
}

// proposeFunctions proposes filters or tests.
func (p *proposals) proposeFunctions(table pynames.Table, n int) {
	for _, f := range table {
		if f.Refused != "" {
			continue
		}
		var params []string
		for _, param := range f.Params {
			text := param.Name
			if param.Default != "" {
				text += "=" + param.Default
			}
			params = append(params, text)
		}
		item := protocol.CompletionItem{Label: f.Name, Kind: protocol.CompleteFunction, Detail: f.Name + "(" + strings.Join(params, ", ") + ")"}
		p.add(n, item, f.Name)
	}
}

// valueOf returns the type of a path of names, or nil.
func (p *proposals) valueOf(path string) types.Type {
	parts := strings.Split(path, ".")
	var t types.Type
	for _, s := range p.symbolsOf(symbols.Node, symbols.Input, symbols.Local) {
		if s.Name == parts[0] {
			t = s.Type
		}
	}
	for _, name := range parts[1:] {
		t = fieldIn(t, name)
	}
	return t
}

var (
	statePath = lazyregexp.New(`state\.(\w*)$`)
	goalLabel = lazyregexp.New(`([A-Za-z_]\w*)\.(\w*)$`)
	lastWord  = lazyregexp.New(`(\w*)$`)
)

// proposeState proposes variables of the state and outputs of nodes.
func (p *proposals) proposeState() bool {
	if m := statePath().FindStringSubmatch(p.line); m != nil {
		p.addSymbols(len(m[1]), p.symbolsOf(symbols.State), "")
		for measure := expr.Iteration; measure <= expr.CostUSD; measure++ {
			p.add(len(m[1]), protocol.CompletionItem{Label: measure.String(), Kind: protocol.CompleteVariable, Detail: "kept by the run"}, measure.String())
		}
		return true
	}
	path := strings.Join(p.symbolPath(), ".")
	switch {
	case path == "edges.*.condition":
		n := len(lastWord().FindString(p.line))
		p.addSymbols(n, p.labelsHere(), "")
		p.addWords(n, protocol.CompleteKeyword, "state.")
		return true
	case strings.HasPrefix(path, "completion"):
		if m := goalLabel().FindStringSubmatch(p.line); m != nil {
			p.addSymbols(len(m[2]), p.labelsOf(m[1]), "")
			return true
		}
		p.addSymbols(len(lastWord().FindString(p.line)), p.knownNodes(), ".")
		return true
	case strings.Contains(p.line, "(reference ") && strings.LastIndex(p.line, "(reference ") > strings.LastIndex(p.line, ")"):
		p.addWords(len(lastWord().FindString(p.line)), protocol.CompleteKeyword, "state.")
		return true
	}
	return false
}

var (
	// promptName is a reference to a prompt of xprompt, such as #review or #lang/go, up to
	// the cursor.
	promptName = lazyregexp.New(`(?:^|[\s(\[{"'])#((?:[A-Za-z_]\w*/)*(?:[A-Za-z_]\w*)?)$`)
	// promptArgument is an argument that starts at the cursor: #review(one, wh
	promptArgument = lazyregexp.New(`(?:^|[\s(\[{"'])#([\w/]+)\((?:[^()]*,)?\s*(\w*)$`)
)

// promptPlaces are the places of texts that may refer to prompts.
var promptPlaces = []string{"steps.*.prompt", "steps.*.agent", "steps.*.parallel.*.prompt", "steps.*.parallel.*.agent", "xprompts.*", "xprompts.*.content"}

// proposePrompts proposes the prompts that a # may name, and the names of their arguments. It
// reports whether the cursor is in such a reference.
func (p *proposals) proposePrompts() bool {
	if isYAML(p.doc.path) && !p.inPromptText() {
		return false
	}
	if m := promptName().FindStringSubmatch(p.line); m != nil {
		for _, o := range p.offeredPrompts() {
			p.add(len(m[1]), itemOfPrompt(o), o.Name)
		}
		return true
	}
	m := promptArgument().FindStringSubmatch(p.line)
	if m == nil {
		return false
	}
	for _, o := range p.offeredPrompts() {
		if o.Name != m[1] {
			continue
		}
		for _, in := range o.Inputs {
			item := protocol.CompletionItem{Label: in.Name, Kind: protocol.CompleteVariable, Detail: describeType(in.Type)}
			p.add(len(m[2]), item, in.Name+"=")
		}
	}
	return true
}

// inPromptText reports whether the cursor is in a text that may refer to prompts. In a
// scalar without quotes, a # behind a space starts a comment.
func (p *proposals) inPromptText() bool {
	path := p.symbolPath()
	for _, place := range promptPlaces {
		if symbols.Matches(place, path) {
			return p.scalar || strings.ContainsAny(p.line, `"'`)
		}
	}
	return false
}

// offeredPrompts returns the prompts that the document may refer to.
func (p *proposals) offeredPrompts() []ir.OfferedPrompt {
	for _, a := range []*analysis{p.now, p.good} {
		if a != nil && a.index != nil && len(a.result.Workflow.Offered) > 0 {
			return a.result.Workflow.Offered
		}
	}
	return nil
}

// itemOfPrompt is the proposal of a prompt. Its detail shows its arguments; those with a
// default have a question mark.
func itemOfPrompt(o ir.OfferedPrompt) protocol.CompletionItem {
	detail := "in this file"
	if o.File != nil {
		detail = o.File.Name
	}
	var list []string
	for _, in := range o.Inputs {
		text := in.Name
		if !in.Required {
			text += "?"
		}
		list = append(list, text)
	}
	if len(list) > 0 {
		detail = "(" + strings.Join(list, ", ") + ") · " + detail
	}
	return protocol.CompletionItem{Label: o.Name, Kind: protocol.CompleteFile, Detail: detail, Documentation: markupContent(o.Doc)}
}
