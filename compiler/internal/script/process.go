package script

import (
	"slices"
	"strconv"
	"strings"
)

// splitCommand returns the arguments of a call that are a program and its arguments, and the
// others.
func (t *taint) splitCommand(c *call) (command, options []argument) {
	p := t.p
	for i, a := range c.args {
		isObject := p.lang == JavaScript && (p.hasText(t.resolveObjectLiteral(a).from, "{") || len(t.argumentValue(a).fns) > 0 || i > 1)
		cmd := p.propertyValues(t.resolveObjectLiteral(a), "cmd")
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

// commandElements returns the program and its arguments, with all that they may be.
func (t *taint) commandElements(command []argument) []element {
	var list []element
	for _, a := range command {
		list = append(list, t.listElements(a.from, a.to, 0)...)
	}
	return list
}

// resolveObjectLiteral returns the object literal that an argument is, or has as a name.
func (t *taint) resolveObjectLiteral(a argument) argument {
	if list := t.operandChains(a.from, a.to); len(list) == 1 && len(list[0].trailers) == 0 {
		if s, ok := t.chainRoot(&list[0]); ok && len(t.bound[s]) == 1 {
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
		values := p.propertyValues(t.resolveObjectLiteral(a), "shell")
		if a.name == "shell" {
			values = []argument{a}
		}
		if slices.ContainsFunc(values, func(v argument) bool { return !p.hasText(v.from, "False", "false", "undefined", "null") }) {
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

// readsProgramFromStdin reports whether a call starts an interpreter that reads its program from standard
// input.
func (t *taint) readsProgramFromStdin(c *call) bool {
	command, options := t.splitCommand(c)
	if len(command) == 0 {
		return false
	}
	isShell := slices.ContainsFunc(t.calleeValue(c).names, func(n string) bool { return lookUp(t.p.lang, n).role == roleShell })
	if isShell || t.usesShell(c, options) {
		return t.readsText(command[0])
	}
	return readsProgram(t.commandElements(command))
}

// readsText reports whether a shell's command names an interpreter that reads its program.
func (t *taint) readsText(command argument) bool {
	text, ok := t.p.constantText(command.from, command.to)
	commands, _ := shellCommands(text)
	return ok && slices.ContainsFunc(commands, readsProgram)
}

// propertyValues returns the values of a property in an object literal.
func (p *program) propertyValues(a argument, name string) []argument {
	var list []argument
	if !p.hasText(a.from, "{") {
		return nil
	}
	for _, part := range p.splitAtCommas(a.from) {
		if key, value := p.objectEntry(part); key == name {
			list = append(list, argument{from: value, to: part[1] + 1})
		}
	}
	return list
}

// objectEntry returns the name of the property that a part of an object has, and the first token
// of its value.
func (p *program) objectEntry(part [2]int) (name string, value int) {
	name, _ = p.propertyName(part[0])
	value = max(part[0], p.toks[part[0]].match)
	if p.hasText(value+1, ":") {
		return name, value + 2
	}
	return name, part[0]
}

// constantText returns the text of an expression of strings without values.
func (p *program) constantText(from, to int) (string, bool) {
	var b strings.Builder
	for i := from; i < to; i++ {
		if i > from && p.hasText(i, "+") {
			continue
		}
		if t := &p.toks[i]; t.kind != text || t.match != i && t.match != i+1 || len(t.lit.spots) > 0 {
			return "", false
		}
		b.WriteString(p.textWithGaps(i))
		i = p.toks[i].match
	}
	return b.String(), from < to
}

// unescape reads the common escape sequences of a string.
var unescape = strings.NewReplacer("\\\n", "", `\n`, "\n", `\t`, "\t", `\\`, `\`, `\'`, "'", `\"`, `"`).Replace
