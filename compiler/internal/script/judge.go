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
			p.report(finding.ScriptTooLong(p.sourceSpan(0, min(1, len(p.src)))))
		default:
			panic(r)
		}
	}()
	t := &taint{outline: newOutline(p), state: map[symbol]value{}}
	t.propagateMarks()
	j := &judge{taint: t, p: p, reported: map[int]bool{}}
	for _, c := range t.calls {
		j.judgeCall(c)
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

// judgeCall judges a call.
func (j *judge) judgeCall(c *call) bool {
	t := j.taint
	callee := t.calleeValue(c)
	for _, n := range callee.names {
		if by := t.startedBy(n); by != nil && slices.Contains(feeders, t.methodName(c)) && t.readsProgramFromStdin(by) && j.refuseOtherArguments(c, -1, "the interpreter that "+j.calleeText(by)+" starts") {
			return true
		}
		if j.judgeEvaluator(c, n, j.calleeText(c)) {
			return true
		}
	}
	if len(callee.fns) > 0 {
		return false
	}
	for i, a := range c.args {
		for _, n := range t.argumentValue(a).names {
			by := t.startedBy(n)
			if by != nil && t.readsProgramFromStdin(by) && j.refuseOtherArguments(c, i, "the interpreter that "+j.calleeText(by)+" starts") ||
				isEvaluator(j.p.lang, n) && j.refuseOtherArguments(c, i, "`"+n+"`") {
				return true
			}
		}
	}
	return false
}

// refuseOtherArguments refuses the values that a call has beside an argument that evaluates them.
func (j *judge) refuseOtherArguments(c *call, evaluator int, runner string) bool {
	for k, other := range c.args {
		if k != evaluator && j.refuseArgument(other, runner, help[roleCode][j.p.lang]) {
			return true
		}
	}
	base := argument{from: c.chain.atom, to: c.open}
	return c.at > 0 && j.taint.receiverValue(c).marks&hostile != 0 && j.refuseArgument(base, runner, help[roleCode][j.p.lang])
}

// judgeEvaluator judges a call of a function in the table.
func (j *judge) judgeEvaluator(c *call, name, shown string) bool {
	t, e := j.taint, lookUp(j.p.lang, name)
	switch e.role {
	case roleLoader:
		safe := func(n string) bool { return strings.HasSuffix(n, "SafeLoader") || strings.HasSuffix(n, "BaseLoader") }
		if slices.ContainsFunc(c.args, func(a argument) bool { return slices.ContainsFunc(t.argumentValue(a).names, safe) }) {
			return false
		}
	case roleShell:
		if len(c.args) > 0 && t.readsText(c.args[0]) && j.refuseStdinValues(c.args[1:], shown) {
			return true
		}
		shown = "the shell of " + shown
	case roleProcess:
		return j.judgeProcessStart(c, shown)
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
		if program && t.argumentValue(a).marks&hostile != 0 && j.refuseArgument(a, shown, help[e.role][j.p.lang]) {
			return true
		}
	}
	return false
}

// judgeProcessStart judges a call that starts a program.
func (j *judge) judgeProcessStart(c *call, shown string) bool {
	t := j.taint
	command, options := t.splitCommand(c)
	if t.usesShell(c, options) {
		for _, a := range command {
			if j.refuseArgument(a, "the shell of "+shown, help[roleProcess][j.p.lang]) {
				return true
			}
		}
	}
	return j.judgeCommandLine(t.commandElements(command), shown) || t.readsProgramFromStdin(c) && j.refuseStdinValues(options, shown)
}

// judgeCommandLine judges the arguments of a program.
func (j *judge) judgeCommandLine(list []element, shown string) bool {
	i := programIndex(list)
	behindSetting := i > 0 && strings.Contains(list[i-1].text, "=")
	if i < len(list) && list[i].hostile && !strings.Contains(list[i].fixedPrefix(), "=") && (i == 0 || behindSetting) {
		return j.refuseArgument(list[i].argument, shown, programHelp)
	}
	e, at, ran := findInterpretedProgram(list)
	return ran && j.refuseArgument(e.argument, "`"+path.Base(list[at].text)+"`", fixedHelp)
}

// refuseStdinValues refuses values on the standard input of an interpreter.
func (j *judge) refuseStdinValues(options []argument, shown string) bool {
	for _, a := range options {
		inputs := []argument{a}
		if j.p.hasText(a.from, "{") {
			inputs = append(j.p.propertyValues(a, "input"), j.p.propertyValues(a, "stdin")...)
		} else if j.p.lang == Python && a.name != "input" && a.name != "stdin" {
			continue
		}
		for _, in := range inputs {
			if j.refuseArgument(in, "the interpreter that "+shown+" starts", fixedHelp) {
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
	for _, g := range j.p.gapRanges(c.open) {
		e := element{argument: literal, hostile: slices.ContainsFunc(j.p.toks[c.open].lit.spots, func(s *spot) bool { return s.Start == g[0] })}
		for _, a := range c.args {
			if at := j.p.toks[a.from].start; g[0] < at && at < g[1] {
				v := t.argumentValue(a)
				e = element{argument: a, hostile: v.marks&hostile != 0}
				if v.marks&parsed != 0 && j.refuseArgument(a, runner, "convert the value, because an object with `raw` is not escaped: `String(LABEL)`") {
					return true
				}
			}
		}
		gaps = append(gaps, e)
	}
	commands, reads := shellCommands(j.p.textWithGaps(c.open))
	at := 0
	for i, list := range commands {
		for k := range list {
			for range strings.Count(list[k].text, gap) {
				list[k].argument, list[k].hostile = gaps[at].argument, gaps[at].hostile
				at++
			}
		}
		if j.judgeCommandLine(list, runner) {
			return true
		}
		for _, g := range gaps {
			if reads[i] && readsProgram(list) && j.refuseArgument(g.argument, "`"+list[programIndex(list)].text+"`", fixedHelp) {
				return true
			}
		}
	}
	return false
}

// refuseArgument reports the first value in an argument, if there is one; runner names the program
// or function that runs it.
func (j *judge) refuseArgument(a argument, runner, help string) bool {
	t, p := j.taint, j.p
	whole := t.elementValue(t.argumentValue(a))
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
		case tok.kind != word || p.lang == JavaScript && p.hasText(i+1, ":") && p.hasText(i-1, "{", ","):
			continue
		case !p.hasText(i-1, ".", "?."):
			s = t.resolveSymbol(tok.text, i)
		}
		if v := t.state[s]; v.marks&hostile != 0 {
			j.reportTokens(i, i, v, runner, help)
			return true
		}
	}
	if whole.marks&hostile != 0 {
		j.reportTokens(a.from, a.to-1, whole, runner, help)
	}
	return whole.marks&hostile != 0
}

func (j *judge) refuseSpot(s *spot, code, runner, help string) {
	j.p.refuseHole(s, finding.ScriptProgramText(j.p.holeSpan(s), s.Label, "", runner).WithHelp(replaceLabel(help, code)))
}

// reportTokens reports the tokens from one to another that contain a value, once for a place.
func (j *judge) reportTokens(from, to int, v value, runner, help string) {
	p := j.p
	if j.reported[from] {
		return
	}
	j.reported[from] = true
	v.from = cmp.Or(v.from, &origin{label: "a value"})
	at := j.tokenSpan(from, to)
	d := finding.ScriptProgramText(at, v.from.label, shortSpanText(at), runner)
	if v.from.end > v.from.start {
		d = d.WithRelated(p.sourceSpan(v.from.start, v.from.end), "the value")
	}
	p.report(d.WithHelp(replaceLabel(help, shortSpanText(at))))
}

func (j *judge) tokenSpan(from, to int) source.Span {
	p := j.p
	end := p.toks[to].end
	if l := p.toks[to].lit; l != nil {
		end = max(end, l.end)
	}
	return p.sourceSpan(p.toks[from].start, end)
}

// longestSource is how many bytes of an expression shortened reads: a statement may be as
// long as the script.
const longestSource = 1024

// shortSpanText returns the text of a place in one short line.
func shortSpanText(s source.Span) string {
	s.End = min(s.End, s.Start+longestSource)
	text := strings.Join(strings.Fields(s.Text()), " ")
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:57], "") + "…"
	}
	return text
}

// calleeText is the name of the called function, as its author wrote it.
func (j *judge) calleeText(c *call) string {
	first := c.chain.atom
	for k := c.at; k > 0 && c.chain.trailers[k-1].kind == '.'; k-- {
		if first = c.chain.trailers[k-1].tok; k == 1 {
			first = c.chain.atom
		}
	}
	return "`" + shortSpanText(j.tokenSpan(first, c.open-1)) + "`"
}
