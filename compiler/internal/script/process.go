package script

import (
	"slices"
	"strconv"
	"strings"
)

// command returns the arguments of a call that are a program and its arguments, and the
// others.
func (t *taint) command(c *call) (command, options []argument) {
	p := t.p
	for i, a := range c.args {
		isObject := p.lang == JavaScript && (p.is(t.object(a).from, "{") || len(t.argument(a).fns) > 0 || i > 1)
		cmd := p.property(t.object(a), "cmd")
		switch {
		case i == 0 && isObject && len(cmd) > 0:
			command, options = append(command, cmd...), append(options, a)
		case a.name == "args", a.name == "" && !a.keywords && !isObject:
			command = append(command, a)
		default:
			options = append(options, a)
		}
	}
	return command, options
}

// list returns the program and its arguments, with all that they may be.
func (t *taint) list(command []argument) []element {
	var list []element
	for _, a := range command {
		list = append(list, t.elements(a.from, a.to, 0)...)
	}
	return list
}

// object returns the object literal that an argument is, or has as a name.
func (t *taint) object(a argument) argument {
	if list := t.chains(a.from, a.to); len(list) == 1 && len(list[0].trailers) == 0 {
		if s, ok := t.root(&list[0]); ok && len(t.bound[s]) == 1 {
			if b := &t.bindings[t.bound[s][0]]; b.from < b.to && !b.element && b.key == "" {
				return argument{from: b.from, to: b.to}
			}
		}
	}
	return a
}

// usesShell reports whether the options of a call ask for a shell.
func (t *taint) usesShell(c *call, options []argument) bool {
	p := t.p
	for _, a := range options {
		values := p.property(t.object(a), "shell")
		if a.name == "shell" {
			values = []argument{a}
		}
		if slices.ContainsFunc(values, func(v argument) bool { return !p.is(v.from, "False", "false", "undefined", "null") }) {
			return true
		}
	}
	return slices.ContainsFunc(c.args, func(a argument) bool { return a.spread && p.lang == JavaScript })
}

// startedBy returns the call that started a running program, or nil.
func (t *taint) startedBy(name string) *call {
	open, ok := strings.CutPrefix(name, started)
	if !ok {
		return nil
	}
	i, err := strconv.Atoi(open)
	if err != nil {
		panic(err)
	}
	return t.callAt[i]
}

// reads reports whether a call starts an interpreter that reads its program from standard
// input.
func (t *taint) reads(c *call) bool {
	command, options := t.command(c)
	if len(command) == 0 {
		return false
	}
	isShell := slices.ContainsFunc(t.callee(c).names, func(n string) bool { return lookUp(t.p.lang, n).role == roleShell })
	if isShell || t.usesShell(c, options) {
		return t.readsText(command[0])
	}
	return readsProgram(t.list(command))
}

// readsText reports whether a shell's command names an interpreter that reads its program.
func (t *taint) readsText(command argument) bool {
	text, ok := t.p.constant(command.from, command.to)
	commands, _ := shellCommands(text)
	return ok && slices.ContainsFunc(commands, readsProgram)
}

// property returns the values of a property in an object literal.
func (p *program) property(a argument, name string) []argument {
	var list []argument
	if !p.is(a.from, "{") {
		return nil
	}
	for _, part := range p.arguments(a.from) {
		if key, value := p.entry(part); key == name {
			list = append(list, argument{from: value, to: part[1] + 1})
		}
	}
	return list
}

// entry returns the name of the property that a part of an object has, and the first token
// of its value.
func (p *program) entry(part [2]int) (name string, value int) {
	name, _ = p.key(part[0])
	value = max(part[0], p.toks[part[0]].match)
	if p.is(value+1, ":") {
		return name, value + 2
	}
	return name, part[0]
}

// constant returns the text of an expression of strings without values.
func (p *program) constant(from, to int) (string, bool) {
	var b strings.Builder
	for i := from; i < to; i++ {
		if i > from && p.is(i, "+") {
			continue
		}
		if t := &p.toks[i]; t.kind != text || t.match != i && t.match != i+1 || len(t.lit.spots) > 0 {
			return "", false
		}
		b.WriteString(p.gapped(i))
		i = p.toks[i].match
	}
	return b.String(), from < to
}

// unescape reads the common escape sequences of a string.
var unescape = strings.NewReplacer("\\\n", "", `\n`, "\n", `\t`, "\t", `\\`, `\`, `\'`, "'", `\"`, `"`).Replace
