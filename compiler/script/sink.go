package script

import (
	"path"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/bind"
	"github.com/wfc-lang/wfc/compiler/diag"
)

// A sink is a place whose text something runs as a program.
type sink struct {
	// runner says what runs it.
	runner string
	// help is the safe form, with LABEL for the hole.
	help string
	// from and to are the tokens of the text.
	from, to int
}

// interpreters run the text of an argument as a program.
var interpreters = []string{
	"sh", "bash", "zsh", "dash", "ksh", "fish", "cmd", "cmd.exe", "powershell", "pwsh", "python", "python3",
	"node", "bun", "deno", "perl", "ruby", "php", "osascript", "lua",
}

// programOptions are the options behind which interpreters take a program.
var programOptions = []string{"-c", "-lc", "-ec", "-xc", "-ic", "-e", "-E", "-p", "-r", "--eval", "--print", "-Command", "/c", "/C"}

// sqlWords begin SQL statements.
var sqlWords = []string{"select", "insert", "update", "delete", "create", "drop", "alter", "with", "pragma", "replace", "merge", "truncate"}

// sqlMethods are methods that run SQL.
var sqlMethods = []string{"execute", "executemany", "executescript", "query", "run", "all", "get", "exec", "prepare", "unsafe", "raw", "sql"}

// checkSinks refuses holes in texts that are run as programs.
func (p *program) checkSinks() {
	var sinks []sink
	shells := p.shellFunctions()
	for i := range p.toks {
		if !p.is(i, "(", "[") || p.toks[i].match < 0 {
			continue
		}
		args := p.arguments(i)
		if p.is(i, "(") {
			sinks = append(sinks, p.callSinks(i, args, shells)...)
		}
		sinks = append(sinks, p.interpreterSinks(i, args)...)
	}
	tainted := map[string]*spot{}
	if len(sinks) > 0 {
		tainted = p.track()
	}
	for _, s := range sinks {
		p.checkSink(s, tainted)
	}
}

func (p *program) checkSink(s sink, tainted map[string]*spot) {
	for i := s.from; i <= s.to; i++ {
		t := &p.toks[i]
		switch {
		case t.kind == hole:
			p.refuse(t.spot, p.programText(t.spot, s))
		case t.kind == text:
			for _, h := range t.lit.spots {
				p.refuse(h, p.programText(h, s))
			}
		case t.kind == word && !p.is(p.before(i), ".", "?.") && !p.is(p.after(i), ":"):
			if h := tainted[t.text]; h != nil {
				p.report(diag.ScriptProgramVariable(p.span(t.start, t.end), t.text, h.Label, s.runner).
					WithRelated(p.at(h), "the value").WithHelp(replaceLabel(s.help, t.text)))
			}
		}
	}
}

func (p *program) programText(h *spot, s sink) *diag.Diagnostic {
	label := h.Label
	if h.lit != nil {
		label = "'" + label + "'"
	}
	return diag.ScriptProgramText(p.at(h), h.Label, s.runner).WithHelp(replaceLabel(s.help, label))
}

// arguments returns the first and last token of each of the parts between the
// commas of a bracket.
func (p *program) arguments(open int) [][2]int {
	var list [][2]int
	from := open + 1
	for i := from; i < p.toks[open].match; i++ {
		if p.toks[i].parent == open && p.is(i, ",") {
			list = append(list, [2]int{from, i - 1})
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

// callSinks returns the texts that a call runs.
func (p *program) callSinks(open int, args [][2]int, shells map[string]string) []sink {
	name, first := p.callee(open)
	if len(name) == 0 || len(args) == 0 {
		return nil
	}
	if p.is(p.before(first), "def", "function") {
		return nil
	}
	var out []sink
	add := func(runner, help string, list ...[2]int) {
		for _, a := range list {
			out = append(out, sink{runner, help, a[0], a[1]})
		}
	}
	runner := "`" + shown(name) + "`"
	switch p.lang {
	case JavaScript:
		p.javaScriptCall(name, runner, open, args, shells, add)
	case Python:
		p.pythonCall(name, runner, open, args, add)
	}
	if len(name) > 1 && slices.Contains(sqlMethods, name[0]) && p.isSQL(args[0]) {
		help := "pass the value as a parameter: `" + name[0] + "('… = ?', LABEL)`"
		if p.lang == Python {
			help = "pass the value as a parameter: `" + name[0] + "('… = ?', (LABEL,))`"
		}
		add("the database of "+runner, help, args[0])
	}
	return out
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

// interpreterSinks returns the programs of interpreters in a list of arguments,
// as in ['bash', '-c', PROGRAM] or in f('bash', ['-c', PROGRAM]).
func (p *program) interpreterSinks(open int, args [][2]int) []sink {
	if call := p.toks[open].parent; p.is(open, "[") && p.is(call, "(") && p.toks[call].match > 0 {
		var all [][2]int
		for _, a := range p.arguments(call) {
			if a[1] < open {
				all = append(all, a)
			}
		}
		args = append(all, args...)
	}
	var out []sink
	interpreter := ""
	for i, a := range args {
		value, ok := p.constant(a)
		if !ok {
			continue
		}
		if base := path.Base(value); slices.Contains(interpreters, base) {
			interpreter = base
		} else if interpreter != "" && slices.Contains(programOptions, value) && i+1 < len(args) {
			out = append(out, sink{"`" + interpreter + "`", "pass the value as an argument behind the program, and read it there: in a shell as `\"$1\"`", args[i+1][0], args[i+1][1]})
		}
	}
	return out
}

// constant returns the text of an argument that is one string without holes.
func (p *program) constant(arg [2]int) (string, bool) {
	t := &p.toks[arg[0]]
	if arg[0] != arg[1] || t.kind != text || len(t.lit.spots) > 0 {
		return "", false
	}
	return p.src[t.lit.body[0]:t.lit.body[1]], true
}

// option reports whether a call's arguments set a name to something other than
// false: `shell: true`, `shell=True`.
func (p *program) option(open int, name string) bool {
	for i := open + 1; i < p.toks[open].match; i++ {
		if p.is(i, name) && p.is(p.after(i), ":", "=") && !p.is(p.after(p.after(i)), "false", "False", "None", "null", "undefined") {
			return true
		}
	}
	return false
}
