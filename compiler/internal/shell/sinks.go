package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

// checkCommands refuses values that some program would run: those that reach
// program text, a program's input or file, the place of a command or a name.
func (s *script) checkCommands() {
	s.walk(func(n syntax.Node, nodes []syntax.Node) {
		switch n := n.(type) {
		case *syntax.CallExpr:
			for _, words := range s.callWords(n) {
				s.checkCommand(&command{words: words}, nodes)
			}
		case *syntax.DeclClause:
			s.checkDeclared(n)
		case *syntax.UnaryTest:
			if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
				s.refuseNames("`[[ "+n.Op.String()+" … ]]`", n.X)
			}
		case *syntax.ParamExp:
			s.checkParameter(n)
		}
	})
	s.checkEvents()
}

// callWords returns the command lines that a simple command may come to.
func (s *script) callWords(n *syntax.CallExpr) [][]*syntax.Word {
	if len(n.Args) == 0 {
		return nil
	}
	return s.expand(n.Args, 0)
}

// checkCommand checks one command, and those it runs in turn.
func (s *script) checkCommand(c *command, nodes []syntax.Node) {
	if c.depth() > maxDepth {
		return
	}
	s.checkCommandWord(c)
	name := s.name(c)
	s.checkBuiltin(c, name, nodes)
	s.checkOptions(c, name)
	if in := lookupInterpreter(name); in != nil {
		s.checkInterpreter(c, in, name, nodes)
	} else {
		s.checkRunner(c, name, nodes)
	}
	if name == "" {
		s.checkUnknown(c, nodes)
	}
	s.checkWrapped(c, name)
	for _, inner := range s.nested(c, name) {
		if name == "xargs" || name == "find" || name == "fd" || name == "parallel" {
			s.checkSupplied(c, inner, name, nodes)
			continue
		}
		if len(inner.words) > 0 {
			for _, words := range s.expand(inner.words, 1) {
				s.checkCommand(&command{words: words, behind: c}, nodes)
			}
		}
	}
}

// checkWrapped refuses values without quotes among the options and operands of a
// program that runs the rest of its line: bash splits them, and the command may
// begin in the middle.
func (s *script) checkWrapped(c *command, name string) {
	w, ok := wrappers[name]
	if !ok || len(c.words) == 0 {
		return
	}
	for _, word := range c.words[1:min(len(c.words), s.skip(c, w))] {
		if s.isSplitWord(word) {
			s.refuseWords(word)
		}
	}
}

// isSplitWord reports whether bash may make several words of one: it holds an
// expansion without quotes, other than of a hole.
func (s *script) isSplitWord(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		switch p.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst:
			return true
		}
		return false
	})
}

// refuseWords refuses a value that may become a command with its arguments.
func (s *script) refuseWords(w *syntax.Word) {
	for _, k := range s.tracker.carriers(w) {
		s.refuseCarrier(k, finding.ShellHoleAsCommand(s.at(k), s.subject(k), s.label(k)).WithHelp("put double quotes around it"))
	}
}

// maxDepth bounds the nesting of programs that run others.
const maxDepth = 12

func (c *command) depth() int {
	n := 0
	for ; c.behind != nil; c = c.behind {
		n++
	}
	return n
}

// checkCommandWord refuses a command that is nothing but a value.
func (s *script) checkCommandWord(c *command) {
	if len(c.words) == 0 {
		return
	}
	w := c.words[0]
	start, end := offsets(w)
	carriers := s.tracker.carriers(w)
	if len(carriers) == 0 || start == end {
		return
	}
	if len(s.passed) > 0 && isParameters(w) && s.tracker.around(start) == "" && s.tracker.shifts[""].most == 0 && s.outer != nil {
		// The arguments are a command of the script around this one.
		s.outer.checkCommand(&command{words: s.passed}, s.passedAt)
		return
	}
	rest := []byte(s.masked[start:end])
	for _, p := range expansions(w.Parts) {
		if from, to := offsets(p); len(s.tracker.carriers(p)) > 0 {
			for i := max(from, start); i < min(to, end); i++ {
				rest[i-start] = '"'
			}
		}
	}
	for _, p := range s.holesIn(start, end) {
		for i := p.Start; i < p.End; i++ {
			rest[i-start] = '"'
		}
	}
	if strings.Trim(string(rest), `"'$`) != "" {
		return
	}
	k := carriers[0]
	s.refuseCarrier(k, finding.ShellHoleAsCommand(s.at(k), s.subject(k), s.label(k)))
}

// expansions returns the parts of a word that are not plain text, those in quotes
// one by one.
func expansions(parts []syntax.WordPart) []syntax.WordPart {
	var list []syntax.WordPart
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			list = append(list, expansions(p.Parts)...)
		default:
			list = append(list, p)
		}
	}
	return list
}

// checkUnknown checks a command whose name only the run knows: it may be an
// interpreter.
func (s *script) checkUnknown(c *command, nodes []syntax.Node) {
	if len(c.words) == 0 {
		return
	}
	start, end := offsets(c.words[0])
	title := "`" + s.src[start:end] + "`"
	for i, w := range c.words {
		a := s.read(w)
		if i == 0 || i+1 == len(c.words) || !a.full || !slices.Contains([]string{"-c", "-e", "--eval", "-lc", "-ec", "-E", "-r", "-x"}, a.text) {
			continue
		}
		s.refuseCode(c.words[i+1], title, "name the program in the script")
	}
	if len(c.words) == 1 && s.tracker.ownInput(nodes) { // else any command that runs anything would be refused
		s.refuseInput(nodes, title, "name the program in the script")
	}
}

// checkInterpreter refuses values in the program of an interpreter.
func (s *script) checkInterpreter(c *command, in *interpreter, name string, nodes []syntax.Node) {
	p := s.readProgram(c, in)
	title := "`" + name + "`"
	for _, w := range p.code {
		if in.shell {
			s.passing, s.passingAt = p.args[min(1, len(p.args)):], nodes
			s.checkShellCode([]*syntax.Word{w}, title, in.safe, s.childSees(c, p.args, nodes))
			s.passing, s.passingAt = nil, nil
		} else {
			s.refuseCode(w, title, in.safe)
			s.checkFixedCode(w, name, p.args, nodes)
		}
	}
	for _, w := range p.loads {
		s.refuseCode(w, title, in.safe)
	}
	if p.file != nil {
		s.refuseFile(p.file, title)
		if isInputName(s.read(p.file).text) {
			s.refuseInput(nodes, title, in.safe)
			s.refuseDescriptor(p.file, title)
		}
	}
	if p.stdin {
		s.refuseInput(nodes, title, in.safe)
		for _, w := range c.words[1:] {
			s.refuseDescriptor(w, title)
		}
		s.checkFixedInput(c, in, p.args, title, nodes)
	}
}

// checkFixedInput checks the fixed program in the input of a shell.
func (s *script) checkFixedInput(c *command, in *interpreter, args []*syntax.Word, title string, nodes []syntax.Node) {
	if !in.shell {
		return
	}
	for _, n := range s.tracker.inputs(nodes) {
		if w, ok := n.(*syntax.Word); ok {
			s.checkShellCode([]*syntax.Word{w}, title, in.safe, s.childSees(c, append([]*syntax.Word{nil}, args...), nodes))
		}
	}
}

// checkRunner refuses values in programs that commands other than interpreters run.
func (s *script) checkRunner(c *command, name string, nodes []syntax.Node) {
	args := c.words[min(1, len(c.words)):]
	all := func(words []*syntax.Word, program, safe string) {
		for _, w := range words {
			s.refuseCode(w, program, safe)
		}
	}
	switch name {
	case "eval":
		s.checkShellCode(args, "`eval`", "call the command itself and pass the value to it: `deploy LABEL`; build commands as arrays: `cmd=(deploy LABEL); \"${cmd[@]}\"`", s.sameSees(c))
	case "trap":
		if i := slices.IndexFunc(args, func(w *syntax.Word) bool { return !strings.HasPrefix(s.read(w).text, "-") }); i >= 0 {
			s.checkShellCode(args[i:i+1], "`trap`", "keep the value in a variable that the trap reads: `value=LABEL; trap 'echo \"$value\"' EXIT`", s.sameSees(c))
		}
	case "alias":
		all(args, "the alias", "write a function: `f() { deploy LABEL; }`")
	case "source", ".":
		if len(args) > 0 && isInputName(s.read(args[0]).text) {
			s.refuseInput(nodes, "`"+name+"`", shellInterpreter.safe)
			s.refuseDescriptor(args[0], "`"+name+"`")
		} else if len(args) > 0 {
			s.refuseFile(args[0], "`"+name+"`")
		}
	case "watch", "parallel":
		for i, w := range args {
			if strings.HasPrefix(s.read(w).text, ":::") {
				args = args[:i]
				break
			}
		}
		all(args, "`"+name+"`", "pass the value as data: `parallel deploy ::: LABEL`, or loop in bash")
	case "ssh":
		s.checkSSH(c, nodes)
	case "su", "runuser", "script", "flock":
		for i, w := range args {
			t := s.read(w).text
			if i+1 < len(args) && (t == "--command" || isShellCode(t)) {
				s.checkShellCode(args[i+1:i+2], "`"+name+" -c`", shellInterpreter.safe, s.childSees(c, nil, nodes))
			} else if strings.HasPrefix(t, "--command=") {
				all(args[i:i+1], "`"+name+" -c`", shellInterpreter.safe)
			}
		}
	case "env":
		s.checkEnv(args)
	case "make", "gmake", "just", "rake":
		s.checkMake(c, name, nodes)
	}
}

// checkSSH treats all words behind the host as one program of the remote shell,
// which is how ssh passes them on.
func (s *script) checkSSH(c *command, nodes []syntax.Node) {
	host := s.skip(c, wrapper{value: sshValues})
	const safe = "quote the value for the remote shell: `ssh host \"deploy $(printf '%q' LABEL)\"`, or send it as input: `ssh host 'cat > value.txt' <<< LABEL`"
	if host+1 >= len(c.words) {
		if host < len(c.words) {
			s.refuseInput(nodes, "the remote shell", safe)
		}
		return
	}
	before := len(s.found)
	remote := &command{words: c.words[host+1:], behind: c}
	if in := lookupInterpreter(s.name(remote)); in != nil && s.readProgram(remote, in).stdin {
		s.refuseInput(nodes, "`"+s.name(remote)+"` on the remote host", in.safe)
	}
	if len(s.found) == before {
		s.feeding = s.tracker.feeds(nodes)
		s.checkShellCode(c.words[host+1:], "the remote shell", safe, func(string) (value, bool) { return anyText(), true })
	}
}

// sshValues are the options of ssh that take a value.
var sshValues = []string{"-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-Q", "-R", "-S", "-W", "-w", "-B"}

// checkEnv checks env's own program text and the variables it sets.
func (s *script) checkEnv(args []*syntax.Word) {
	for i, w := range args {
		a := s.read(w)
		name, _, ok := strings.Cut(a.text, "=")
		switch {
		case ok && isProgramVariable(name):
			s.refuseCode(w, "the readers of `"+name+"`", "keep values out of `"+name+"`")
		case a.full && a.text == "-S" && i+1 < len(args):
			s.refuseCode(args[i+1], "`env -S`", "pass the command to env as separate words")
		case strings.HasPrefix(a.text, "--split-string=") || strings.HasPrefix(a.text, "-S") && (a.text != "-S" || !a.full):
			s.refuseCode(w, "`env -S`", "pass the command to env as separate words")
		}
	}
}

// refuseCode refuses the values in a word that program runs.
func (s *script) refuseCode(w *syntax.Word, program, safe string) {
	for _, k := range s.tracker.carriers(w) {
		s.refuseText(k, program, safe)
	}
}

func (s *script) refuseText(k carrier, program, safe string) {
	s.refuseCarrier(k, finding.ShellProgramText(s.at(k), s.subject(k), program).WithHelp(strings.ReplaceAll(safe, "LABEL", s.label(k))))
}

// refuseFile refuses values in the name of a file that program runs. A process
// substitution there is the program's text.
func (s *script) refuseFile(w *syntax.Word, program string) {
	for _, part := range w.Parts {
		if p, ok := part.(*syntax.ProcSubst); ok {
			for _, k := range s.tracker.carriers(p) {
				s.refuseCarrier(k, finding.ShellProgramInput(s.at(k), s.subject(k), program).WithHelp(strings.ReplaceAll(shellInterpreter.safe, "LABEL", s.label(k))))
			}
			return
		}
	}
	start, _ := offsets(w)
	for _, k := range s.tracker.carriers(w) {
		if k.seed.lost == foundFile {
			continue
		}
		if a := s.read(w); a.text != "" && strings.Contains(a.text, "/") && k.through == "" {
			continue // a file of a fixed folder
		}
		if k.start == start && k.seed.spot != nil && s.fixedName(w, k.end) {
			continue // a fixed file of some folder
		}
		s.refuseCarrier(k, finding.ShellProgramFile(s.at(k), s.subject(k), program, s.label(k)))
	}
}

// fixedName reports whether a word ends in a slash and a fixed name.
func (s *script) fixedName(w *syntax.Word, from int) bool {
	_, end := offsets(w)
	rest := strings.Trim(s.masked[from:end], `"'`)
	return strings.HasPrefix(rest, "/") && !strings.ContainsAny(rest, "$`*?")
}

// refuseInput refuses values in the input of the command at the end of a path.
func (s *script) refuseInput(nodes []syntax.Node, program, safe string) {
	for _, n := range s.tracker.inputs(nodes) {
		if f, ok := n.(*fileNode); ok {
			s.refuseFile(f.Word, program)
			continue
		}
		for _, k := range s.tracker.carriers(n) {
			s.refuseCarrier(k, finding.ShellProgramInput(s.at(k), s.subject(k), program).WithHelp(strings.ReplaceAll(safe, "LABEL", s.label(k))))
		}
	}
}

// refuseDescriptor refuses a program that is read from a descriptor other than the
// input: the analysis does not follow text written there.
func (s *script) refuseDescriptor(w *syntax.Word, program string) {
	text := s.read(w).text
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if n, ok := strings.CutPrefix(text, dir); ok && n != "0" {
			start, end := offsets(w)
			k := carrier{origin{seed: seed{lost: "the content of a descriptor"}}, start, end, ""}
			s.refuseCarrier(k, finding.ShellProgramInput(s.at(k), s.subject(k), program).WithHelp(strings.ReplaceAll(shellInterpreter.safe, "LABEL", s.label(k))))
		}
	}
}

// refuseCarrier reports an error about a piece of the script, once for each.
func (s *script) refuseCarrier(k carrier, d *diag.Diagnostic) {
	if p := k.seed.spot; p != nil && k.start == p.Start && k.end == p.End {
		s.refuse(p, d)
		return
	}
	if s.flagged[k.start] {
		return
	}

	s.flagged[k.start] = true
	if p := k.seed.spot; p != nil {
		d.WithRelated(s.span(p.Start, p.End), "the value comes from here")
	}
	s.report(d)
}

// at returns the place of a carrier.
func (s *script) at(k carrier) source.Span { return s.span(k.start, k.end) }

// label returns a carrier as it may be written in a script.
func (s *script) label(k carrier) string {
	switch {
	case isName(k.through) || isPositional(k.through):
		return `"$` + k.through + `"`
	case k.seed.spot != nil:
		return k.seed.spot.Label
	case k.seed.variable != "":
		return `"$` + k.seed.variable + `"`
	}
	return `"$value"`
}

// subject names a carrier in a message.
func (s *script) subject(k carrier) string {
	what := k.seed.lost
	switch {
	case k.seed.spot != nil:
		what = "`" + k.seed.spot.Label + "`"
	case k.seed.variable != "":
		what = "`$" + k.seed.variable + "`"
	}
	switch {
	case k.through == k.seed.variable && k.through != "", !isName(k.through) && !isPositional(k.through):
		return what
	}
	return "`$" + k.through + "`, which holds " + what + ","
}
