package symbols

import (
	"maps"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/types"
)

// Form is the spelling of a name in a reference.
type Form int

const (
	// Plain: the name itself.
	Plain Form = iota
	// EnvVar: the environment variable of an input.
	EnvVar
	// Computed: a part of such a variable. The script makes the rest when it runs.
	Computed
)

// Spelled returns the text of the reference for another name of the symbol.
func (r *Reference) Spelled(name string) string {
	if r.Form == Plain {
		return name
	}
	return r.prefix + envVarPart(name)
}

// envVarPart is the part of a variable that an input's name becomes.
func envVarPart(name string) string {
	return strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// A given is an input with the part of its variable before the name.
type given struct {
	*Symbol
	prefix string
}

// addEnvVariables adds the references to inputs by the environment variables of scripts.
func (b *builder) addEnvVariables(w *ir.Workflow) {
	inputs := map[string]given{}
	for _, v := range w.MoreEnv {
		if in, ok := v.Value.(*expr.Input); ok && b.inputs[in.Name] != nil {
			if prefix, ok := strings.CutSuffix(v.Name, envVarPart(in.Name)); ok && prefix != "" {
				inputs[v.Name] = given{b.inputs[in.Name], prefix}
			}
		}
	}
	if len(inputs) == 0 {
		return
	}
	ir.Walk(w.Body, func(n *ir.Node) {
		switch a := n.Action.(type) {
		case *ir.Bash:
			if a.Original != nil {
				b.addScript(n, a.Original.Source, inputs, a.Env)
			}
		case *ir.Script:
			if a.Original != nil {
				b.addScript(n, a.Original.Source, inputs, a.Env)
			}
		case *ir.Loop:
			if a.Until != nil && a.Until.Original != nil {
				b.addScript(n, a.Until.Original.Source, inputs, a.Until.Env)
			}
		}
	})
}

// word matches the names in a script.
var word = lazyregexp.New(`\b[A-Za-z_]\w*`)

// addScript adds the references to inputs in a script. Its own variables hide inputs.
func (b *builder) addScript(n *ir.Node, text source.Text, inputs map[string]given, own []ir.EnvVar) {
	hidden := map[string]bool{}
	for _, v := range own {
		hidden[v.Name] = true
	}
	names := slices.Sorted(maps.Keys(inputs))
	for _, at := range word().FindAllStringIndex(text.Value, -1) {
		name, span := text.Value[at[0]:at[1]], text.Span(at[0], at[1])
		if hidden[name] {
			continue
		}
		if in, ok := inputs[name]; ok {
			r := Reference{Symbol: in.Symbol, At: span, Role: Reads, Type: in.Type, In: n, Form: EnvVar, prefix: in.prefix}
			if span.Text() == name {
				r.Name = span
			}
			b.addReference(r)
			continue
		}
		// The script makes the rest of a name that ends so.
		rest := text.Value[at[1]:]
		open := rest != "" && strings.Contains("$*{", rest[:1])
		for _, whole := range names {
			in := inputs[whole]
			if name == in.prefix || open && len(name) > len(in.prefix) && strings.HasPrefix(whole, name) {
				b.addReference(Reference{Symbol: in.Symbol, At: span, Role: Names, In: n, Form: Computed, prefix: in.prefix})
			}
		}
	}
}

// addPrompts adds the references to other prompts. The name of one in folders is its last
// part.
func (b *builder) addPrompts(p *ir.Program) {
	for _, ref := range p.Prompts {
		name := ref.Name[strings.LastIndexByte(ref.Name, '/')+1:]
		file := ""
		if ref.File != nil {
			file = ref.File.Name
		}
		key := otherKey{Prompt, file, ref.Name}
		s := b.others[key]
		if s == nil {
			s = b.addSymbol(&Symbol{Kind: Prompt, Name: name, File: ref.File, Whole: ref.Def, Type: types.Text})
			b.others[key] = s
			b.addDeclaration(s, ref.Def)
		}
		r := Reference{Symbol: s, At: ref.At, Role: Names, In: b.enclosingNode(p, ref.At)}
		if last := (source.Span{File: ref.At.File, Start: ref.At.End - len(name), End: ref.At.End}); last.Text() == name {
			r.Name = last
		}
		b.addReference(r)
	}
}

// enclosingNode is the node around a place of the workflow's file, or nil.
func (b *builder) enclosingNode(p *ir.Program, at source.Span) *ir.Node {
	if at.File != p.File {
		return nil
	}
	return b.index.Enclosing(at.Start)
}
