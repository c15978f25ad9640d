package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// checkCommands refuses values that some program would run: those that reach
// program text, a program's input or file, the place of a command or a name.
func (s *script) checkCommands() {
	s.walk(func(n syntax.Node, nodes []syntax.Node) {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				s.checkCommand(&command{words: n.Args}, nodes)
			}
		case *syntax.Assign:
			if n.Name != nil && n.Value != nil && programVariables[n.Name.Value] {
				s.refuseCode(n.Value, "the readers of `"+n.Name.Value+"`", "keep values out of `"+n.Name.Value+"`, and pass them as arguments")
			}
		}
	})
}

// hasValues reports whether anything in the script needs following.
func (s *script) hasValues() bool {
	return len(s.spots) > 0 || slices.ContainsFunc(s.options.Variables, func(v string) bool { return strings.Contains(s.src, v) })
}

// checkCommand checks one command, and those it runs in turn.
func (s *script) checkCommand(c *command, nodes []syntax.Node) {
	s.checkCommandWord(c)
	name := s.name(c)
	s.checkBuiltin(c, name)
	if in := lookupInterpreter(name); in != nil {
		s.checkInterpreter(c, in, name, nodes)
	} else {
		s.checkRunner(c, name, nodes)
	}
	for _, inner := range s.nested(c, name) {
		s.checkCommand(inner, nodes)
	}
}

// checkCommandWord refuses a command that is nothing but a value.
func (s *script) checkCommandWord(c *command) {
	if len(c.words) == 0 {
		return
	}
	w := c.words[0]
	start, end := offsets(w)
	carriers := s.tracker.carriers(w, followText)
	rest := []byte(s.masked[start:end])
	for _, k := range carriers {
		for i := k.start; i < k.end; i++ {
			rest[i-start] = '"'
		}
	}
	if len(carriers) == 0 || strings.Trim(string(rest), `"'$`) != "" {
		return
	}
	k := carriers[0]
	s.refuseCarrier(k, diag.ShellHoleAsCommand(s.at(k), s.subject(k), s.label(k)))
}

// checkInterpreter refuses values in the program of an interpreter.
func (s *script) checkInterpreter(c *command, in *interpreter, name string, nodes []syntax.Node) {
	p := s.readProgram(c, in)
	title := "`" + name + "`"
	for _, w := range p.code {
		s.refuseCode(w, title, in.safe)
	}
	if p.file != nil {
		s.refuseFile(p.file, title)
	}
	if p.stdin {
		s.refuseInput(nodes, title, in.safe)
	}
}

// checkRunner refuses values in what commands other than interpreters run.
func (s *script) checkRunner(c *command, name string, nodes []syntax.Node) {
	args := c.words[min(1, len(c.words)):]
	all := func(words []*syntax.Word, program, safe string) {
		for _, w := range words {
			s.refuseCode(w, program, safe)
		}
	}
	switch name {
	case "eval":
		all(args, "`eval`", "call the command itself and pass the value to it: `deploy LABEL`; build commands as arrays: `cmd=(deploy LABEL); \"${cmd[@]}\"`")
	case "trap":
		if i := slices.IndexFunc(args, func(w *syntax.Word) bool { return !strings.HasPrefix(s.read(w).text, "-") }); i >= 0 {
			all(args[i:i+1], "`trap`", "keep the value in a variable that the trap reads: `value=LABEL; trap 'echo \"$value\"' EXIT`")
		}
	case "alias":
		all(args, "the alias", "write a function: `f() { deploy LABEL; }`")
	case "source", ".":
		if len(args) > 0 {
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
			if t := s.read(w).text; (t == "-c" || t == "--command") && i+1 < len(args) {
				all(args[i+1:i+2], "`"+name+" -c`", shellInterpreter.safe)
			}
		}
	case "env":
		s.checkEnv(args)
	case "xargs":
		s.checkReplaced(c, nodes)
	}
}

// checkSSH treats all words behind the host as one program of the remote shell,
// which is how ssh passes them on.
func (s *script) checkSSH(c *command, nodes []syntax.Node) {
	host := s.skip(c, wrapper{value: []string{"-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-Q", "-R", "-S", "-W", "-w"}})
	const safe = "quote the value for the remote shell: `ssh host \"deploy $(printf '%q' LABEL)\"`, or send it as input: `ssh host 'cat > value.txt' <<< LABEL`"
	if host+1 >= len(c.words) {
		if host < len(c.words) {
			s.refuseInput(nodes, "the remote shell", safe)
		}
		return
	}
	for _, w := range c.words[host+1:] {
		s.refuseCode(w, "the remote shell", safe)
	}
	remote := &command{words: c.words[host+1:], behind: c}
	if in := lookupInterpreter(s.name(remote)); in != nil && s.readProgram(remote, in).stdin {
		s.refuseInput(nodes, "`"+s.name(remote)+"` on the remote host", in.safe)
	}
}

// checkEnv checks env's own program text and the variables it sets.
func (s *script) checkEnv(args []*syntax.Word) {
	for i, w := range args {
		a := s.read(w)
		name, _, ok := strings.Cut(a.text, "=")
		switch {
		case ok && programVariables[name]:
			s.refuseCode(w, "the readers of `"+name+"`", "keep values out of `"+name+"`")
		case a.text == "-S" && i+1 < len(args):
			s.refuseCode(args[i+1], "`env -S`", "give env the command in words of its own")
		case strings.HasPrefix(a.text, "--split-string=") || strings.HasPrefix(a.text, "-S") && a.text != "-S":
			s.refuseCode(w, "`env -S`", "give env the command in words of its own")
		}
	}
}

// checkReplaced refuses input that xargs puts into program text: with -I{} and
// a program that holds {}.
func (s *script) checkReplaced(c *command, nodes []syntax.Node) {
	mark := ""
	for i, w := range c.words {
		a := s.read(w)
		if rest, ok := strings.CutPrefix(a.text, "-I"); ok && a.full {
			if mark = rest; mark == "" && i+1 < len(c.words) {
				mark = s.read(c.words[i+1]).text
			}
		}
	}
	if mark == "" {
		return
	}
	for _, inner := range s.nested(c, s.name(c)) {
		in := lookupInterpreter(s.name(inner))
		if in == nil {
			continue
		}
		for _, w := range s.readProgram(inner, in).code {
			if start, end := offsets(w); strings.Contains(s.masked[start:end], mark) {
				s.refuseInput(nodes, "`xargs "+s.name(inner)+"` in place of `"+mark+"`", in.safe)
			}
		}
	}
}

// checkBuiltin refuses values as names of variables.
func (s *script) checkBuiltin(c *command, name string) {
	var names []*syntax.Word
	switch name {
	case "read", "mapfile", "readarray", "unset", "getopts":
		names = s.nameOperands(c)
	case "printf":
		if len(c.words) > 2 && s.read(c.words[1]).text == "-v" {
			names = c.words[2:3]
		}
	case "test", "[":
		for i, w := range c.words[:max(0, len(c.words)-1)] {
			if s.read(w).text == "-v" {
				names = append(names, c.words[i+1])
			}
		}
	}
	for _, w := range names {
		for _, k := range s.tracker.carriers(w, followText) {
			s.refuseCarrier(k, diag.ShellHoleAsName(s.at(k), s.subject(k), "the name of a variable of `"+name+"`").
				WithHelp("use a fixed name, and the value as a key of an array with text keys: `declare -A by; by["+s.label(k)+"]=…`"))
		}
	}
}

// nameOperands returns the operands of a builtin that are names of variables.
func (s *script) nameOperands(c *command) []*syntax.Word {
	value := map[string]string{"read": "dnNptui", "mapfile": "dnOsuCc", "readarray": "dnOsuCc"}[path.Base(s.read(c.words[0]).text)]
	var names []*syntax.Word
	for i := 1; i < len(c.words); i++ {
		a := s.read(c.words[i])
		if strings.HasPrefix(a.text, "-") && len(a.text) > 1 {
			last := a.text[len(a.text)-1:]
			if a.full && strings.Contains(value, last) {
				i++
			}
			continue
		}
		names = append(names, c.words[i])
	}
	if s.read(c.words[0]).text == "getopts" && len(names) > 1 {
		return names[1:2]
	}
	return names
}

// refuseCode refuses the values in a word that program runs.
func (s *script) refuseCode(w *syntax.Word, program, safe string) {
	for _, k := range s.tracker.carriers(w, followText) {
		s.refuseCarrier(k, diag.ShellProgramText(s.at(k), s.subject(k), program).WithHelp(strings.ReplaceAll(safe, "LABEL", s.label(k))))
	}
}

// refuseFile refuses values in the name of a file that program runs. A process
// substitution there is the program's text.
func (s *script) refuseFile(w *syntax.Word, program string) {
	for _, part := range w.Parts {
		if p, ok := part.(*syntax.ProcSubst); ok {
			for _, k := range s.tracker.carriers(p, followText) {
				s.refuseCarrier(k, diag.ShellProgramInput(s.at(k), s.subject(k), program).WithHelp(strings.ReplaceAll(shellInterpreter.safe, "LABEL", s.label(k))))
			}
			return
		}
	}
	for _, k := range s.tracker.carriers(w, followText) {
		if a := s.read(w); a.text != "" && strings.Contains(a.text, "/") && k.through == "" {
			continue // a file of a fixed folder
		}
		s.refuseCarrier(k, diag.ShellProgramFile(s.at(k), s.subject(k), program, s.label(k)))
	}
}

// refuseInput refuses values in the input of the command at the end of a path.
func (s *script) refuseInput(nodes []syntax.Node, program, safe string) {
	for _, n := range s.inputs(nodes) {
		for _, k := range s.tracker.carriers(n, followText) {
			s.refuseCarrier(k, diag.ShellProgramInput(s.at(k), s.subject(k), program).WithHelp(strings.ReplaceAll(safe, "LABEL", s.label(k))))
		}
	}
}

// refuseCarrier reports an error about a piece of the script, once for each.
func (s *script) refuseCarrier(k carrier, d *diag.Diagnostic) {
	if k.through == "" {
		s.refuse(k.seed.spot, d)
		return
	}
	if s.flagged[k.start] {
		return
	}
	if s.flagged == nil {
		s.flagged = map[int]bool{}
	}
	s.flagged[k.start] = true
	if k.origin >= 0 && k.seed.spot != nil {
		p := k.seed.spot
		d.WithRelated(s.span(p.Start, p.End), "the value comes from here")
	}
	s.report(d)
}

// at returns where a carrier stands.
func (s *script) at(k carrier) source.Span { return s.span(k.start, k.end) }

// label returns a carrier as it may be written in a script.
func (s *script) label(k carrier) string {
	if k.through == "" {
		return k.seed.spot.Label
	}
	return `"$` + k.through + `"`
}

// subject names a carrier in a message.
func (s *script) subject(k carrier) string {
	switch {
	case k.through == "":
		return "`" + k.seed.spot.Label + "`"
	case k.seed.spot != nil:
		return "`$" + k.through + "`, which holds `" + k.seed.spot.Label + "`,"
	case k.seed.variable != k.through:
		return "`$" + k.through + "`, which holds `$" + k.seed.variable + "`,"
	}
	return "`$" + k.through + "`"
}
