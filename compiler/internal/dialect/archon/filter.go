package archon

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
)

// Filter implements dialect.Filterer. The grammar is that of `when`, and the references are
// `$payload` and `$payload.key.key`, which reach any depth. A list's item is a key, too:
// `$payload.labels.0.name`.
func (Frontend) Filter(text source.Text, bag *diag.Bag) expr.Expr {
	p := &whenParser{text: text, filter: true}
	return p.parse(bag)
}

// payloadReference gives meaning to a reference in the condition of a trigger.
func (p *whenParser) payloadReference(t whenToken) expr.Expr {
	at := p.tokenSpan(t)
	names := strings.Split(t.text[1:], ".")
	if names[0] != finding.PayloadName {
		p.bag.Add(finding.NotPayload(at, t.text, "$"+finding.PayloadName+".action"))
		return &expr.Bad{At: at}
	}
	for _, name := range names[1:] {
		if name == "" || strings.ContainsAny(name, "{}[]") {
			p.bag.Add(finding.ConditionSyntax(at, "`"+t.text+"` is not a reference").
				WithHelp("write the keys with points between them, as in `$payload.labels.0.name`"))
			return &expr.Bad{At: at}
		}
	}
	return &expr.Payload{At: at, Path: names[1:]}
}
