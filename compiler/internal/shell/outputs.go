package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// This file computes the output of commands. A command without a rule may print
// everything that it gets, and everything that it finds elsewhere.

// outputs returns the output of a list of statements; in is their input.
func (t *tracker) outputs(list []*syntax.Stmt, in value) value {
	v := value{}
	for _, st := range list {
		v.join(t.output(st, in))
	}
	return v
}

// output returns the output of a statement.
func (t *tracker) output(st *syntax.Stmt, in value) value {
	if found := redirected(st); found != nil {
		in = value{}
		for _, n := range found {
			in.join(t.node(n))
		}
		if len(found) == 0 {
			in = constant("")
		}
	}
	if printsElsewhere(st) {
		return value{}
	}
	switch cmd := st.Cmd.(type) {
	case *syntax.CallExpr:
		if len(cmd.Args) == 0 {
			return value{}
		}
		return t.printsOf(&command{words: cmd.Args}, in)
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll {
			return t.output(cmd.Y, t.output(cmd.X, in))
		}
		v := t.output(cmd.X, in)
		v.join(t.output(cmd.Y, in))
		return v
	case *syntax.Block:
		return t.outputs(cmd.Stmts, in)
	case *syntax.Subshell:
		return t.outputs(cmd.Stmts, in)
	case *syntax.IfClause:
		v := value{}
		for c := cmd; c != nil; c = c.Else {
			v.join(t.outputs(c.Cond, in))
			v.join(t.outputs(c.Then, in))
		}
		return v
	case *syntax.WhileClause:
		v := t.outputs(cmd.Cond, in)
		v.join(t.outputs(cmd.Do, in))
		return v
	case *syntax.ForClause:
		return t.outputs(cmd.Do, in)
	case *syntax.CaseClause:
		v := value{}
		for _, item := range cmd.Items {
			v.join(t.outputs(item.Stmts, in))
		}
		return v
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			return t.output(cmd.Stmt, in)
		}
	case *syntax.DeclClause:
		if strings.Contains(declFlags(cmd), "p") {
			return t.lost("the output of `declare -p`", int(st.Pos().Offset()))
		}
	}
	return value{}
}

// printsElsewhere reports whether the output of a statement goes to a file.
func printsElsewhere(st *syntax.Stmt) bool {
	return slices.ContainsFunc(st.Redirs, func(r *syntax.Redirect) bool {
		if r.N != nil && r.N.Value != "1" {
			return false
		}
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob:
			if len(r.Word.Parts) == 1 {
				_, feeds := r.Word.Parts[0].(*syntax.ProcSubst)
				return !feeds
			}
			return true
		case syntax.DplOut:
			return r.Word.Lit() == "2"
		}
		return false
	})
}

// printsOf returns the output of a command.
func (t *tracker) printsOf(c *command, in value) value {
	name := t.s.literalName(c)
	for {
		w, ok := wrappers[name]
		if !ok || name == "xargs" || name == "command" && t.s.hasOption(c, "-v", "-V") {
			break
		}
		next := &command{words: c.words[min(len(c.words), t.s.skip(c, w)):]}
		if len(next.words) == 0 {
			break
		}
		c = next
		name = t.s.literalName(c)
	}
	at := int(c.words[0].Pos().Offset())
	args := c.words[1:]
	if t.s.tree.functions[name] {
		v := t.ever(outputOf(name))
		if in.hostile() {
			v.join(value{origins: in.origins})
		}
		return v
	}
	switch {
	case silent[name]:
		return value{}
	case name == "echo" || name == "printf":
		return t.printed(c.words)
	case t.countsOnly(name, c):
		return number()
	case name == "command" || name == "which" || name == "type":
		return t.located(args)
	}
	if v, ok := t.filtered(name, c, in); ok {
		return v
	}
	v := anyText()
	for _, w := range args {
		v.join(value{origins: t.word(w).changed().origins})
	}
	switch {
	case copiers[name] && len(args) == 0:
		return in
	case pathTools[name]:
		return v
	}
	if !v.hostile() && t.trusted(name, c) {
		return v
	}
	v.join(value{origins: in.changed().origins})
	if name != "" || t.lossy {
		v.join(t.lost("the output of `"+t.programName(c)+"`", at))
	}
	return v
}

// programName names a command in messages.
func (t *tracker) programName(c *command) string {
	if name := t.s.literalName(c); name != "" {
		return name
	}
	start, end := offsets(c.words[0])
	return t.s.src[start:end]
}

// printed returns the output of echo and printf.
func (t *tracker) printed(words []*syntax.Word) value {
	args := words[1:]
	if t.s.literalName(&command{words: words}) == "printf" {
		return t.formatted(args)
	}
	for len(args) > 0 {
		a := t.s.read(args[0])
		if !a.full || !strings.HasPrefix(a.text, "-") || a.text == "-" || strings.Trim(a.text[1:], "neE") != "" {
			break
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return constant("")
	}
	v := t.word(args[0])
	for i, w := range args[1:] {
		if i >= fewEvents {
			v.join(value{origins: t.word(w).origins, open: true, text: true})
			continue
		}
		v = v.then(constant(" ")).then(t.word(w))
		v.text = true
	}
	return v
}

// formatted returns the output of printf for a format and its arguments.
func (t *tracker) formatted(args []*syntax.Word) value {
	if len(args) == 0 {
		return constant("")
	}
	format := t.s.read(args[0])
	if !format.full {
		v := t.word(args[0]).changed()
		for _, w := range args[1:] {
			v.join(value{origins: t.word(w).changed().origins})
		}
		v.text = true
		return v
	}
	verbs, rest := verbsOf(format.text)
	if len(args) == 1 && !strings.ContainsAny(format.text, "%\\") {
		return constant(format.text)
	}
	if len(args) == 1 {
		return value{open: true, text: !isNumber(format.text)}
	}
	v := value{open: true, text: strings.Trim(rest, "0123456789\n") != ""}
	quoted := strings.Contains(verbs, "q") && strings.Trim(verbs, "qdi") == ""
	for _, w := range args[1:] {
		given := t.word(w)
		switch {
		case strings.Trim(verbs, "diuoxX") == "":
			continue // numbers, for any arguments
		case quoted:
			given = given.quoted()
		case strings.Trim(verbs, "s") != "" || rest != "" || len(args) > 2:
			given = given.changed()
		}
		v.join(value{origins: given.origins, text: given.text})
	}
	if verbs == "s" && rest == "" && len(args) == 2 {
		return t.word(args[1])
	}
	return v
}

// verbsOf splits a format into the letters of its verbs and the text around
// them, without line breaks at the end.
func verbsOf(format string) (verbs, rest string) {
	format = strings.ReplaceAll(format, `\n`, "\n")
	var v, r strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			r.WriteByte(format[i])
			continue
		}
		if i++; format[i] == '%' {
			r.WriteByte('%')
			continue
		}
		for i < len(format)-1 && strings.IndexByte("-+ #0123456789.*", format[i]) >= 0 {
			i++
		}
		v.WriteByte(format[i])
	}
	return v.String(), strings.TrimRight(r.String(), "\n")
}

// located returns the output of `command -v` and similar commands: a path of a
// program of that name.
func (t *tracker) located(args []*syntax.Word) value {
	v := value{}
	for _, w := range args {
		if a := t.s.read(w); !a.full || !strings.HasPrefix(a.text, "-") {
			v.join(t.word(w))
		}
	}
	return v
}

// silent are commands that print nothing, or nothing of interest, on their
// output.
var silent = map[string]bool{
	"cd": true, ":": true, "true": true, "false": true, "set": true, "shift": true, "exit": true, "return": true, "test": true, "[": true,
	"read": true, "mapfile": true, "readarray": true, "unset": true, "break": true, "continue": true, "wait": true, "sleep": true, "kill": true,
	"mkdir": true, "touch": true, "rm": true, "cp": true, "mv": true, "ln": true, "chmod": true, "chown": true, "shopt": true, "getopts": true, "let": true,
}

// copiers print their input as it is when they have no arguments.
var copiers = map[string]bool{"cat": true, "tee": true, "head": true, "tail": true}

// pathTools print their arguments in another form, and nothing else.
var pathTools = map[string]bool{"dirname": true, "basename": true, "realpath": true, "mktemp": true, "pwd": true, "seq": true}

// countsOnly reports whether a command prints only integers for any input.
func (t *tracker) countsOnly(name string, c *command) bool {
	args := c.words[1:]
	operands, options := 0, ""
	for _, w := range args {
		a := t.s.read(w)
		switch {
		case a.full && strings.HasPrefix(a.text, "-") && a.text != "-":
			options += " " + a.text
		default:
			operands++
		}
	}
	switch name {
	case "wc": // with a file it prints the name, too
		return operands == 0 && slices.Contains([]string{" -l", " -c", " -m", " -w", " -L", " --lines", " --bytes", " --chars", " --words"}, options)
	case "grep", "egrep", "fgrep", "zgrep", "rg":
		return operands <= 2 && hasLetter(options, 'c') && !hasLetter(options, 'r') && !hasLetter(options, 'R') && !hasLetter(options, 'H') && (operands <= 1 || name != "rg")
	case "date":
		return operands == 1 && options == "" && slices.Contains([]string{"+%s", "+%Y", "+%s%N", "+%N", "+%Y%m%d", "+%u", "+%Y%m%d%H%M%S"}, t.s.read(args[0]).text)
	case "nproc":
		return operands == 0
	case "id":
		return operands == 0 && (options == " -u" || options == " -g")
	case "git":
		return len(args) >= 3 && t.s.read(args[0]).text == "rev-list" && t.s.hasOption(c, "--count") && !strings.Contains(options, "left-right")
	case "seq":
		return operands > 0 && !slices.ContainsFunc(args, func(w *syntax.Word) bool { return t.word(w).text })
	case "stat":
		return operands == 2 && (options == " -c" || options == " -f") && slices.Contains([]string{"%s", "%Y", "%z", "%m", "%a", "%i"}, t.s.read(args[1]).text)
	}
	return false
}

// hasLetter reports whether one of some clusters of short options has a letter.
func hasLetter(options string, letter byte) bool {
	return slices.ContainsFunc(strings.Fields(options), func(o string) bool {
		return !strings.HasPrefix(o, "--") && strings.IndexByte(o, letter) > 0
	})
}

// trusted reports whether only the machine, or a source that the author chose,
// decides the output of a command with fixed arguments, and not data that the
// script may have put there.
func (t *tracker) trusted(name string, c *command) bool {
	if name == "git" && len(c.words) > 2 && t.s.read(c.words[1]).text == "rev-parse" {
		return !slices.ContainsFunc(c.words[2:], func(w *syntax.Word) bool {
			a := t.s.read(w)
			return !a.full || !slices.Contains([]string{"--show-toplevel", "--git-dir", "--git-common-dir", "--short", "HEAD", "--is-inside-work-tree", "--verify", "-q", "--show-cdup", "--absolute-git-dir"}, a.text)
		})
	}
	return trustedOutputs[name]
}

// trustedOutputs are commands whose output the machine or the author chooses.
var trustedOutputs = map[string]bool{
	"date": true, "uname": true, "hostname": true, "whoami": true, "id": true, "nproc": true, "arch": true, "tty": true, "tput": true, "stty": true,
	"getconf": true, "locale": true, "sw_vers": true, "lsb_release": true, "uuidgen": true, "readlink": true, "umask": true, "ulimit": true, "getent": true,
	"curl": true, "wget": true, "ssh-agent": true, "ssh-keyscan": true, "brew": true, "direnv": true, "pyenv": true, "rbenv": true, "nodenv": true, "fnm": true, "mise": true, "asdf": true,
	"conda": true, "opam": true, "luarocks": true, "starship": true, "keychain": true, "dircolors": true, "lesspipe": true, "lesspipe.sh": true,
	"docker-machine": true, "minikube": true, "dpkg-architecture": true, "xcrun": true, "xcode-select": true, "java_home": true, "gp": true,
	"go": true, "rustc": true, "node": false, "nvm": true, "sdk": true, "zoxide": true, "thefuck": true, "op": true, "vault": true, "aws": true, "gcloud": true,
}
