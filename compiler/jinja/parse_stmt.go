package jinja

import (
	"github.com/wfc-lang/wfc/compiler/diag"
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

// read parses a whole template.
func read(f *faults) []stmt {
	r := &reader{text: f.text.Value, pieces: scan(f), faults: f}
	var list []stmt
	for r.at < len(r.pieces) {
		list = append(list, r.body()...)
	}
	return list
}

// body parses statements up to a tag that an open one waits for, which it leaves
// in place, or to the end.
func (r *reader) body() []stmt {
	var list []stmt
	for r.at < len(r.pieces) {
		pc := &r.pieces[r.at]
		switch pc.kind {
		case textPiece:
			r.at++
			list = append(list, &textStmt{place: pc.place, value: pc.value})
		case holePiece:
			r.at++
			list = append(list, r.hole(pc))
		default:
			if r.ending(pc) {
				return list
			}
			if s := r.statement(pc); s != nil {
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
	p.end()
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

func (r *reader) hole(pc *piece) stmt {
	s := &printStmt{place: pc.place, values: make([]node, 1)}
	if !r.inTag(pc, "}}", func(p *parser) { s.values[0] = p.tuple(false, true, "") }) {
		s.values[0] = &badNode{pc.place}
	}
	return s
}

// name returns the name of a tag.
func (pc *piece) name() string {
	if len(pc.tokens) > 0 && pc.tokens[0].kind == nameToken {
		return pc.tokens[0].text
	}
	return ""
}

// closes are the tags that end others, with what they end.
var closes = map[string]string{
	"endif": "if", "elif": "if", "else": "if", "endfor": "for", "endset": "set", "endwith": "with", "endmacro": "macro",
	"endcall": "call", "endfilter": "filter", "endraw": "raw", "endblock": "block", "endautoescape": "autoescape", "endtrans": "trans",
}

// slips are other languages' words for the tags of templates.
var slips = map[string]string{
	"fi": "endif", "end": "", "done": "endfor", "elsif": "elif", "elseif": "elif", "endforeach": "endfor", "foreach": "for",
	"unless": "if not", "switch": "if", "case": "elif", "let": "set", "var": "set", "assign": "set", "function": "macro", "def": "macro", "while": "for",
}

// ending reports whether a tag ends the body at hand. One that ends nothing is
// reported and, unless it ends an outer tag, left out.
func (r *reader) ending(pc *piece) bool {
	name := pc.name()
	if len(r.open) > 0 && name != "" {
		inner := &r.open[len(r.open)-1]
		for _, end := range inner.ends {
			if end == name {
				return true
			}
		}
		if slips[name] != "" || name == "end" {
			if r.slip(pc, name, inner) {
				return true
			}
		}
	}
	if closes[name] == "" {
		return false
	}
	for i := len(r.open) - 2; i >= 0; i-- {
		for _, end := range r.open[i].ends {
			if end == name && name != "else" && name != "elif" {
				r.unclosed()
				return true
			}
		}
	}
	if len(r.open) == 0 {
		return false
	}
	if name[:2] != "en" || closes[name] == "raw" {
		return false
	}
	// The tag can only be meant for the innermost open one.
	inner := &r.open[len(r.open)-1]
	end := inner.ends[len(inner.ends)-1]
	r.faults.add(diag.JinjaTag(r.faults.span(pc.tokens[0].place), "`"+name+"` ends no `"+closes[name]+"`; the open tag is `"+inner.name+"`").
		WithRelated(r.faults.span(inner.at), "opened here").
		WithFix("replace with `"+end+"`", r.faults.span(pc.tokens[0].place), end, false))
	pc.tokens[0].text = end
	return true
}

// slip takes another language's word for the end of the innermost tag, when it
// can be that.
func (r *reader) slip(pc *piece, name string, inner *opened) bool {
	end := slips[name]
	if name == "end" {
		end = inner.ends[len(inner.ends)-1]
	}
	for _, e := range inner.ends {
		if e != end {
			continue
		}
		at := r.faults.span(pc.tokens[0].place)
		d := diag.JinjaTag(at, "templates have no statement `"+name+"`").WithHelp("`" + inner.name + "` goes on with `" + end + "`")
		if name == "end" && len(pc.tokens) > 2 {
			pc.tokens = []token{pc.tokens[0], pc.tokens[len(pc.tokens)-1]} // as in `end if`
		} else {
			d.WithFix("replace with `"+end+"`", at, end, false)
		}
		r.faults.add(d)
		pc.tokens[0].text = end
		return true
	}
	return false
}

// unclosed reports the innermost open tag.
func (r *reader) unclosed() {
	inner := r.open[len(r.open)-1]
	r.faults.add(diag.JinjaUnclosed(r.faults.span(inner.at), "{% "+inner.name+" %}", "{% "+inner.ends[len(inner.ends)-1]+" %}"))
}

// within parses the body of an opened tag up to one of the tags that go on, and
// returns that tag, taken, or nil when it never comes.
func (r *reader) within(name string, at place, ends ...string) ([]stmt, *piece) {
	if len(r.open) > maxDepth {
		r.faults.add(diag.JinjaSyntax(r.faults.span(at), "this is nested too deeply"))
		r.at = len(r.pieces)
		return nil, nil
	}
	r.open = append(r.open, opened{name: name, at: at, ends: ends})
	body := r.body()
	defer func() { r.open = r.open[:len(r.open)-1] }()
	if r.at == len(r.pieces) {
		r.unclosed()
		return body, nil
	}
	pc := &r.pieces[r.at]
	for _, end := range ends {
		if pc.name() == end {
			r.at++
			return body, pc
		}
	}
	return body, nil // it ends an outer tag; that was reported
}

// closing parses the body of a tag up to its end, which it checks.
func (r *reader) closing(name string, at place, end string) ([]stmt, int) {
	body, pc := r.within(name, at, end)
	return body, r.ended(pc)
}

// ended checks a tag that is a single word and returns where it ends.
func (r *reader) ended(pc *piece) int {
	if pc == nil {
		return r.lastEnd()
	}
	r.inTag(pc, "%}", func(p *parser) {
		p.take()
		if t := p.peek(); t.kind == nameToken {
			p.fail(t.place, "`"+pc.name()+"` stands alone")
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

// statement parses a statement; nil when nothing of it is left.
func (r *reader) statement(pc *piece) stmt {
	r.at++
	start := pc.start
	if pc.lost && pc.name() == "" {
		return nil
	}
	switch name := pc.name(); name {
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
		if !r.head(pc, func(p *parser) { s.filters = p.filterChain(p.filter(nil)) }) {
			s.filters = &badNode{pc.place}
		}
		s.body, s.end = r.closing("filter", pc.place, "endfilter")
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
				s.values = append(s.values, p.expression())
			}
		})
		if !ok {
			s.values = nil
		}
		return s
	default:
		return r.other(pc, name)
	}
}

// head parses the first tag of a statement; a colon may stand at its end.
func (r *reader) head(pc *piece, parse func(p *parser)) (ok bool) {
	return r.inTag(pc, "%}", func(p *parser) {
		p.take()
		parse(p)
		p.acceptOp(":")
	})
}

func (r *reader) ifStatement(pc *piece) stmt {
	s := &ifStmt{place: pc.place}
	opener := pc.place
	for {
		b := branch{}
		if !r.head(pc, func(p *parser) { b.cond = p.tuple(false, false, "") }) {
			b.cond = &badNode{pc.place}
		}
		var next *piece
		b.body, next = r.within("if", opener, "elif", "else", "endif")
		s.branches = append(s.branches, b)
		switch {
		case next == nil:
			s.end = r.lastEnd()
			return s
		case next.name() == "elif":
			pc = next
			continue
		case next.name() == "else":
			r.elseTag(next)
			s.els, s.end = r.closing("if", opener, "endif")
			return s
		}
		s.end = r.ended(next)
		return s
	}
}

// elseTag checks an else, behind which a condition is a common slip.
func (r *reader) elseTag(pc *piece) {
	r.inTag(pc, "%}", func(p *parser) {
		p.take()
		p.acceptOp(":")
		if t := p.peek(); t.kind != endToken {
			p.fail(t.place, "`else` stands alone").WithHelp("a branch with a condition is `elif`")
		}
	})
}

func (r *reader) forStatement(pc *piece) stmt {
	s := &forStmt{target: &badNode{pc.place}}
	ok := r.head(pc, func(p *parser) {
		s.target = p.target("in", false)
		if !p.acceptName("in") {
			p.unexpected("`in`")
			return
		}
		s.items = p.tuple(false, false, "recursive")
		if p.acceptName("if") {
			s.where_ = p.expression()
		}
		if p.isName("recursive") {
			s.recursiveAt = p.take().place
			p.give(diag.JinjaUnsupported(p.faults.span(s.recursiveAt), "loops that call themselves are not supported").
				WithHelp("write a macro that calls itself"))
		}
	})
	if !ok {
		s.items, s.where_ = &badNode{pc.place}, nil
	}
	body, next := r.within("for", pc.place, "else", "endfor")
	s.body = body
	switch {
	case next == nil:
		s.end = r.lastEnd()
	case next.name() == "else":
		r.elseTag(next)
		s.els, s.end = r.closing("for", pc.place, "endfor")
	default:
		s.end = r.ended(next)
	}
	s.start = pc.start
	return s
}

func (r *reader) setStatement(pc *piece) stmt {
	s := &setStmt{place: pc.place, target: &badNode{pc.place}}
	block := false
	ok := r.inTag(pc, "%}", func(p *parser) {
		p.take()
		s.target = p.target("", true)
		if p.acceptOp("=") {
			s.value = p.tuple(false, true, "")
			return
		}
		if p.failed {
			return
		}
		if t := p.peek(); t.kind != endToken && !p.isOp("|") && !p.isOp(":") {
			p.unexpected("`=`")
			return
		}
		block = true
		s.filters = p.filterChain(nil)
		p.acceptOp(":")
	})
	if !ok {
		s.value = &badNode{pc.place}
		if _, field := s.target.(*fieldNode); field {
			s.target = &badNode{pc.place}
		}
	}
	if block {
		s.body, s.end = r.closing("set", pc.place, "endset")
	}
	return s
}

// filterChain parses filters behind each other. x may be nil.
func (p *parser) filterChain(x node) node {
	for p.acceptOp("|") {
		x = p.filter(x)
	}
	return x
}

func (r *reader) withStatement(pc *piece) stmt {
	s := &withStmt{}
	ok := r.inTag(pc, "%}", func(p *parser) {
		p.take()
		for p.peek().kind != endToken {
			if len(s.targets) > 0 && !p.expectOp(",") {
				break
			}
			target := p.target("", false)
			p.expectOp("=")
			s.targets, s.values = append(s.targets, target), append(s.values, p.expression())
		}
	})
	for i := range s.values {
		if !ok {
			s.values[i] = &badNode{pc.place}
		}
	}
	s.body, s.end = r.closing("with", pc.place, "endwith")
	s.start = pc.start
	return s
}

func (r *reader) macroStatement(pc *piece) stmt {
	s := &macroStmt{}
	r.head(pc, func(p *parser) {
		t, ok := p.expectName("the name of the macro")
		if s.name, s.at = t.text, t.place; ok && p.assignable(t) {
			s.params = p.parameters()
		}
	})
	s.body, s.end = r.closing("macro", pc.place, "endmacro")
	s.start = pc.start
	return s
}

func (r *reader) callStatement(pc *piece) stmt {
	s := &callStmt{head: pc.place}
	ok := r.head(pc, func(p *parser) {
		if p.isOp("(") {
			s.params = p.parameters()
		}
		x := p.expression()
		call, ok := x.(*callNode)
		if !ok && !p.failed {
			at := x.where()
			p.fail(at, "a call such as `"+p.text[at.start:at.end]+"()` must stand here")
		}
		s.call = call
	})
	if !ok {
		s.call = nil
	}
	s.body, s.end = r.closing("call", pc.place, "endcall")
	s.start = pc.start
	return s
}

// parameters parses the parameters of a macro with their parentheses.
func (p *parser) parameters() []parameter {
	if !p.expectOp("(") {
		return nil
	}
	var list []parameter
	for !p.isOp(")") && !p.failed {
		if len(list) > 0 && !p.separator(")") {
			break
		}
		t, ok := p.expectName("the name of a parameter")
		if !ok || !p.assignable(t) {
			break
		}
		for _, other := range list {
			if other.name == t.text {
				p.fail(t.place, "the parameter `"+t.text+"` is there twice").WithRelated(p.faults.span(other.at), "the first time")
			}
		}
		param := parameter{name: t.text, at: t.place}
		if p.acceptOp("=") {
			param.value = p.expression()
		} else if len(list) > 0 && list[len(list)-1].value != nil {
			p.fail(t.place, "a parameter without a default must stand before those with one")
		}
		list = append(list, param)
	}
	p.expectOp(")")
	return list
}

// assignable reports a name that is a constant.
func (p *parser) assignable(t token) bool {
	if _, constant := constants[t.text]; constant {
		p.fail(t.place, "`"+t.text+"` is a constant and cannot be set")
		return false
	}
	return true
}

// target parses what is assigned to: names, perhaps several with commas between,
// or a field of a namespace where fields is true. end is a name that ends it.
func (p *parser) target(end string, fields bool) node {
	start := p.peek().start
	x := p.tupleOf(start, false, end, func() node {
		t := p.peek()
		if next := p.look(); fields && t.kind == nameToken && next.kind == opToken && next.text == "." {
			p.at += 2
			if !p.assignable(t) {
				return &badNode{t.place}
			}
			f, _ := p.expectName("the name of a field")
			return &fieldNode{place: p.since(t.start), object: nameNode{place: t.place, name: t.text}, name: f.text}
		}
		return p.primary()
	})
	p.checkTarget(x)
	return x
}

func (p *parser) checkTarget(x node) {
	switch x := x.(type) {
	case *nameNode, *fieldNode, *badNode:
	case *listNode:
		if !x.tuple {
			p.fail(x.place, "only names can be set, not a list").WithHelp("leave out the brackets")
			return
		}
		for _, item := range x.items {
			p.checkTarget(item)
		}
	default:
		at := x.where()
		p.fail(at, "only names can be set, not `"+p.text[at.start:at.end]+"`")
	}
}
