package script

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
)

// evalHelp and shellHelp are the help for programs of each language.
var (
	evalHelp = map[Language]string{
		Python:     "keep the value apart from the code: `json.loads(LABEL)` reads data",
		JavaScript: "keep the value apart from the code: `JSON.parse(LABEL)` reads data",
	}
	shellHelp = map[Language]string{
		Python:     "run the program without a shell: `subprocess.run(['program', LABEL])`",
		JavaScript: "run the program without a shell: `execFileSync('program', [LABEL])`",
	}
)

const (
	moduleHelp   = "name the module in the script; choose between fixed modules with an `if`"
	argumentHelp = "pass the value as an argument after the program, and read it there: in a shell as `\"$1\"`"
	optionHelp   = "end the options with `'--', LABEL`, or start the argument with fixed characters: `'./LABEL'`"
)

// checkSinks refuses values that can become code.
func (p *program) checkSinks() {
	f := newFlow(p, p.vars)
	defer func() {
		switch r := recover(); r.(type) {
		case nil:
		case overrun:
			if f.hasValue() {
				p.report(finding.ScriptTooLong(p.span(0, min(1, len(p.src)))))
			}
		default:
			panic(r)
		}
	}()
	f.run()
	for _, c := range f.calls {
		f.judge(c)
	}
	f.judgeWrites()
	f.judgeFiles()
	f.judgeDecorators()
	f.judgeClasses()
}

// judge reports a value that a call can run as code.
func (f *flow) judge(c *call) {
	callee := f.callee(c)
	_, all := f.local(c)
	if f.declares(c) {
		return
	}
	f.judgeSQL(c)
	f.judgeFormat(c)
	if all {
		return
	}
	done := false
	for _, n := range callee.names {
		name := f.canonical(n)
		switch {
		case name == "Bun.$":
			f.judgeShellTemplate(c)
			done = true
		case slices.Contains(processes, name):
			f.eachRound(c, func() { f.judgeProcess(c, name) })
			done = true
		case f.runs(name):
			f.judgeRunner(c, name)
			done = true
		}
	}
	if done {
		return
	}
	shown := "`" + f.shown(c) + "`"
	switch {
	case callee.marks&dynamic != 0 && (callee.marks&hostile != 0 || callee.marks&runner == 0 && f.anyDirty(c)):
		f.report(finding.ScriptCallUnknown(f.span(c.chain.atom, f.p.toks[c.open].match), f.shown(c)))
		return
	case callee.marks&runner != 0:
		help := evalHelp[f.p.lang]
		if strings.Contains(f.method(c), "sys") || strings.Contains(f.method(c), "exec") || f.method(c) == "popen" {
			help = shellHelp[f.p.lang]
		}
		if f.refuseAny(c.args, shown, help) {
			return
		}
	}
	f.judgeCallbacks(c, callee, shown)
	if f.p.lang == Python && f.usesShell(c) {
		f.refuseAny(c.args[:min(1, len(c.args))], "the shell of "+shown, "remove `shell=True` and pass a list: `subprocess.run(['program', LABEL])`")
	}
}

// declares reports whether a parenthesis belongs to the head of a function.
func (f *flow) declares(c *call) bool {
	return f.p.is(c.chain.atom-1, "def", "function", "class") || f.literals[c.chain.atom] != nil && f.p.isKind(c.chain.atom, word) && c.at == 0 && f.literals[c.chain.atom].body > c.open
}

func (f *flow) anyDirty(c *call) bool {
	return slices.ContainsFunc(c.args, func(a argument) bool { return f.argument(a).marks&dirty != 0 })
}

// risky are words with which a fixed program runs its arguments.
var risky = lazyregexp.New(`\b(eval|exec\w*|system|popen|Popen|subprocess|child_process|spawn\w*|compile|__import__|importlib|import_module|getattr|Function|constructor|require|pickle|marshal|os|pty|ctypes|globals|locals|vars|builtins|Bun|process|vm|input|open|read|constructor)\b`)

// judgeRunner judges a call of a function that runs code.
func (f *flow) judgeRunner(c *call, name string) {
	shown := "`" + f.shown(c) + "`"
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case slices.Contains(importers, name):
		f.refuseAny(c.args[:min(1, len(c.args))], shown, moduleHelp)
	case slices.Contains(getters, name):
		if name == "operator.methodcaller" {
			f.refuseAny(c.args, shown, evalHelp[f.p.lang])
		}
	case slices.Contains([]string{"setTimeout", "setInterval", "setImmediate"}, name):
		if len(c.args) > 0 {
			a := c.args[0]
			list := f.chains(a.from, a.to)
			if len(list) == 1 && list[0].fn == nil && len(list[0].trailers) == 0 && f.p.isKind(list[0].atom, word) && f.argument(a).marks&hostile != 0 && len(f.callable(f.root(&list[0]))) > 0 {
				return
			}
			if len(list) == 1 && list[0].fn != nil {
				return
			}
			f.refuse(a.from, a.to, shown, evalHelp[f.p.lang])
		}
	case strings.HasPrefix(name, "yaml."):
		for _, a := range c.args {
			if text := f.source(a.from, a.to); strings.Contains(text, "SafeLoader") || strings.Contains(text, "BaseLoader") {
				return
			}
		}
		f.refuseAny(c.args, shown, "read data only: `yaml.safe_load(LABEL)`")
	case last == "eval" || last == "exec" || last == "compile" || last == "timeit" || last == "repeat" || strings.HasPrefix(last, "runIn") || last == "Script" || name == "child_process.exec" || name == "child_process.execSync" || name == "os.system" || name == "os.popen" || strings.HasPrefix(name, "execa.execaCommand") || strings.Contains(last, "subprocess_shell") || strings.HasPrefix(last, "getoutput") || strings.HasPrefix(last, "getstatus"):
		f.judgeText(c, name, shown)
	default:
		f.refuseAny(c.args, shown, evalHelp[f.p.lang])
	}
}

// isShell reports whether a runner passes text to a shell.
func isShell(name string) bool {
	shells := []string{"os.system", "os.popen", "child_process.exec", "execa.execaCommand", "getoutput", "getstatusoutput", "subprocess_shell"}
	return slices.ContainsFunc(shells, func(s string) bool { return strings.Contains(name, s) })
}

// judgeText judges a call whose first argument is a program.
func (f *flow) judgeText(c *call, name, shown string) {
	shell := isShell(name)
	help := evalHelp[f.p.lang]
	if shell {
		shown, help = "the shell of "+shown, shellHelp[f.p.lang]
	}
	spread := false
	for i, a := range c.args {
		spread = spread || a.spread || a.keywords
		program := i == 0 || spread || slices.Contains([]string{"cmd", "command", "source", "code", "stmt", "setup", "args", "object"}, a.name) || strings.HasPrefix(name, "timeit.") || strings.HasPrefix(name, "vm.compile")
		if program && f.refuse(a.from, a.to, shown, help) {
			return
		}
		if !program && f.argument(a).marks&hostile != 0 {
			text, ok := f.p.constant([2]int{c.args[0].from, c.args[0].to - 1})
			switch {
			case shell:
				f.judgeOptions(c, a, shown)
			case !ok || risky().MatchString(text):
				f.refuse(a.from, a.to, shown, help)
				return
			}
		}
	}
	if shell && len(c.args) > 0 {
		if text, ok := f.p.constant([2]int{c.args[0].from, c.args[0].to - 1}); ok {
			f.judgeFixedProgram("sh", text, shown, f.inputs(c.args[1:]), c.args[0].from)
		}
	}
	if shell || len(c.args) == 0 {
		return
	}
	// A fixed program that names a variable or file with a value.
	if text, ok := f.p.constant([2]int{c.args[0].from, c.args[0].to - 1}); ok && risky().MatchString(text) {
		for _, w := range regexp.MustCompile(`\w+`).FindAllString(text, -1) {
			if v := f.state[w]; v.marks&hostile != 0 && v.from != nil {
				f.variable555(c.args[0].from, w, v, shown, help)
				return
			}
		}
	}
}

// refuseAny refuses the first argument with a hostile or unknown part, and reports
// whether there is one.
func (f *flow) refuseAny(list []argument, runner, help string) bool {
	return slices.ContainsFunc(list, func(a argument) bool { return f.refuse(a.from, a.to, runner, help) })
}

// judgeCallbacks refuses functions that run code among the arguments of a call
// that also gets a value.
func (f *flow) judgeCallbacks(c *call, callee value, shown string) {
	given := f.base(c).part()
	handed := -1
	for i, a := range c.args {
		v := f.argument(a)
		given = given.join(v.part())
		if v.marks&runner != 0 {
			handed = i
		}
	}
	if handed < 0 || given.marks&dirty == 0 {
		return
	}
	if slices.Contains(receivers, f.method(c)) || slices.ContainsFunc(callee.names, func(n string) bool { return slices.Contains(receivers, f.canonical(n)) }) {
		return
	}
	a := c.args[handed]
	if f.argument(a).marks&dirty == 0 || len(c.args) > 1 {
		f.report(finding.ScriptCallUnknown(f.span(a.from, a.to-1), strings.TrimSpace(f.source(a.from, a.to))))
	}
}

// usesShell reports whether a call's arguments ask for a shell, or may.
func (f *flow) usesShell(c *call) bool {
	for _, a := range c.args {
		switch {
		case a.name == "shell":
			if f.p.toks[a.from].text != "False" || a.to != a.from+1 {
				return true
			}
		case a.keywords:
			if f.argument(a).marks&dirty != 0 || regexp.MustCompile(`\bshell\b`).MatchString(f.p.src) {
				return true
			}
		}
	}
	return false
}

// judgeSQL refuses values in the text of an SQL statement.
func (f *flow) judgeSQL(c *call) {
	name, _ := f.p.callee(c.open)
	if len(name) < 2 || len(c.args) == 0 || c.tag || !slices.Contains(sqlMethods, name[0]) {
		return
	}
	a := c.args[0]
	if v := f.argument(a); v.marks&hostile == 0 {
		return
	}
	if !f.p.isSQL([2]int{a.from, a.to - 1}) && !f.boundToSQL(a) {
		return
	}
	help := "pass the value as a parameter: `" + name[0] + "('… = ?', LABEL)`"
	if f.p.lang == Python {
		help = "pass the value as a parameter: `" + name[0] + "('… = ?', (LABEL,))`"
	}
	f.refuse(a.from, a.to, "the database of `"+shown(name)+"`", help)
}

func (f *flow) boundToSQL(a argument) bool {
	if a.to != a.from+1 || !f.p.isKind(a.from, word) {
		return false
	}
	return slices.ContainsFunc(f.bound[f.p.toks[a.from].text], func(i int) bool {
		b := f.bindings[i]
		return b.from < b.to && f.p.isSQL([2]int{b.from, b.from})
	})
}

// judgeFormat refuses values as format strings: braces in them reach the attributes
// of the inserted objects.
func (f *flow) judgeFormat(c *call) {
	if f.p.lang != Python || len(c.args) == 0 || c.at == 0 || !slices.Contains([]string{"format", "format_map", "vformat"}, f.method(c)) {
		return
	}
	base := f.base(c)
	if f.method(c) == "vformat" {
		base = f.argument(c.args[0])
	}
	if base.marks&hostile == 0 || base.from == nil {
		return
	}
	for i := c.chain.atom; i < c.open; i++ {
		if f.p.isKind(i, text) && len(f.p.toks[i].lit.spots) > 0 {
			return // it is reported there
		}
	}
	f.report(finding.ScriptHoleInFormat(f.span(c.chain.atom, c.open-1), base.from.label, "."))
}

// judgeDecorators refuses decorators that run code.
func (f *flow) judgeDecorators() {
	if f.p.lang != Python {
		return
	}
	for i := range f.p.toks {
		if !f.p.is(i, "@") || !f.p.startsLine(i) {
			continue
		}
		end := i + 1
		for end < len(f.p.toks) && !f.p.isKind(end, newline) {
			end++
		}
		for _, c := range f.chains(i+1, end) {
			if v := f.chain(&c); v.marks&runner != 0 && f.hasValue() {
				f.report(finding.ScriptCallUnknown(f.span(c.atom, c.end-1), f.source(c.atom, c.end)))
				break
			}
		}
	}
}

// judgeClasses refuses classes that are built from code runners.
func (f *flow) judgeClasses() {
	for _, fn := range f.functions {
		if !fn.isClass || fn.body <= fn.start+2 || !f.hasValue() {
			continue
		}
		if v := f.content(f.expression(fn.start+1, fn.body-1)); f.p.lang == JavaScript && v.marks&runner != 0 {
			f.report(finding.ScriptCallUnknown(f.span(fn.start, fn.body-2), f.source(fn.start, fn.body-1)))
		}
	}
}

// hasValue reports whether anything in the script is hostile.
func (f *flow) hasValue() bool {
	return len(f.vars) > 0 || slices.ContainsFunc(f.p.spots, func(s *spot) bool { return f.spotValue(s).marks != 0 })
}

// judgeWrites judges assignments to attributes and elements.
func (f *flow) judgeWrites() {
	for i := range f.writes {
		w := &f.writes[i]
		last := w.chain.trailers[len(w.chain.trailers)-1]
		v := f.expression(w.from, w.to)
		base := f.upTo(&w.chain, len(w.chain.trailers)-1)
		f.judgeEnvironmentWrite(w, base, v, last)
		whole := f.upTo(&w.chain, len(w.chain.trailers))
		for _, n := range append(slices.Clone(base.names), whole.names...) {
			if full := f.canonical(n); slices.Contains([]string{"sys.path", "sys.modules", "sys.meta_path", "sys.path_hooks", "module.paths", "require.cache", "require.extensions"}, full) && v.marks&dirty != 0 {
				f.refuse(w.from, w.to, "`"+full+"`", moduleHelp)
				break
			}
		}
		if v.marks&runner != 0 && f.hasValue() && (len(base.names) > 0 || last.kind == '.' && strings.HasPrefix(f.p.toks[last.tok].text, "__")) {
			f.report(finding.ScriptCallUnknown(f.span(w.from, w.to-1), f.source(w.from, w.to)))
		}
		if last.kind == '[' && base.marks&runner != 0 && v.marks&dirty != 0 && f.p.lang == Python {
			f.report(finding.ScriptCallUnknown(f.span(w.chain.atom, w.chain.end-1), f.source(w.chain.atom, w.chain.end)))
		}
		f.judgePrototype(w, base)
	}
	for i := range f.bindings {
		b := &f.bindings[i]
		if b.from >= b.to || len(b.names) != 1 || !strings.HasPrefix(b.names[0], "__") || b.attribute {
			continue
		}
		if f.expression(b.from, b.to).marks&runner != 0 && f.hasValue() {
			f.report(finding.ScriptCallUnknown(f.span(b.from, b.to-1), f.source(b.from, b.to)))
		}
	}
	for _, c := range f.calls {
		f.judgeEnvironmentCall(c)
	}
}

// judgePrototype refuses a write below a key that a value chooses: the key may be
// `__proto__`, and then the written value is an option of every later call.
func (f *flow) judgePrototype(w *write, base value) {
	if f.p.lang != JavaScript || !f.startsPrograms() {
		return
	}
	last := w.chain.trailers[len(w.chain.trailers)-1]
	if last.kind != '[' || base.marks&dynamic == 0 || f.within(last.tok).marks&hostile == 0 {
		return
	}
	f.report(finding.ScriptCallUnknown(f.span(w.chain.atom, w.chain.end-1), f.source(w.chain.atom, w.chain.end)).
		WithHelp("use a `Map` for keys from values, or create the object with `Object.create(null)`"))
}

// startsPrograms reports whether the script starts other programs.
func (f *flow) startsPrograms() bool {
	return slices.ContainsFunc(f.calls, func(c *call) bool {
		return slices.ContainsFunc(f.callee(c).names, func(n string) bool {
			n = f.canonical(n)
			return slices.Contains(processes, n) || isShell(n) || n == "Bun.$"
		})
	})
}

// refuse reports the first hostile or unknown part of the tokens from one to
// another, as a part of a program; runner names the program or function that runs
// it.
func (f *flow) refuse(from, to int, runner, help string) bool {
	if from < 0 && f.gapRefusal != nil {
		return f.gapRefusal(element{from: from}, runner, help)
	}
	if from >= to || f.expression(from, to).marks&dirty == 0 {
		return false
	}
	p := f.p
	for i := from; i < to; i++ {
		t := &p.toks[i]
		switch {
		case t.kind == hole && f.spotValue(t.spot).marks != 0:
			p.refuse(t.spot, p.programText(t.spot, runner, help))
			return true
		case t.kind == text:
			for _, h := range t.lit.spots {
				if f.spotValue(h).marks != 0 {
					p.refuse(h, p.programText(h, runner, help))
					return true
				}
			}
		case t.kind == word && !(p.is(i+1, ":") && p.lang == JavaScript && p.is(i-1, "{", ",")):
			v := f.state[t.text]
			if p.is(i-1, ".", "?.") {
				v = f.attrs[t.text]
			}
			if v.marks&hostile != 0 && v.from != nil {
				f.variable555(i, t.text, v, runner, help)
				return true
			}
		}
	}
	v := f.expression(from, to)
	if v.marks&hostile != 0 && v.from != nil {
		f.report(finding.ScriptProgramVariable(f.span(from, to-1), f.source(from, to), v.from.label, runner).WithHelp(replaceLabel(help, f.source(from, to))))
		return true
	}
	f.report(finding.ScriptProgramUnknown(f.span(from, to-1), f.source(from, to), runner).WithHelp(replaceLabel(help, f.source(from, to))))
	return true
}

func (f *flow) variable555(i int, name string, v value, runner, help string) {
	t := &f.p.toks[i]
	d := finding.ScriptProgramVariable(f.p.span(t.start, t.end), name, v.from.label, runner)
	if v.from.end > v.from.start {
		d = d.WithRelated(f.p.span(v.from.start, v.from.end), "the value")
	}
	f.report(d.WithHelp(replaceLabel(help, name)))
}

// report adds a finding, once for a place.
func (f *flow) report(d *diag.Diagnostic) {
	key := fmt.Sprint(d.Code, d.Span.Start, d.Span.End)
	if f.reported[key] {
		return
	}
	f.reported[key] = true
	f.p.report(d)
}

func (f *flow) span(from, to int) (s sourceSpan) {
	to = max(min(to, len(f.p.toks)-1), from)
	end := f.p.toks[to].end
	if l := f.p.toks[to].lit; l != nil {
		end = max(end, l.end)
	}
	return f.p.span(f.p.toks[from].start, end)
}

// source returns the text of the tokens from one to another, shortened.
func (f *flow) source(from, to int) string {
	if from >= to {
		return ""
	}
	s := f.span(from, to-1)
	text := strings.Join(strings.Fields(s.Text()), " ")
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:57], "") + "…"
	}
	return text
}

// shown is the called expression, as its author wrote it.
func (f *flow) shown(c *call) string {
	if name, _ := f.p.callee(c.open); len(name) > 0 && !c.tag {
		return shown(name)
	}
	return f.source(c.chain.atom, c.open)
}

func (p *program) programText(h *spot, runner, help string) *diag.Diagnostic {
	label := h.Label
	if h.lit != nil {
		label = "'" + label + "'"
	}
	return finding.ScriptProgramText(p.at(h), h.Label, runner).WithHelp(replaceLabel(help, label))
}

// sqlWords begin SQL statements.
var sqlWords = []string{"select", "insert", "update", "delete", "create", "drop", "alter", "with", "pragma", "replace", "merge", "truncate"}

// sqlMethods are methods that run SQL.
var sqlMethods = []string{"execute", "executemany", "executescript", "query", "run", "all", "get", "exec", "prepare", "unsafe", "raw", "sql"}

// arguments returns the first and last token of each of the parts between the
// commas of a bracket.
func (p *program) arguments(open int) [][2]int {
	var list [][2]int
	from := open + 1
	for i := from; i < p.toks[open].match; i++ {
		if p.toks[i].parent == open && p.is(i, ",") {
			if i > from {
				list = append(list, [2]int{from, i - 1})
			}
			from = i + 1
		}
	}
	if last := p.toks[open].match - 1; last >= from {
		list = append(list, [2]int{from, last})
	}
	return list
}

// callee returns the dotted name that is called at a parenthesis, last part
// first.
func (p *program) callee(open int) (parts []string, first int) {
	i := p.before(open)
	if p.is(i, "?.") {
		i = p.before(i)
	}
	for p.isKind(i, word) {
		parts, first = append(parts, p.toks[i].text), i
		if i = p.before(i); !p.is(i, ".", "?.") {
			return parts, first
		}
		if i = p.before(i); !p.isKind(i, word) {
			return append(parts, "…"), first
		}
	}
	return parts, open
}

func shown(name []string) string {
	name = slices.Clone(name)
	slices.Reverse(name)
	return strings.TrimPrefix(strings.Join(name, "."), "….")
}

// isSQL reports whether an argument is a string that begins like an SQL statement.
func (p *program) isSQL(arg [2]int) bool {
	t := &p.toks[arg[0]]
	if t.kind != text || t.lit.tagged {
		return false
	}
	start := strings.FieldsFunc(p.src[t.lit.body[0]:t.lit.body[1]], func(r rune) bool { return r >= 0x80 || !bind.IsNameByte(byte(r)) })
	return len(start) > 1 && slices.Contains(sqlWords, strings.ToLower(start[0]))
}

// constant returns the text of an argument that is one string without holes.
func (p *program) constant(arg [2]int) (string, bool) {
	t := &p.toks[arg[0]]
	if t.kind != text || t.match != arg[1] || len(t.lit.spots) > 0 || t.match > arg[0]+1 {
		return "", false
	}
	text := p.src[t.lit.body[0]:t.lit.body[1]]
	if strings.Contains(text, `\`) && !t.lit.raw {
		text = unescape(text)
	}
	return text, true
}

var escapePattern = lazyregexp.New(`\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]+\}|[0-7]{1,3}|N\{[^}]*\}|.)`)

// unescape reads the escape sequences of a string.
func unescape(text string) string {
	return escapePattern().ReplaceAllStringFunc(text, func(s string) string {
		var n rune
		switch body := strings.Trim(s[2:], "{}"); s[1] {
		case 'n':
			return "\n"
		case 't':
			return "\t"
		case 'x', 'u':
			if _, err := fmt.Sscanf(body, "%x", &n); err == nil {
				return string(n)
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			if _, err := fmt.Sscanf(s[1:], "%o", &n); err == nil {
				return string(n)
			}
		case 'N':
			return "?"
		}
		return s[1:]
	})
}
