package jinja

import (
	"github.com/wfc-lang/wfc/internal/codes"
)

// parseHead parses the first tag of a statement; a colon may be at its end.
func (r *reader) parseHead(pc *piece, parse func(p *parser)) (ok bool) {
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
		if !r.parseHead(pc, func(p *parser) { b.cond = p.parseTuple(false, false, "") }) {
			b.cond = &badNode{pc.place}
		}
		var next *piece
		b.body, next = r.parseOpenedBody("if", opener, "elif", "else", "endif")
		s.branches = append(s.branches, b)
		switch {
		case next == nil:
			s.end = r.lastEnd()
			return s
		case next.tagName() == "elif":
			pc = next
			continue
		case next.tagName() == "else":
			r.elseTag(next)
			s.els, s.end = r.parseClosedBody("if", opener, "endif")
			return s
		}
		s.end = r.checkEndTag(next)
		return s
	}
}

// elseTag checks an else, behind which a condition is a common slip.
func (r *reader) elseTag(pc *piece) {
	r.inTag(pc, "%}", func(p *parser) {
		p.take()
		p.acceptOp(":")
		if t := p.peek(); t.kind != endToken {
			p.reportFault(t.place, "`else` takes no condition").WithHelp("write `elif` for a branch with a condition")
		}
	})
}

func (r *reader) forStatement(pc *piece) stmt {
	s := &forStmt{target: &badNode{pc.place}}
	ok := r.parseHead(pc, func(p *parser) {
		s.target = p.parseTarget("in", false)
		if !p.acceptName("in") {
			p.reportUnexpected("`in`")
			return
		}
		s.items = p.parseTuple(false, false, "recursive")
		if p.acceptName("if") {
			s.where_ = p.parseExpression()
		}
		if p.isName("recursive") {
			s.recursiveAt = p.take().place
			p.reportDiagnostic(codes.TemplateUnsupported.New(p.faults.placeSpan(s.recursiveAt), "recursive loops are not supported").
				WithHelp("use a recursive macro"))
		}
	})
	if !ok {
		s.items, s.where_ = &badNode{pc.place}, nil
	}
	body, next := r.parseOpenedBody("for", pc.place, "else", "endfor")
	s.body = body
	switch {
	case next == nil:
		s.end = r.lastEnd()
	case next.tagName() == "else":
		r.elseTag(next)
		s.els, s.end = r.parseClosedBody("for", pc.place, "endfor")
	default:
		s.end = r.checkEndTag(next)
	}
	s.start = pc.start
	return s
}

func (r *reader) setStatement(pc *piece) stmt {
	s := &setStmt{place: pc.place, target: &badNode{pc.place}}
	block := false
	ok := r.inTag(pc, "%}", func(p *parser) {
		p.take()
		s.target = p.parseTarget("", true)
		if p.acceptOp("=") {
			s.value = p.parseTuple(false, true, "")
			return
		}
		if p.failed {
			return
		}
		if t := p.peek(); t.kind != endToken && !p.isOp("|") && !p.isOp(":") {
			p.reportUnexpected("`=`")
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
		s.body, s.end = r.parseClosedBody("set", pc.place, "endset")
	}
	return s
}

// filterChain parses filters behind each other. x may be nil.
func (p *parser) filterChain(x node) node {
	for p.acceptOp("|") {
		x = p.parseFilter(x)
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
			target := p.parseTarget("", false)
			p.expectOp("=")
			s.targets, s.values = append(s.targets, target), append(s.values, p.parseExpression())
		}
	})
	for i := range s.values {
		if !ok {
			s.values[i] = &badNode{pc.place}
		}
	}
	s.body, s.end = r.parseClosedBody("with", pc.place, "endwith")
	s.start = pc.start
	return s
}

func (r *reader) macroStatement(pc *piece) stmt {
	s := &macroStmt{}
	r.parseHead(pc, func(p *parser) {
		t, ok := p.expectName("the name of the macro")
		if s.name, s.at = t.text, t.place; ok && p.checkAssignable(t) {
			s.params = p.parseParameters()
		}
	})
	s.body, s.end = r.parseClosedBody("macro", pc.place, "endmacro")
	s.start = pc.start
	return s
}

func (r *reader) callStatement(pc *piece) stmt {
	s := &callStmt{head: pc.place}
	ok := r.parseHead(pc, func(p *parser) {
		if p.isOp("(") {
			s.params = p.parseParameters()
		}
		x := p.parseExpression()
		call, ok := x.(*callNode)
		if !ok && !p.failed {
			at := x.where()
			p.reportFault(at, "expected a call such as `"+p.text[at.start:at.end]+"()`")
		}
		s.call = call
	})
	if !ok {
		s.call = nil
	}
	s.body, s.end = r.parseClosedBody("call", pc.place, "endcall")
	s.start = pc.start
	return s
}

// parseParameters parses the parameters of a macro with their parentheses.
func (p *parser) parseParameters() []parameter {
	if !p.expectOp("(") {
		return nil
	}
	var list []parameter
	for !p.isOp(")") && !p.failed {
		if len(list) > 0 && !p.takeSeparator(")") {
			break
		}
		t, ok := p.expectName("the name of a parameter")
		if !ok || !p.checkAssignable(t) {
			break
		}
		for _, other := range list {
			if other.name == t.text {
				p.reportFault(t.place, "the parameter `"+t.text+"` is duplicated").WithRelated(p.faults.placeSpan(other.at), "first used here")
			}
		}
		param := parameter{name: t.text, at: t.place}
		if p.acceptOp("=") {
			param.value = p.parseExpression()
		} else if len(list) > 0 && list[len(list)-1].value != nil {
			p.reportFault(t.place, "parameters without defaults must come first")
		}
		list = append(list, param)
	}
	p.expectOp(")")
	return list
}

// checkAssignable reports a name that is a constant.
func (p *parser) checkAssignable(t token) bool {
	if _, constant := constants[t.text]; constant {
		p.reportFault(t.place, "`"+t.text+"` is a constant and cannot be set")
		return false
	}
	return true
}

// parseTarget parses the target of an assignment: names, perhaps several with commas
// between, or, with fields, a field of a namespace. end is a name that ends it.
func (p *parser) parseTarget(end string, fields bool) node {
	start := p.peek().start
	x := p.tupleOf(start, false, end, func() node {
		t := p.peek()
		if next := p.peekSecond(); fields && t.kind == nameToken && next.kind == opToken && next.text == "." {
			p.at += 2
			if !p.checkAssignable(t) {
				return &badNode{t.place}
			}
			f, _ := p.expectName("the name of a field")
			return &fieldNode{place: p.placeSince(t.start), object: nameNode{place: t.place, name: t.text}, name: f.text}
		}
		return p.parsePrimary()
	})
	p.checkTarget(x)
	return x
}

func (p *parser) checkTarget(x node) {
	switch x := x.(type) {
	case *nameNode, *fieldNode, *badNode:
	case *listNode:
		if !x.tuple {
			p.reportFault(x.place, "only names can be set, not a list").WithHelp("remove the brackets")
			return
		}
		for _, item := range x.items {
			p.checkTarget(item)
		}
	default:
		at := x.where()
		p.reportFault(at, "only names can be set, not `"+p.text[at.start:at.end]+"`")
	}
}
