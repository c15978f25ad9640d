package compiler

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/graphloop"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/lango"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/xprompt"
	"github.com/wfc-lang/wfc/compiler/internal/markdown"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/template"
)

// A prompt may contain references in the syntax of another format. They reach the agent
// unchanged, so a warning is due where the name in one is a node, an input or a variable of
// this workflow. Any other name can be text.

// The forms of references in prompts of all formats: a name, and fields behind it.
var (
	braced   = lazyregexp.New(`\{\{-?\s*\$?\.?([A-Za-z_][\w-]*)((?:\.[\w-]+)*)\s*-?\}\}`)
	dollared = lazyregexp.New(`\$\{?([A-Za-z_][\w-]*)((?:\.[\w-]+)+)\}?`)
	curled   = lazyregexp.New(`\{([A-Za-z_][\w-]*)((?:\.[\w-]+)+)\}`)
	lowered  = lazyregexp.New(`\$([Ii]nputs?)((?:\.[\w-]+)+)`) // archon has capitals
)

// foreignForms are the forms that a dialect does not have.
var foreignForms = map[string][]func() *regexp.Regexp{
	archon.Name:    {braced, curled, lowered},
	lango.Name:     {dollared, curled},
	xprompt.Name:   {dollared, curled},
	graphloop.Name: {braced, dollared, curled},
}

// warnForeign warns of such references in the prompts of a workflow.
func (c *compilation) warnForeign(w *ir.Workflow) {
	names := foreignNames{nodes: map[string]bool{}, values: map[string]bool{}}
	for _, n := range w.Body.All() {
		names.nodes[n.ID] = true
	}
	for _, in := range w.Inputs {
		names.values[in.Name] = true
	}
	if g, ok := w.Body.(*ir.Graph); ok && g.State != nil {
		for _, f := range g.State.Fields {
			names.values[f.Name] = true
		}
	}
	for _, p := range bodyPrompts(w.Body) {
		source := p.Text.Source.Value
		code := sync.OnceValue(func() markdown.Code { return markdown.FindCode(source) }) // few prompts need it
		template.WalkParts(p.Text.Parts, func(part template.Part) bool {
			text, ok := part.(*template.Text)
			if ok && text.Start <= len(source) && strings.HasPrefix(source[text.Start:], text.Value) {
				c.warnForeignIn(p.Text, text, names, code)
			}
			return true
		})
	}
}

func (c *compilation) warnForeignIn(t *template.Template, text *template.Text, names foreignNames, code func() markdown.Code) {
	if !strings.ContainsAny(text.Value, "{$") {
		return
	}
	for _, pattern := range foreignForms[c.result.Dialect] {
		form := pattern()
		for _, at := range form.FindAllStringSubmatchIndex(text.Value, -1) {
			start := text.Start + at[0]
			inside := form == curled() && at[0] > 0 && strings.IndexByte("${", text.Value[at[0]-1]) >= 0
			if inside {
				continue
			}
			whole, name, path := text.Value[at[0]:at[1]], text.Value[at[2]:at[3]], text.Value[at[4]:at[5]]
			node, value, fields := names.resolveName(name, strings.Split(path, ".")[1:], form == braced())
			if node == "" && value == "" || code().Contains(start) {
				continue
			}
			place := t.Source.Span(start, text.Start+at[1])
			c.bag.Add(finding.ForeignReference(place, whole, c.result.Dialect, nativeReference(c.result.Dialect, node, value, fields)))
		}
	}
}

// foreignNames are the names that references of a workflow can mean.
type foreignNames struct{ nodes, values map[string]bool }

// resolveName returns the node or the value that a reference means, with the fields of the node's
// output; loose says that a name alone is a reference.
func (f foreignNames) resolveName(name string, path []string, loose bool) (node, value string, fields []string) {
	if len(path) > 0 && slices.Contains([]string{"state", "inputs", "input"}, strings.ToLower(name)) && f.values[path[0]] {
		return "", path[0], nil
	}
	if len(path) > 0 && slices.Contains([]string{"steps", "nodes", "outputs"}, name) && f.nodes[path[0]] {
		name, path, loose = path[0], path[1:], true
	}
	output := len(path) > 0 && slices.Contains([]string{"output", "outputs", "result"}, path[0])
	switch {
	case f.nodes[name] && output:
		return name, "", path[1:]
	case f.nodes[name] && loose:
		return name, "", path
	case f.values[name] && loose && len(path) == 0:
		return "", name, nil
	}
	return "", "", nil
}

// nativeReference is a reference in the syntax of a dialect, or "" if its prompts have no such references.
func nativeReference(name, node, value string, fields []string) string {
	path := strings.Join(append([]string{""}, fields...), ".")
	switch {
	case name == archon.Name && node != "":
		return "$" + node + ".output" + path
	case name == archon.Name && (value == "arguments" || value == contextInput):
		return "$" + strings.ToUpper(value)
	case name == archon.Name:
		return "$INPUTS." + value
	case name == lango.Name && node != "":
		return "{{" + node + ".result}}"
	case name == xprompt.Name:
		return "{{ " + node + value + path + " }}"
	case name == graphloop.Name && value != "":
		return "(reference state." + value + ")"
	}
	return ""
}
