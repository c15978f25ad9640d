package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Many programs that are not interpreters have options that run others: tar
// --to-command, git -c core.pager, ssh -o ProxyCommand. A value there is program
// text. A program treats a value among the operands as such an option if it begins
// with a dash, unless `--` is before it or the word begins with something else.

// A tool is a program as the table knows it.
type tool struct {
	settings.CodeRunner
	// risk describes the effect of a value that is treated as an option.
	risk risk
	// noDashes says that `--` does not end the options; safe is the safe form.
	noDashes bool
	// bundled says that the first operand may be options without a dash: tar xf.
	bundled bool
	// stops says that the first operand ends the options.
	stops bool
	// quotedOnly says that a value in quotes does no harm.
	quotedOnly bool
	// lead are the characters that make an operand a command.
	lead string
	// commands are the tool's commands, by name; other commands run nothing.
	commands map[string]*tool
}

type risk int

const (
	noRisk risk = iota
	mayRun      // an option may run a program: a warning
	runs        // one option alone runs a program: an error
)

// lookupTool finds a tool by a command's name, the project's first.
func (s *script) lookupTool(name string) *tool {
	if p, ok := s.options.Programs[name]; ok {
		return &tool{CodeRunner: p, risk: mayRun}
	}
	if a, ok := toolAliases[name]; ok {
		name = a
	}
	return tools[name]
}

// checkOptions refuses values where a program takes text that it runs.
func (s *script) checkOptions(c *command, name string) {
	t := s.lookupTool(name)
	if t == nil {
		s.checkGreedy(c, name)
		return
	}
	words := c.words[1:]
	title := name
	if name == "git" {
		words = s.checkGit(c, words)
		if len(words) > 0 {
			title = "git " + s.read(words[0]).text
		}
	}
	if t.commands != nil {
		if len(words) == 0 {
			return
		}
		if a := s.read(words[0]); !a.full && a.text == "" {
			s.refuseOption(words[0], name, t, title)
			return
		}
		if t = t.commands[s.read(words[0]).text]; t == nil {
			return
		}
		words = words[1:]
		if name != "git" {
			title = name + " " + s.read(c.words[1]).text
		}
	}
	s.checkArguments(t, words, name, title)
}

// checkArguments checks the words behind a program's name.
func (s *script) checkArguments(t *tool, words []*syntax.Word, name, title string) {
	const safe = "keep values out of it, and choose between fixed programs with a case statement"
	options, operand := true, 0
	consumed := 0
	for i := 0; i < len(words); i++ {
		w := words[i]
		a := s.read(w)
		if consumed > 0 {
			if consumed--; t.risk == runs && s.isSplitWord(w) {
				s.refuseOption(w, name, t, title)
			}
			continue
		}
		switch {
		case a.full && a.text == "--" && !t.noDashes:
			options = false
			continue
		case options && strings.HasPrefix(a.text, "-") && a.text != "-" || options && a.text == "-" && !a.full:
			option, code, value := t.readOption(a)
			switch {
			case code && option == a.text && a.full:
				if i+1 < len(words) {
					s.refuseCode(words[i+1], "`"+title+" "+option+"`", safe)
				}
				i++
			case code:
				s.refuseCode(w, "`"+title+" "+option+"`", safe)
			case value && a.full:
				if i++; i < len(words) && t.risk == runs && s.isSplitWord(words[i]) {
					s.refuseOption(words[i], name, t, title)
				}
			case !a.full && strings.Trim(a.text, "-") == "" && !t.quotedOnly:
				s.refuseOption(w, name, t, title)
			}
			continue
		}
		if t.risk == runs && s.isSplitWord(w) {
			s.refuseOption(w, name, t, title)
			operand++
			continue
		}
		if t.bundled && operand == 0 && i == 0 && a.full && isWordText(a.text) {
			consumed = strings.Count(a.text, "f") + strings.Count(a.text, "C") + strings.Count(a.text, "T") + strings.Count(a.text, "X") + strings.Count(a.text, "b")
			operand++
			continue
		}
		if operand++; t.stops && operand > 1 {
			return
		}
		if slices.Contains(t.CodeArguments, operand) || slices.Contains(t.CodeArguments, 0) {
			s.refuseCode(w, "`"+title+"`", safe)
			continue
		}
		switch {
		case a.full:
		case a.text != "" && t.lead != "" && strings.Contains(t.lead, a.text[:1]):
			s.refuseCode(w, "`"+title+"`", safe)
		case a.text == "" && (options || t.lead != "") && !t.quotedOnly:
			s.refuseOption(w, name, t, title)
		}
	}
}

// readOption says which option a word is, whether its value is program text and
// whether the next word may be its value.
func (t *tool) readOption(a arg) (option string, code, value bool) {
	match := func(list []string) string {
		for _, o := range list {
			switch {
			case a.text == o, strings.HasPrefix(a.text, o+"="):
				return o
			case len(o) == 2 && !strings.HasPrefix(a.text, "--") && strings.HasPrefix(a.text, o) && o[1] != '-':
				return o
			}
		}
		return ""
	}
	if o := match(t.CodeFlags); o != "" {
		return o, true, false
	}
	if o := match(t.ValueFlags); o != "" {
		return o, false, a.text == o
	}
	if len(a.text) > 2 && a.text[1] != '-' { // a cluster: its last letter may take a value
		last := "-" + a.text[len(a.text)-1:]
		if slices.Contains(t.CodeFlags, last) {
			return a.text, true, false
		}
		return a.text, false, slices.Contains(t.ValueFlags, last)
	}
	return a.text, false, false
}

// refuseOption reports that a program may treat a value as an option.
func (s *script) refuseOption(w *syntax.Word, name string, t *tool, title string) {
	if t.risk == noRisk {
		return
	}
	start, _ := offsets(w)
	for _, k := range s.tracker.carriers(w) {
		if k.start > start+1 || s.harmlessOption(k, name) || s.beginsFixed(k) {
			continue
		}
		switch {
		case t.risk == mayRun:
			s.warnCarrier(k, finding.ShellMaybeOption(s.at(k), s.subject(k), title, s.label(k)))
		default:
			s.refuseCarrier(k, finding.ShellValueAsOption(s.at(k), s.subject(k), title, s.label(k), t.noDashes))
		}
		return
	}
}

// harmlessOption reports whether a value never begins with a dash: values of the
// runner itself, and the output of git for git.
func (s *script) harmlessOption(k carrier, name string) bool {
	if p := k.seed.spot; p != nil {
		return slices.Contains(s.options.Runner, strings.Trim(p.Label, "${}")) || alwaysUnsigned(p)
	}
	return k.seed.lost != "" && (name == "git" || strings.Contains(k.seed.lost, "`git`") || strings.Contains(k.seed.lost, "`find`") || k.seed.lost == foundFile)
}

// beginsFixed reports whether a value is in a variable that always begins with text
// of the script's own other than a dash: branch="fix/$name". Every place where the
// variable gets its value must be such an assignment.
func (s *script) beginsFixed(k carrier) bool {
	piece := s.masked[k.start:k.end]
	if !isName(k.through) || piece != "$"+k.through && piece != "${"+k.through+"}" {
		return false // a part of it may begin with anything
	}
	if s.inner || len(s.tracker.dynamic) > 0 {
		return false // it may have got its value elsewhere, too
	}
	found := false
	for _, e := range s.tracker.list {
		if e.name != k.through {
			continue
		}
		a := e.assigned
		if a == nil || e.added || e.number || a.Value == nil || a.Index != nil || a.Array != nil {
			return false
		}
		if text := s.read(a.Value).text; text == "" || text[0] == '-' {
			return false
		}
		found = true
	}
	return found
}

// alwaysUnsigned reports whether no value of a hole begins with a dash.
func alwaysUnsigned(p *spot) bool {
	values, ok := enumValues(p.Type)
	return ok && !slices.ContainsFunc(values, func(v string) bool { return strings.HasPrefix(v, "-") })
}

// warnCarrier reports a warning about a piece of the script, unless there is an
// error about it.
func (s *script) warnCarrier(k carrier, d *diag.Diagnostic) {
	if p := k.seed.spot; s.flagged[k.start] || p != nil && p.refused || s.inner {
		return
	}

	if !s.warned[k.start] {
		s.warned[k.start] = true
		s.report(d)
	}
}

// greedy are the interpreters that search for options behind their program, too.
var greedy = map[string]bool{"perl": true, "ruby": true, "node": true, "bun": true, "tsx": true, "ts-node": true, "php": true, "lua": true}

// checkGreedy refuses arguments of a fixed program that its interpreter may take
// for options.
func (s *script) checkGreedy(c *command, name string) {
	kind := interpreterKind(name)
	if !greedy[kind] {
		return
	}
	in := interpreters[kind]
	code := false
	for i := 1; i < len(c.words); i++ {
		a := s.read(c.words[i])
		switch {
		case a.full && a.text == "--":
			return
		case in.hasCode(a.text):
			if code = true; !in.attached(a) {
				i++
			}
		case strings.HasPrefix(a.text, "-"):
		case a.full, a.text != "":
			return // the first operand ends the options
		case code:
			s.refuseOption(c.words[i], name, &tool{risk: runs}, name)
		}
	}
}

// checkMake refuses values among the goals and variables of make, which expands
// the text of a variable like a makefile.
func (s *script) checkMake(c *command, name string, nodes []syntax.Node) {
	const safe = "pass the value in a file that a recipe reads"
	if call, ok := nodes[len(nodes)-1].(*syntax.CallExpr); ok {
		for _, a := range call.Assigns {
			if a.Value != nil {
				s.refuseCode(a.Value, "`"+name+"`", safe)
			}
		}
	}
	for o := c.behind; o != nil; o = o.behind {
		for _, w := range o.words {
			if isAssignmentText(s.read(w).text) {
				s.refuseCode(w, "`"+name+"`", safe)
			}
		}
	}
	for i := 1; i < len(c.words); i++ {
		a := s.read(c.words[i])
		switch {
		case a.full && slices.Contains([]string{"-C", "-j", "-o", "-W", "-l", "--directory"}, a.text):
			i++
		case a.full && slices.Contains([]string{"-f", "--file", "-I", "--eval", "--makefile"}, a.text):
			if i++; i < len(c.words) {
				s.refuseCode(c.words[i], "`"+name+" "+a.text+"`", safe)
				if isInputName(s.read(c.words[i]).text) {
					s.refuseInput(nodes, "`"+name+"`", safe)
				}
			}
		case a.full, a.text != "" && a.text[0] != '-' && !strings.Contains(a.text, "="):
		case strings.HasPrefix(a.text, "-C") || strings.HasPrefix(a.text, "--directory="):
		default:
			s.refuseCode(c.words[i], "`"+name+"`", safe)
		}
	}
}
