package jinja

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/finding"
)

// An opened tag is one that waits for its end.
type opened struct {
	name string
	at   place
	// ends are the names of the tags that may come next.
	ends []string
}

// reader makes statements of the pieces of a template. Each tag is parsed on its
// own, so that a fault in one hides none in others.
type reader struct {
	text   string
	pieces []piece
	at     int
	open   []opened
	faults *faults
}

// parseStatements parses a whole template.
func parseStatements(f *faults) []stmt {
	r := &reader{text: f.text.Value, pieces: scanPieces(f), faults: f}
	var list []stmt
	for r.at < len(r.pieces) {
		list = append(list, r.parseBody()...)
	}
	return list
}

// parseBody parses statements up to a tag that an open one waits for, which it leaves
// in place, or to the end.
func (r *reader) parseBody() []stmt {
	var list []stmt
	for r.at < len(r.pieces) {
		pc := &r.pieces[r.at]
		switch pc.kind {
		case textPiece:
			r.at++
			list = append(list, &textStmt{place: pc.place, value: pc.value})
		case holePiece:
			r.at++
			list = append(list, r.parseHole(pc))
		default:
			if r.endsBody(pc) {
				return list
			}
			if s := r.parseStatement(pc); s != nil {
				list = append(list, s)
			}
		}
	}
	return list
}

// inTag runs a parser over a tag; when the fault may be that a quote is missing,
// that is reported instead. ok is false when the tag cannot be read.
func (r *reader) inTag(pc *piece, closer string, parse func(p *parser)) (ok bool) {
	if pc.lost {
		return false
	}
	mark := r.faults.mark()
	p := &parser{text: r.text, tokens: pc.tokens, whole: pc.place, quiet: pc.faulty, faults: r.faults}
	parse(p)
	p.expectEnd()
	if !p.failed || pc.faulty || !cutShort(r.text, pc.tokens, closer) {
		return !p.failed && !pc.garbled
	}
	list := append([]*diag.Diagnostic(nil), r.faults.list[mark:]...)
	r.faults.drop(mark)
	if t := lexAs(r.text, pc.inside, closer, r.faults, true); !t.faulty {
		r.faults.list = append(r.faults.list[:mark], list...)
	}
	return false
}

func (r *reader) parseHole(pc *piece) stmt {
	s := &printStmt{place: pc.place, values: make([]node, 1)}
	if !r.inTag(pc, "}}", func(p *parser) { s.values[0] = p.parseTuple(false, true, "") }) {
		s.values[0] = &badNode{pc.place}
	}
	return s
}

// tagName returns the name of a tag.
func (pc *piece) tagName() string {
	if len(pc.tokens) > 0 && pc.tokens[0].kind == nameToken {
		return pc.tokens[0].text
	}
	return ""
}

// closes are the tags that end others, with the ended tags.
var closes = map[string]string{
	"endif": "if", "elif": "if", "else": "if", "endfor": "for", "endset": "set", "endwith": "with", "endmacro": "macro",
	"endcall": "call", "endfilter": "filter", "endraw": "raw", "endblock": "block", "endautoescape": "autoescape", "endtrans": "trans",
}

// slips are other languages' words for the tags of templates.
var slips = map[string]string{
	"fi": "endif", "end": "", "done": "endfor", "elsif": "elif", "elseif": "elif", "endforeach": "endfor", "foreach": "for",
	"unless": "if not", "switch": "if", "case": "elif", "let": "set", "var": "set", "assign": "set", "function": "macro", "def": "macro", "while": "for",
}

// endsBody reports whether a tag ends the body at hand. One that ends nothing is
// reported and, unless it ends an outer tag, left out.
func (r *reader) endsBody(pc *piece) bool {
	name := pc.tagName()
	if len(r.open) > 0 && name != "" {
		inner := &r.open[len(r.open)-1]
		if slices.Contains(inner.ends, name) {
			return true
		}
		if (slips[name] != "" || name == "end") && r.acceptSlip(pc, name, inner) {
			return true
		}
	}
	if closes[name] == "" {
		return false
	}
	for i := len(r.open) - 2; i >= 0; i-- {
		if slices.Contains(r.open[i].ends, name) && name != "else" && name != "elif" {
			r.reportUnclosed()
			return true
		}
	}
	if len(r.open) == 0 || name[:2] != "en" || closes[name] == "raw" {
		return false
	}
	// The tag can only be meant for the innermost open one.
	inner := &r.open[len(r.open)-1]
	end := inner.ends[len(inner.ends)-1]
	r.faults.add(finding.TemplateSyntax(r.faults.placeSpan(pc.tokens[0].place), "`"+name+"` does not end `"+closes[name]+"`: the open tag is `"+inner.name+"`").
		WithRelated(r.faults.placeSpan(inner.at), "opened here").
		WithFix("replace with `"+end+"`", r.faults.placeSpan(pc.tokens[0].place), end))
	pc.tokens[0].text = end
	return true
}

// acceptSlip treats another language's word as the end of the innermost tag, if it can be one.
func (r *reader) acceptSlip(pc *piece, name string, inner *opened) bool {
	end := slips[name]
	if name == "end" {
		end = inner.ends[len(inner.ends)-1]
	}
	if !slices.Contains(inner.ends, end) {
		return false
	}
	at := r.faults.placeSpan(pc.tokens[0].place)
	d := finding.TemplateSyntax(at, "unknown statement `"+name+"`").WithHelp("continue `" + inner.name + "` with `" + end + "`")
	if name == "end" && len(pc.tokens) > 2 {
		pc.tokens = []token{pc.tokens[0], pc.tokens[len(pc.tokens)-1]} // as in `end if`
	} else {
		d.WithFix("replace with `"+end+"`", at, end)
	}
	r.faults.add(d)
	pc.tokens[0].text = end
	return true
}

// reportUnclosed reports the innermost open tag.
func (r *reader) reportUnclosed() {
	inner := r.open[len(r.open)-1]
	r.faults.unpaired = true
	r.faults.add(finding.JinjaUnclosed(r.faults.placeSpan(inner.at), "{% "+inner.name+" %}", "{% "+inner.ends[len(inner.ends)-1]+" %}"))
}

// parseOpenedBody parses the body of an opened tag up to one of the tags that continue it,
// and returns that tag, or nil if it never comes.
func (r *reader) parseOpenedBody(name string, at place, ends ...string) ([]stmt, *piece) {
	if len(r.open) > maxDepth {
		r.faults.add(finding.TemplateSyntax(r.faults.placeSpan(at), "this is nested too deeply"))
		r.at = len(r.pieces)
		return nil, nil
	}
	r.open = append(r.open, opened{name: name, at: at, ends: ends})
	body := r.parseBody()
	defer func() { r.open = r.open[:len(r.open)-1] }()
	if r.at == len(r.pieces) {
		r.reportUnclosed()
		return body, nil
	}
	pc := &r.pieces[r.at]
	if slices.Contains(ends, pc.tagName()) {
		r.at++
		return body, pc
	}
	return body, nil // it ends an outer tag; that was reported
}

// parseClosedBody parses the body of a tag up to its end, which it checks.
func (r *reader) parseClosedBody(name string, at place, end string) ([]stmt, int) {
	body, pc := r.parseOpenedBody(name, at, end)
	return body, r.checkEndTag(pc)
}

// checkEndTag checks a tag that is a single word and returns where it ends.
func (r *reader) checkEndTag(pc *piece) int {
	if pc == nil {
		return r.lastEnd()
	}
	r.inTag(pc, "%}", func(p *parser) {
		p.take()
		if t := p.peek(); t.kind == nameToken {
			p.reportFault(t.place, "`"+pc.tagName()+"` takes no arguments")
		}
	})
	return pc.end
}

// lastEnd is the end of the piece that was read last.
func (r *reader) lastEnd() int {
	if r.at == 0 {
		return 0
	}
	return r.pieces[r.at-1].place.end
}

// parseStatement parses a statement; nil if its tag cannot be read, or ends a body.
func (r *reader) parseStatement(pc *piece) stmt {
	r.at++
	start := pc.start
	if pc.lost && pc.tagName() == "" {
		return nil
	}
	switch name := pc.tagName(); name {
	case "if":
		return r.ifStatement(pc)
	case "for":
		return r.forStatement(pc)
	case "set":
		return r.setStatement(pc)
	case "with":
		return r.withStatement(pc)
	case "macro":
		return r.macroStatement(pc)
	case "call":
		return r.callStatement(pc)
	case "filter":
		s := &filterStmt{}
		if !r.parseHead(pc, func(p *parser) { s.filters = p.filterChain(p.parseFilter(nil)) }) {
			s.filters = &badNode{pc.place}
		}
		s.body, s.end = r.parseClosedBody("filter", pc.place, "endfilter")
		s.start = start
		return s
	case "print":
		s := &printStmt{place: pc.place}
		ok := r.inTag(pc, "%}", func(p *parser) {
			p.take()
			for p.peek().kind != endToken {
				if len(s.values) > 0 && !p.expectOp(",") {
					break
				}
				s.values = append(s.values, p.parseExpression())
			}
		})
		if !ok {
			s.values = nil
		}
		return s
	default:
		return r.parseOtherTag(pc, name)
	}
}
