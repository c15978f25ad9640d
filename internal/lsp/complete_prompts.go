package lsp

import (
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/lsp/protocol"
	"github.com/wfc-lang/wfc/internal/symbols"
)

var (
	// promptName is a reference to a prompt of xprompt, such as #review or #lang/go, up to
	// the cursor.
	promptName = lazyregexp.New(`(?:^|[\s(\[{"'])#((?:[A-Za-z_]\w*/)*(?:[A-Za-z_]\w*)?)$`)
	// promptArgument is an argument that starts at the cursor: #review(one, wh
	promptArgument = lazyregexp.New(`(?:^|[\s(\[{"'])#([\w/]+)\((?:[^()]*,)?\s*(\w*)$`)
)

// promptPlaces are the places of texts that may refer to prompts.
var promptPlaces = []string{"steps.*.prompt", "steps.*.agent", "steps.*.parallel.*.prompt", "steps.*.parallel.*.agent", "xprompts.*", "xprompts.*.content"}

// prompts proposes the prompts that a # may name, and the names of their arguments. It
// reports whether the cursor is in such a reference.
func (p *proposals) prompts() bool {
	if isYAML(p.doc.path) && !p.inPromptText() {
		return false
	}
	if m := promptName.FindStringSubmatch(p.line); m != nil {
		for _, o := range p.offered() {
			p.add(len(m[1]), itemOfPrompt(o), o.Name)
		}
		return true
	}
	m := promptArgument.FindStringSubmatch(p.line)
	if m == nil {
		return false
	}
	for _, o := range p.offered() {
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
	path := p.names()
	for _, place := range promptPlaces {
		if symbols.Matches(place, path) {
			return p.scalar || strings.ContainsAny(p.line, `"'`)
		}
	}
	return false
}

// offered returns the prompts that the document may refer to.
func (p *proposals) offered() []ir.OfferedPrompt {
	for _, a := range []*analysis{p.now, p.good} {
		if a != nil && a.index != nil && len(a.result.Program.Offered) > 0 {
			return a.result.Program.Offered
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
	return protocol.CompletionItem{Label: o.Name, Kind: protocol.CompleteFile, Detail: detail, Documentation: documented(o.Doc)}
}
