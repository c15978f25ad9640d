package script

import (
	"slices"
	"strconv"
	"strings"
)

// applyCall marks the parameters of the script's functions by the arguments of a call,
// the parameters of functions that are arguments, and the objects that a method changes.
func (t *taint) applyCall(c *call) {
	callee, base := t.calleeValue(c), t.receiverValue(c)
	t.spendSteps(len(callee.fns))
	for _, fn := range callee.fns {
		t.passArguments(fn, c)
	}
	every := t.allArgumentsValue(c)
	if len(callee.fns) == 0 {
		t.applyCallbacks(c, base)
	}
	method := t.methodName(c)
	if c.at == 0 || strings.HasPrefix(method, "write") {
		return // of a file
	}
	if t.isStatement(c) || slices.Contains(mutators, method) {
		every.marks &= hostile | parsed | quoted
		t.markMutated(c.chain, every, 0)
	}
}

// applyCallbacks marks the parameters of functions that are arguments of a function that
// is not the script's: it may call them with its object and its other arguments.
func (t *taint) applyCallbacks(c *call, base value) {
	for i, a := range c.args {
		fns := t.argumentValue(a).fns
		if len(fns) == 0 {
			continue
		}
		v := t.elementValue(base)
		for k, other := range c.args {
			if k != i {
				v = v.join(t.elementValue(t.argumentValue(other)))
			}
		}
		for _, fn := range fns {
			for n := range fn.params {
				t.growParam(fn, n, v)
			}
		}
	}
}

func (t *taint) argumentValue(a argument) value { return t.expressionValue(a.from, a.to) }

// allArgumentsValue returns all that the arguments of a call contain.
func (t *taint) allArgumentsValue(c *call) value {
	var v value
	for _, a := range c.args {
		v = v.join(t.elementValue(t.argumentValue(a)))
	}
	return v
}

// calleeValue returns the value of the called expression.
func (t *taint) calleeValue(c *call) value { return t.upTo(c.chain, c.at) }

// receiverValue returns the value of the object whose method is called.
func (t *taint) receiverValue(c *call) value {
	if c.at == 0 {
		return value{}
	}
	return t.upTo(c.chain, c.at-1)
}

// passArguments marks a function's parameters by the arguments of a call.
func (t *taint) passArguments(fn *function, c *call) {
	if fn.isClass {
		for _, init := range fn.constructors {
			t.passArguments(init, c)
		}
		return
	}
	last := len(fn.params) - 1
	if last < 0 {
		return
	}
	at := 0
	if c.tag { // the first argument is the text
		at = 1
	}
	for _, a := range c.args {
		v := t.argumentValue(a)
		switch {
		case a.name != "":
			n := slices.IndexFunc(fn.params, func(one param) bool { return slices.Contains(one.names, a.name) })
			if n < 0 {
				n = last
			}
			t.passArgument(fn, n, v, a)
		case a.spread || a.keywords:
			for n := range fn.params {
				t.passArgument(fn, n, t.elementValue(v), a)
			}
		case at <= last:
			t.passArgument(fn, at, v, a)
			if !fn.params[at].rest {
				at++
			}
		}
	}
}

// passArgument marks a parameter by an argument.
func (t *taint) passArgument(fn *function, n int, v value, a argument) {
	t.growParam(fn, n, v)
	for _, name := range fn.params[n].names {
		if s := t.resolveSymbol(name, fn.body-1); !slices.Contains(t.written[s], a) {
			t.written[s] = append(t.written[s], a)
		}
	}
}

// callResult returns the value of a call's result.
func (t *taint) callResult(chain *chain, at int, callee value) value {
	c := t.callAt[chain.trailers[at].tok]
	if c == nil {
		return value{}
	}
	c = &call{open: c.open, chain: chain, at: at, args: c.args, tag: c.tag}
	t.spendSteps(1 + len(callee.fns))
	every := t.allArgumentsValue(c)
	if len(callee.fns) > 0 {
		var out value
		for _, fn := range callee.fns {
			out = out.join(fn.result)
			if fn.isClass {
				out = out.join(every)
			}
		}
		return out
	}
	base, method := t.receiverValue(c), t.methodName(c)
	for _, n := range callee.names {
		if r := lookUp(t.p.lang, n).role; r != roleNone && r != roleCode {
			return t.knownFunctionResult(c, n, every)
		}
	}
	var out value
	if method == "get" && len(c.args) > 0 {
		if key, ok := t.p.constantText(c.args[0].from, c.args[0].to); ok {
			out = t.attributeValue(base, key)
		}
		every = value{}
		for _, a := range c.args[1:] {
			every = every.join(t.argumentValue(a))
		}
	}
	all := base.join(every)
	all.names = slices.DeleteFunc(slices.Clone(all.names), func(n string) bool { return !isEvaluator(t.p.lang, n) })
	out = out.join(all)
	for _, n := range callee.names {
		out.names = union(out.names, t.knownQualifiedName(n+"()"))
	}
	switch {
	case slices.Contains(cleaners, method):
		return value{}
	case slices.Contains(makersOfText, method):
		out.marks &^= parsed
	case method == "parse" || method == "json" || method == "structuredClone":
		out.marks |= parsed
	}
	return out
}

// knownFunctionResult returns the value of the result of a function in the table.
func (t *taint) knownFunctionResult(c *call, name string, every value) value {
	texts := [2]string{}
	var first value
	for i, a := range c.args[:min(2, len(c.args))] {
		texts[i], _ = t.p.constantText(a.from, a.to)
		if i == 0 {
			first = t.argumentValue(a)
		}
	}
	switch lookUp(t.p.lang, name).role {
	case roleModule:
		if name == "module.createRequire" {
			return value{names: []string{"require"}}
		}
		return value{names: union(t.knownQualifiedName(name+"()"), t.knownQualifiedName(moduleName(texts[0])))}
	case roleProcess, roleShell, roleTemplate:
		return value{names: []string{started + strconv.Itoa(c.open)}}
	case roleLookup:
		if texts[1] != "" {
			return t.attributeValue(first, texts[1])
		}
		return t.elementValue(first)
	case roleVariable:
		return t.attributeValue(value{names: environments[:1]}, texts[0])
	case roleQuote:
		if every.marks&hostile != 0 {
			every.marks = every.marks&^hostile | quoted
		}
	}
	return every
}
