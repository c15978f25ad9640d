package reference

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// Offered returns the prompts that references may name, in the order of the search. The
// list is empty if no text has a #: then the library has read no folder. Call it after all
// references have been expanded: it reads the heads of unused prompts, and reports no fault
// in them.
func (l *Library) Offered() []ir.OfferedPrompt {
	var list []ir.OfferedPrompt
	for _, name := range l.names {
		p := l.byName[name]
		if !p.read {
			p.read, p.successor = true, l.Successor
			p.parse(&diag.Bag{})
		}
		offered := ir.OfferedPrompt{Name: name, File: p.file}
		if p.head != nil && p.head.Kind == yamlsrc.Mapping {
			if n := p.head.Get("description"); n.IsString() {
				offered.Doc = n.Value
			}
		}
		for _, in := range p.inputs {
			offered.Inputs = append(offered.Inputs, ir.PromptInput{Name: in.name, Type: in.typ, Required: in.required})
		}
		list = append(list, offered)
	}
	return list
}
