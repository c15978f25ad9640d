package symbols

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// prompts adds the references to other prompts. The name of one in folders is its last
// part.
func (b *builder) prompts(p *ir.Program) {
	for _, ref := range p.Prompts {
		name := ref.Name[strings.LastIndexByte(ref.Name, '/')+1:]
		file := ""
		if ref.File != nil {
			file = ref.File.Name
		}
		key := otherKey{Prompt, file, ref.Name}
		s := b.others[key]
		if s == nil {
			s = b.symbol(&Symbol{Kind: Prompt, Name: name, File: ref.File, Whole: ref.Def, Type: types.Text})
			b.others[key] = s
			b.declared(s, ref.Def)
		}
		r := Reference{Symbol: s, At: ref.At, Role: Names, In: b.enclosing(p, ref.At)}
		if last := (source.Span{File: ref.At.File, Start: ref.At.End - len(name), End: ref.At.End}); last.Text() == name {
			r.Name = last
		}
		b.add(r)
	}
}

// enclosing is the node around a place of the workflow's file, or nil.
func (b *builder) enclosing(p *ir.Program, at source.Span) *ir.Node {
	if at.File != p.File {
		return nil
	}
	return b.index.Enclosing(at.Start)
}
