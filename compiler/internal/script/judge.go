package script

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

// checkEvaluators refuses the values of a script that the language, or an interpreter that
// the script names, evaluates.
func (p *program) checkEvaluators() {
	hasValue := slices.ContainsFunc(p.spots, func(s *spot) bool { return spotValue(s).marks != 0 })
	if len(p.vars) == 0 && !hasValue {
		return
	}
	defer func() {
		switch r := recover(); r.(type) {
		case nil:
		case overrun:
			p.report(finding.ScriptTooLong(p.span(0, min(1, len(p.src)))))
		default:
			panic(r)
		}
	}()
	t := &taint{outline: newOutline(p), state: map[symbol]value{}}
	t.spread()
	j := &judge{taint: t, p: p, reported: map[int]bool{}}
	for _, c := range t.calls {
		j.call(c)
	}
}

// judge decides about calls. Its methods return whether they refuse something.
type judge struct {
	p        *program
	taint    *taint
	reported map[int]bool // where
}

// help says how to use values without evaluating them.
var help = map[role]map[Language]string{
	roleCode:    {Python: "keep the value apart from the code: `json.loads(LABEL)` reads data", JavaScript: "keep the value apart from the code: `JSON.parse(LABEL)` reads data"},
	roleLoader:  {Python: "load data only: `yaml.safe_load(LABEL)`"},
	roleModule:  {Python: "name the module in the script; choose between fixed modules with an `if`", JavaScript: "name the module in the script; choose between fixed modules with an `if`"},
	roleShell:   {Python: "run the program without a shell: `subprocess.run(['program', LABEL])`", JavaScript: "run the program without a shell: `execFileSync('program', [LABEL])`"},
	roleProcess: {Python: "remove `shell=True` and pass a list: `subprocess.run(['program', LABEL])`", JavaScript: "remove `shell`: `spawnSync('program', [LABEL])`"},
}

const (
	programHelp = "name the program in the script, and pass the value as an argument"
	fixedHelp   = "pass the value to a fixed program as an argument: `['bash', '-c', 'printf %s \"$1\"', '_', LABEL]`"
)

// call judges a call.
func (j *judge) call(c *call) bool {
	t := j.taint
	callee := t.callee(c)
	for _, n := range callee.names {
		if by := t.startedBy(n); by != nil && slices.Contains(feeders, t.method(c)) && t.reads(by) && j.meets(c, -1, "the interpreter that "+j.shown(by)+" starts") {
			return true
		}
		if j.evaluator(c, n, j.shown(c)) {
			return true
		}
	}
	if len(callee.fns) > 0 {
		return false
	}
	for i, a := range c.args {
		for _, n := range t.argument(a).names {
			by := t.startedBy(n)
			if by != nil && t.reads(by) && j.meets(c, i, "the interpreter that "+j.shown(by)+" starts") ||
				isEvaluator(j.p.lang, n) && j.meets(c, i, "`"+n+"`") {
				return true
			}
		}
	}
	return false
}

// meets refuses the values that a call has beside an argument that evaluates them.
func (j *judge) meets(c *call, evaluator int, runner string) bool {
	for k, other := range c.args {
		if k != evaluator && j.refuse(other, runner, help[roleCode][j.p.lang]) {
			return true
		}
	}
	base := argument{from: c.chain.atom, to: c.open}
	return c.at > 0 && j.taint.base(c).marks&hostile != 0 && j.refuse(base, runner, help[roleCode][j.p.lang])
}

// evaluator judges a call of a function in the table.
func (j *judge) evaluator(c *call, name, shown string) bool {
	t, e := j.taint, lookUp(j.p.lang, name)
	switch e.role {
	case roleLoader:
		safe := func(n string) bool { return strings.HasSuffix(n, "SafeLoader") || strings.HasSuffix(n, "BaseLoader") }
		if slices.ContainsFunc(c.args, func(a argument) bool { return slices.ContainsFunc(t.argument(a).names, safe) }) {
			return false
		}
	case roleShell:
		if len(c.args) > 0 && t.readsText(c.args[0]) && j.input(c.args[1:], shown) {
			return true
		}
		shown = "the shell of " + shown
	case roleProcess:
		return j.process(c, shown)
	case roleTemplate:
		if c.tag {
			return j.shellTemplate(c)
		}
	case roleCode, roleModule:
	default:
		return false
	}
	position, spread := 0, false
	for _, a := range c.args {
		spread = spread || a.spread || a.keywords
		program := spread || a.name == "" && position >= e.from && (position < e.to || e.to == 0) || slices.Contains(e.keywords, a.name)
		if a.name == "" {
			position++
		}
		if program && t.argument(a).marks&hostile != 0 && j.refuse(a, shown, help[e.role][j.p.lang]) {
			return true
		}
	}
	return false
}

// process judges a call that starts a program.
func (j *judge) process(c *call, shown string) bool {
	t := j.taint
	command, options := t.command(c)
	if t.usesShell(c, options) {
		for _, a := range command {
			if j.refuse(a, "the shell of "+shown, help[roleProcess][j.p.lang]) {
				return true
			}
		}
	}
	return j.list(t.list(command), shown) || t.reads(c) && j.input(options, shown)
}

// list judges the arguments of a program.
func (j *judge) list(list []element, shown string) bool {
	i := programIndex(list)
	behindSetting := i > 0 && strings.Contains(list[i-1].text, "=")
	if i < len(list) && list[i].hostile && !strings.Contains(list[i].prefix(), "=") && (i == 0 || behindSetting) {
		return j.refuse(list[i].argument, shown, programHelp)
	}
	e, at, ran := evaluated(list)
	return ran && j.refuse(e.argument, "`"+path.Base(list[at].text)+"`", fixedHelp)
}

// input refuses values on the standard input of an interpreter.
func (j *judge) input(options []argument, shown string) bool {
	for _, a := range options {
		inputs := []argument{a}
		if j.p.is(a.from, "{") {
			inputs = append(j.p.property(a, "input"), j.p.property(a, "stdin")...)
		} else if j.p.lang == Python && a.name != "input" && a.name != "stdin" {
			continue
		}
		for _, in := range inputs {
			if j.refuse(in, "the interpreter that "+shown+" starts", fixedHelp) {
				return true
			}
		}
	}
	return false
}

// shellTemplate judges Bun's `$`. It escapes values, so that they are arguments; but it
// runs objects with `raw` as they are.
func (j *judge) shellTemplate(c *call) bool {
	t, runner := j.taint, "the shell of `$`"
	literal := argument{from: c.open, to: c.open + 1}
	var gaps []element
	for _, g := range j.p.gaps(c.open) {
		e := element{argument: literal, hostile: slices.ContainsFunc(j.p.toks[c.open].lit.spots, func(s *spot) bool { return s.Start == g[0] })}
		for _, a := range c.args {
			if at := j.p.toks[a.from].start; g[0] < at && at < g[1] {
				v := t.argument(a)
				e = element{argument: a, hostile: v.marks&hostile != 0}
				if v.marks&parsed != 0 && j.refuse(a, runner, "convert the value, because an object with `raw` is not escaped: `String(LABEL)`") {
					return true
				}
			}
		}
		gaps = append(gaps, e)
	}
	commands, reads := shellCommands(j.p.gapped(c.open))
	at := 0
	for i, list := range commands {
		for k := range list {
			for range strings.Count(list[k].text, gap) {
				list[k].argument, list[k].hostile = gaps[at].argument, gaps[at].hostile
				at++
			}
		}
		if j.list(list, runner) {
			return true
		}
		for _, g := range gaps {
			if reads[i] && readsProgram(list) && j.refuse(g.argument, "`"+list[programIndex(list)].text+"`", fixedHelp) {
				return true
			}
		}
	}
	return false
}

// refuse reports the first value in an argument, if there is one; runner names the program
// or function that runs it.
func (j *judge) refuse(a argument, runner, help string) bool {
	t, p := j.taint, j.p
	whole := t.content(t.argument(a))
	if whole.marks&hostile == 0 && a.to > a.from+1 {
		return false
	}
	for i := a.from; i < a.to; i++ {
		tok := &p.toks[i]
		s := symbol{tok.text, attributes}
		switch {
		case tok.kind == hole && spotValue(tok.spot).marks != 0:
			j.refuseSpot(tok.spot, tok.spot.Label, runner, help)
			return true
		case tok.kind == text:
			for _, h := range tok.lit.spots {
				if spotValue(h).marks != 0 {
					j.refuseSpot(h, "'"+h.Label+"'", runner, help)
					return true
				}
			}
			continue
		case tok.kind != word || p.lang == JavaScript && p.is(i+1, ":") && p.is(i-1, "{", ","):
			continue
		case !p.is(i-1, ".", "?."):
			s = t.symbol(tok.text, i)
		}
		if v := t.state[s]; v.marks&hostile != 0 {
			j.report(i, i, v, runner, help)
			return true
		}
	}
	if whole.marks&hostile != 0 {
		j.report(a.from, a.to-1, whole, runner, help)
	}
	return whole.marks&hostile != 0
}

func (j *judge) refuseSpot(s *spot, code, runner, help string) {
	j.p.refuse(s, finding.ScriptProgramText(j.p.at(s), s.Label, "", runner).WithHelp(replaceLabel(help, code)))
}

// report reports the tokens from one to another that contain a value, once for a place.
func (j *judge) report(from, to int, v value, runner, help string) {
	p := j.p
	if j.reported[from] {
		return
	}
	j.reported[from] = true
	v.from = cmp.Or(v.from, &origin{label: "a value"})
	at := j.span(from, to)
	d := finding.ScriptProgramText(at, v.from.label, shortened(at), runner)
	if v.from.end > v.from.start {
		d = d.WithRelated(p.span(v.from.start, v.from.end), "the value")
	}
	p.report(d.WithHelp(replaceLabel(help, shortened(at))))
}

func (j *judge) span(from, to int) source.Span {
	p := j.p
	end := p.toks[to].end
	if l := p.toks[to].lit; l != nil {
		end = max(end, l.end)
	}
	return p.span(p.toks[from].start, end)
}

// longestSource is how many bytes of an expression shortened reads: a statement may be as
// long as the script.
const longestSource = 1024

// shortened returns the text of a place in one short line.
func shortened(s source.Span) string {
	s.End = min(s.End, s.Start+longestSource)
	text := strings.Join(strings.Fields(s.Text()), " ")
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:57], "") + "…"
	}
	return text
}

// shown is the name of the called function, as its author wrote it.
func (j *judge) shown(c *call) string {
	first := c.chain.atom
	for k := c.at; k > 0 && c.chain.trailers[k-1].kind == '.'; k-- {
		if first = c.chain.trailers[k-1].tok; k == 1 {
			first = c.chain.atom
		}
	}
	return "`" + shortened(j.span(first, c.open-1)) + "`"
}
