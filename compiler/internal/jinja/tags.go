package jinja

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// statements are the tags that begin something.
var statements = []string{"if", "elif", "else", "endif", "for", "endfor", "set", "endset", "macro", "endmacro", "call", "endcall", "filter", "endfilter", "with", "endwith", "raw", "endraw", "print"}

// refused are the tags of Jinja2 that templates of workflows cannot have, with
// their ends and alternatives.
var refused = map[string]struct{ why, help, end string }{
	"include":    {"other templates are not available", "read the file in a step, and use its output", ""},
	"import":     {"other templates are not available", "write the macro in this template", ""},
	"from":       {"other templates are not available", "write the macro in this template", ""},
	"extends":    {"other templates are not available", "", ""},
	"block":      {"other templates are not available", "remove the tag", "endblock"},
	"autoescape": {"workflow templates escape nothing", "use the filter `escape` where necessary", "endautoescape"},
	"do":         {"the original engine does not load its extension", "write `{% set _ = … %}`", ""},
	"break":      {"the original engine does not load its extension", "use `{% for … if … %}`", ""},
	"continue":   {"the original engine does not load its extension", "use `{% for … if … %}`", ""},
	"debug":      {"the original engine does not load its extension", "", ""},
	"trans":      {"the original engine does not load its extension", "remove the tag", "endtrans"},
}

// parseOtherTag handles tags that are not statements of templates. It keeps the bodies of
// those with an end to report faults in them.
func (r *reader) parseOtherTag(pc *piece, name string) stmt {
	if len(pc.tokens) == 0 || pc.lost && name == "" {
		return nil
	}
	first := pc.tokens[0]
	at := r.faults.placeSpan(first.place)
	if no, ok := refused[name]; ok {
		d := codes.TemplateUnsupported.New(at, "unsupported statement `"+name+"`: "+no.why)
		if no.help != "" {
			d.WithHelp(no.help)
		}
		r.faults.add(d)
		if no.end == "" {
			return nil
		}
		body, end := r.parseClosedBody(name, pc.place, no.end)
		return &blockStmt{place: place{pc.start, end}, body: body}
	}
	switch {
	case first.kind == endToken:
		r.faults.add(finding.TemplateSyntax(r.faults.placeSpan(pc.place), "this tag is empty"))
	case first.kind != nameToken:
		r.faults.add(finding.TemplateSyntax(at, "a statement must start with its name").WithHelp("write `{{` and `}}` to print an expression"))
	case closes[name] != "":
		r.faults.add(r.strayFinding(pc, name))
	default:
		d := finding.TemplateSyntax(at, "unknown statement `"+name+"`")
		if near := slips[name]; near != "" {
			d.WithHelp("use `" + near + "`")
		} else if near := plain.Nearest(name, statements); near != "" {
			finding.Meant(d, at, near, near)
		} else if next := pc.tokens[1]; next.kind == opToken && next.text == "=" {
			d.WithHelp("set a variable with `set " + name + " = …`")
		}
		r.faults.add(d)
	}
	return nil
}

// strayFinding is a tag that continues a statement when none is open that it can continue.
func (r *reader) strayFinding(pc *piece, name string) *diag.Diagnostic {
	r.faults.unpaired = true
	at := r.faults.placeSpan(pc.tokens[0].place)
	if len(r.open) == 0 {
		return finding.TemplateSyntax(at, "`"+name+"` has no open `"+closes[name]+"`")
	}
	inner := r.open[len(r.open)-1]
	return finding.TemplateSyntax(at, "`"+name+"` is not allowed in `"+inner.name+"`").
		WithRelated(r.faults.placeSpan(inner.at), "opened here")
}
