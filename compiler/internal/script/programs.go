package script

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

type sourceSpan = source.Span

// processes are functions that start a program from a list of arguments, by their
// qualified names.
var processes = []string{
	"subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen", "asyncio.create_subprocess_exec", "asyncio.subprocess.create_subprocess_exec",
	"os.execl", "os.execle", "os.execlp", "os.execlpe", "os.execv", "os.execve", "os.execvp", "os.execvpe", "os.posix_spawn", "os.posix_spawnp",
	"os.spawnl", "os.spawnle", "os.spawnlp", "os.spawnlpe", "os.spawnv", "os.spawnve", "os.spawnvp", "os.spawnvpe", "pty.spawn",
	"child_process.spawn", "child_process.spawnSync", "child_process.execFile", "child_process.execFileSync", "child_process.fork",
	"Bun.spawn", "Bun.spawnSync", "execa.execa", "execa.execaSync", "cross-spawn",
}

// An element is one argument of a program.
type element struct {
	from, to int
	// text is its text, or the fixed text that it begins with.
	text string
	// fixed says that the text is all of it.
	fixed  bool
	v      value
	spread bool
}

func (e element) dirty() bool { return e.v.marks&dirty != 0 }

// mayBeOption reports whether the element may be an option that a value chooses.
func (e element) mayBeOption() bool { return e.dirty() && (e.text == "" || e.spread) }

// judgeProcess judges a call that starts a program.
func (f *flow) judgeProcess(c *call, name string) {
	list, rest, known := f.command(c, name)
	shown := "`" + f.shown(c) + "`"
	shell := f.p.lang == Python && (f.usesShell(c) || len(c.args) > 8) || f.p.lang == JavaScript && f.asksShell(c, rest, shown)
	if shell {
		help := "remove `shell=True` and pass a list: `subprocess.run(['program', LABEL])`"
		if f.p.lang == JavaScript {
			help = "remove `shell`: `spawnSync('program', [LABEL])`"
		}
		for _, a := range c.args {
			if (a.name == "" && !slices.ContainsFunc(rest, func(r argument) bool { return r.from == a.from }) || a.name == "args" || a.keywords) && f.refuse(a.from, a.to, "the shell of "+shown, help) {
				return
			}
		}
	}
	for _, a := range rest {
		f.judgeOptions(c, a, shown)
	}
	if text, ok := f.p.constant([2]int{c.args[0].from, c.args[0].to - 1}); ok && shell {
		f.judgeFixedProgram("sh", text, shown, f.inputs(rest), c.args[0].from)
	}
	if !known {
		for _, a := range c.args {
			if !slices.ContainsFunc(rest, func(r argument) bool { return r.from == a.from }) && f.refuse(a.from, a.to, shown, shellHelp[f.p.lang]) {
				return
			}
		}
		return
	}
	f.judgeArguments(list, shown, f.inputs(rest))
}

// inputs returns the values that the options of a call pass to a program's standard
// input.
func (f *flow) inputs(rest []argument) []argument {
	var list []argument
	for _, a := range rest {
		if a.name == "input" || a.name == "stdin" || a.name == "env" {
			list = append(list, a)
		}
		if f.p.lang == JavaScript {
			for _, name := range []string{"input", "stdin", "env"} {
				list = append(list, f.property(a, name)...)
			}
		}
	}
	return list
}

// property returns the values of a property in an object literal.
func (f *flow) property(a argument, name string) []argument {
	var list []argument
	if !f.p.is(a.from, "{") {
		return nil
	}
	for _, part := range f.p.arguments(a.from) {
		key := f.p.toks[part[0]].text
		if text, ok := f.p.constant([2]int{part[0], part[0]}); ok {
			key = text
		}
		if key != name {
			continue
		}
		if f.p.is(part[0]+1, ":") {
			list = append(list, argument{from: part[0] + 2, to: part[1] + 1})
		} else {
			list = append(list, argument{from: part[0], to: part[1] + 1})
		}
	}
	return list
}

// asksShell reports whether the options of a call of JavaScript ask for a shell,
// or may.
func (f *flow) asksShell(c *call, rest []argument, shown string) bool {
	if slices.ContainsFunc(c.args, func(a argument) bool { return a.spread }) {
		return true
	}
	for _, a := range rest {
		v := f.argument(a)
		if f.p.is(a.from, "{") && f.p.toks[a.from].match == a.to-1 {
			for _, s := range f.property(a, "shell") {
				if !f.p.is(s.from, "false", "undefined", "null") {
					return true
				}
			}
			for _, part := range f.p.arguments(a.from) {
				if f.p.is(part[0], "...") && f.expression(part[0]+1, part[1]+1).marks&dirty != 0 || f.p.is(part[0], "[") {
					return true
				}
				if f.p.is(part[0], "...") && f.mentionsShell(argument{from: part[0] + 1, to: part[1] + 1}) {
					return true
				}
			}
			continue
		}
		if v.marks&hostile != 0 && !f.isFunction(a) || f.mentionsShell(a) {
			return true
		}
	}
	return false
}

func (f *flow) isFunction(a argument) bool {
	list := f.chains(a.from, a.to)
	return len(list) == 1 && (list[0].fn != nil || len(f.callable(f.root(&list[0]))) > 0)
}

// mentionsShell reports whether the object of a name has a property for a shell, or
// is unknown.
func (f *flow) mentionsShell(a argument) bool {
	list := f.chains(a.from, a.to)
	if len(list) != 1 || f.root(&list[0]) == "" {
		return false
	}
	return regexp.MustCompile(`\bshell\b`).MatchString(strings.ReplaceAll(f.p.src, "shell: false", ""))
}

// command returns the program and the arguments of a call, and its other arguments.
// known is false if the list is unknown.
func (f *flow) command(c *call, name string) (list []element, rest []argument, known bool) {
	args := c.args
	if len(args) == 0 {
		return nil, nil, true
	}
	one := func(a argument) []element {
		e := f.element(a)
		e.spread = a.spread
		return []element{e}
	}
	switch {
	case strings.HasPrefix(name, "os.exec") || strings.HasPrefix(name, "os.spawn"):
		start := 0
		if strings.HasPrefix(name, "os.spawn") {
			start = 1
		}
		if len(args) <= start {
			return nil, nil, false
		}
		// The program, and its name again.
		list = one(args[start])
		if strings.ContainsRune(strings.TrimPrefix(strings.TrimPrefix(name, "os.exec"), "os.spawn")[:1], 'v') {
			if len(args) <= start+1 {
				return list, nil, true
			}
			more, ok := f.list(args[start+1], 0)
			if !ok {
				return nil, args[start+2:], false
			}
			return append(list, more[min(1, len(more)):]...), args[start+2:], true
		}
		for _, a := range args[min(start+2, len(args)):] {
			list = append(list, one(a)...)
		}
		return list, nil, true
	case strings.HasSuffix(name, "create_subprocess_exec"):
		for _, a := range args {
			if a.name != "" || a.keywords {
				rest = append(rest, a)
				continue
			}
			list = append(list, one(a)...)
		}
		return list, rest, true
	case strings.HasPrefix(name, "os.posix_spawn"):
		list = one(args[0])
		if len(args) > 1 {
			more, ok := f.list(args[1], 0)
			return append(list, more[min(1, len(more)):]...), args[2:], ok
		}
		return list, nil, true
	case f.p.lang == JavaScript && !strings.HasPrefix(name, "Bun."):
		list = one(args[0])
		if name == "child_process.fork" {
			list = append([]element{{text: "node", fixed: true}}, list...)
		}
		if len(args) > 1 && !f.p.is(args[1].from, "{") && f.literals[args[1].from] == nil {
			more, ok := f.list(args[1], 0)
			if !ok && f.argument(args[1]).marks&dirty != 0 {
				more = []element{{from: args[1].from, to: args[1].to, v: f.argument(args[1]), spread: true}}
			}
			return append(list, more...), args[2:], true
		}
		return list, args[1:], true
	case f.p.lang == JavaScript:
		if commands := f.property(args[0], "cmd"); len(commands) > 0 {
			list, known = f.list(commands[0], 0)
			return list, args[:1], known
		}
		list, known = f.list(args[0], 0)
		return list, args[1:], known
	}
	first := args[0]
	for _, a := range args {
		switch {
		case a.name == "args":
			first = a
		case a.name != "" || a.keywords:
			rest = append(rest, a)
		}
	}
	if first.name != "" && first.name != "args" || first.keywords {
		return nil, rest, false
	}
	if e := f.element(first); f.p.isKind(first.from, text) && e.fixed {
		return []element{e}, rest, true
	}
	list, known = f.list(first, 0)
	return list, rest, known
}

// element returns the value of one argument of a program.
func (f *flow) element(a argument) element {
	e := element{from: a.from, to: a.to, v: f.argument(a)}
	e.text, e.fixed = f.prefix(a.from, a.to, 0)
	return e
}

// prefix returns the fixed text that an expression begins with, and whether that
// is all.
func (f *flow) prefix(from, to, depth int) (string, bool) {
	p := f.p
	list := f.chains(from, to)
	if len(list) == 0 || depth > 4 {
		return "", false
	}
	c := &list[0]
	for i := c.end; i < to && len(list) > 1; i++ {
		if p.toks[i].parent == p.toks[from].parent && p.is(i, "if", "?", "or", "and", "||", "&&", "??", "/") {
			return "", false
		}
	}
	if p.isKind(c.atom, text) && c.atom == from && len(c.trailers) == 0 {
		l := p.toks[c.atom].lit
		end := l.body[1]
		whole := len(list) == 1
		for _, s := range l.spots {
			end, whole = min(end, s.Start), false
		}
		for i := c.atom + 1; i < p.toks[c.atom].match; i++ {
			if p.toks[i].parent == c.atom && p.toks[i].kind == op {
				end, whole = min(end, p.toks[i].start), false
				break
			}
		}
		text := p.src[l.body[0]:end]
		if !l.raw {
			text = unescape(text)
		}
		return text, whole
	}
	name := f.root(c)
	if name == "" || len(c.trailers) > 0 || c.atom != from {
		names := f.chain(c).names
		if slices.ContainsFunc(names, func(n string) bool { return f.canonical(n) == "sys.executable" }) {
			return "python3", len(list) == 1
		}
		if slices.ContainsFunc(names, func(n string) bool { return f.canonical(n) == "process.execPath" }) {
			return "bun", len(list) == 1
		}
		return "", false
	}
	if a, ok := f.chosen[name]; ok {
		text, whole := f.prefix(a.from, a.to, depth+1)
		return text, whole && len(list) == 1
	}
	if len(f.bound[name]) != 1 || f.isModule[name] {
		return "", false
	}
	b := f.bindings[f.bound[name][0]]
	if b.element || b.keyed != nil || b.from >= b.to || f.changed(name) {
		return "", false
	}
	text, whole := f.prefix(b.from, b.to, depth+1)
	return text, whole && len(list) == 1
}

// changed reports whether a method or an operator changes the object of a name.
func (f *flow) changed(name string) bool {
	f.spend(len(f.p.toks) / 8)
	for i := range f.p.toks {
		if f.p.is(i, name) && f.p.isKind(i, word) && f.p.is(i+1, "+=") && !f.p.is(i-1, ".") {
			return true
		}
	}
	return false
}

// list returns the elements of a list that is an argument. A list that grows has a
// last element for the added values.
func (f *flow) list(a argument, depth int) ([]element, bool) {
	p := f.p
	chains := f.chains(a.from, a.to)
	if depth > 6 || len(chains) == 0 {
		return nil, false
	}
	for i := a.from; i < a.to; i++ {
		if p.toks[i].parent == p.toks[a.from].parent && p.is(i, "if", "?", "or", "and", "||", "&&", "??", "*") {
			return nil, false
		}
	}
	var out []element
	for i := range chains {
		c := &chains[i]
		part, ok := f.listChain(c, depth)
		if !ok {
			if i == 0 {
				return nil, false
			}
			part = []element{{from: c.atom, to: c.end, v: f.chain(c), spread: true}}
		}
		out = append(out, part...)
	}
	return out, len(out) > 0
}

func (f *flow) listChain(c *chain, depth int) ([]element, bool) {
	p := f.p
	if p.is(c.atom, "[", "(") && c.fn == nil {
		if p.is(c.atom, "(") && !f.commas(c.atom) {
			return f.list(argument{from: c.atom + 1, to: p.toks[c.atom].match}, depth+1)
		}
		var out []element
		for _, part := range p.arguments(c.atom) {
			a := argument{from: part[0], to: part[1] + 1}
			if p.is(part[0], "*", "...") {
				a.from++
				out = append(out, f.spread(a, depth+1)...)
				continue
			}
			e := f.element(a)
			for k := a.from; k < a.to; k++ {
				e.spread = e.spread || p.toks[k].parent == c.atom && p.is(k, "for") // a comprehension
			}
			out = append(out, e)
		}
		return f.trailing(c, out)
	}
	name := f.root(c)
	if name == "" || len(f.bound[name]) == 0 || f.isModule[name] {
		return nil, false
	}
	if a, ok := f.chosen[name]; ok {
		out, ok := f.list(a, depth+1)
		if !ok {
			return nil, false
		}
		return f.trailing(c, out)
	}
	var out []element
	grows := false
	for n, i := range f.bound[name] {
		b := f.bindings[i]
		if b.element || b.keyed != nil || b.from >= b.to {
			return nil, false
		}
		list := f.chains(b.from, b.to)
		if p.is(b.from-1, "+=") || len(list) > 0 && f.root(&list[0]) == name {
			grows = true
			continue
		}
		part, ok := f.list(argument{from: b.from, to: b.to}, depth+1)
		if !ok || n > 0 && !sameProgram(out, part) {
			return nil, false
		}
		out = append(out, part[min(n, 1)*min(1, len(part)):]...)
	}
	if len(out) == 0 {
		return nil, false
	}
	f.spend(len(f.calls))
	for _, by := range f.calls {
		if f.root(by.chain) != name || by.at != 1 {
			continue
		}
		switch m := f.method(by); m {
		case "append", "push":
			for _, a := range by.args {
				e := f.element(a)
				e.spread = a.spread
				out = append(out, e)
			}
		case "extend":
			for _, a := range by.args {
				if more, ok := f.list(a, depth+1); ok {
					out = append(out, more...)
				} else {
					grows = true
				}
			}
		case "insert", "unshift", "splice", "reverse", "sort", "fill", "__setitem__":
			return nil, false
		}
	}
	for i := range f.writes {
		if f.root(&f.writes[i].chain) == name {
			return nil, false
		}
	}
	if grows {
		out = append(out, element{from: c.atom, to: c.end, v: f.state[name], spread: true})
	}
	return f.trailing(c, out)
}

// spread returns the elements of a list that is put into another one, or one element
// for all of them.
func (f *flow) spread(a argument, depth int) []element {
	if list, ok := f.list(a, depth); ok {
		return list
	}
	return []element{{from: a.from, to: a.to, v: f.argument(a), spread: true}}
}

// sameProgram reports whether two lists begin with the same fixed program.
func sameProgram(a, b []element) bool {
	return len(a) > 0 && len(b) > 0 && a[0].fixed && b[0].fixed && a[0].text == b[0].text
}

// trailing applies the methods behind a list.
func (f *flow) trailing(c *chain, out []element) ([]element, bool) {
	for k := 0; k < len(c.trailers); k += 2 {
		t := c.trailers[k]
		if t.kind != '.' || k+1 >= len(c.trailers) || c.trailers[k+1].kind != '(' || !f.p.is(t.tok, "concat", "copy") {
			return nil, false
		}
		by := f.callAt[c.trailers[k+1].tok]
		if by == nil {
			return nil, false
		}
		for _, a := range by.args {
			out = append(out, f.spread(a, 1)...)
		}
	}
	return out, true
}

// judgeOptions judges an argument of a process other than its command.
func (f *flow) judgeOptions(c *call, a argument, shown string) {
	v := f.argument(a)
	switch {
	case a.name == "executable" || a.name == "preexec_fn":
		if v.marks&runner != 0 && f.hasValue() {
			f.report(finding.ScriptCallUnknown(f.span(a.from, a.to-1), f.source(a.from, a.to)))
			return
		}
		f.refuse(a.from, a.to, shown, "name the program in the script")
	case a.name == "env":
		f.judgeEnvironment(a, shown)
	case f.p.lang == JavaScript:
		for _, name := range []string{"argv0", "execPath", "execArgv", "file"} {
			for _, one := range f.property(a, name) {
				f.refuse(one.from, one.to, shown, "name the program in the script")
			}
		}
		for _, one := range f.property(a, "env") {
			f.judgeEnvironment(one, shown)
		}
	}
}

// feedsInterpreter reports whether a call starts an interpreter that reads its
// program from standard input.
func (f *flow) feedsInterpreter(c *call) bool {
	for _, n := range f.callee(c).names {
		n = f.canonical(n)
		if !slices.Contains(processes, n) {
			continue
		}
		list, _, known := f.command(c, n)
		if !known || len(list) == 0 {
			return true
		}
		if words := f.unwrap(list); len(words) == 0 || !words[0].fixed || readsProgram(words) {
			return true
		}
	}
	return false
}

// readsProgram reports whether a program takes a program from standard input.
func readsProgram(words []element) bool {
	base := programName(words[0].text)
	if slices.Contains(readPrograms, base) {
		return true
	}
	if !isInterpreter(base) {
		return false
	}
	for i, e := range words[1:] {
		if !e.fixed {
			return false
		}
		if e.text == "-" || e.text == "-s" || e.text == "/dev/stdin" {
			return true
		}
		if isProgramOption(base, e.text) || !strings.HasPrefix(e.text, "-") && (i == 0 || !takesValue(words[i].text)) || e.text == "-m" {
			return false
		}
	}
	return true
}

func takesValue(option string) bool { return slices.Contains([]string{"-W", "-X", "-o", "-O"}, option) }

func programName(text string) string {
	base := strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(text, `\`, "/"))), ".exe")
	return strings.TrimRight(base, "0123456789.")
}
