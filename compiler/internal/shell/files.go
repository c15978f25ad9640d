package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
)

// A script can write a value into a file and run the file. Files are distinguished
// by the last part of their names, as far as it is fixed, and otherwise by the
// variable that holds the name. A file is tainted when a command mentions it that
// also handles hostile text or another tainted file, and does more than read.

// A fileUse is a place where a command mentions a file, or runs it.
type fileUse struct {
	key string
	// word is the word that names the file.
	word *syntax.Word
	// program is the program that runs it, "" if nothing runs it.
	program string
	// read says that the command only reads it.
	read bool
}

// A fileAction is a command with the files that it mentions.
type fileAction struct {
	uses []fileUse
	// source is a hostile piece that the command handles, or nil.
	source *carrier
	writes bool
}

// checkFiles refuses files that are run after the script wrote values into them.
func (s *script) checkFiles() {
	actions := s.fileActions()
	if !slices.ContainsFunc(actions, func(a *fileAction) bool {
		return slices.ContainsFunc(a.uses, func(u fileUse) bool { return u.program != "" })
	}) {
		return
	}
	var first *carrier
	tainted := map[string]*carrier{}
	for pass, changed := 0, true; changed; pass++ {
		changed = false
		for _, a := range actions {
			if !a.writes {
				continue
			}
			from := a.source
			if pass > maxPasses { // files that are handed on without end
				from = first
			}
			for _, u := range a.uses {
				if from == nil && u.program == "" {
					from = tainted[u.key]
				}
			}
			if from == nil {
				continue
			}
			first = from
			for _, u := range a.uses {
				if u.program == "" && (!u.read || pass > maxPasses) && u.key != "" && tainted[u.key] == nil {
					tainted[u.key] = from
					changed = true
				}
			}
		}
	}
	for _, a := range actions {
		for _, u := range a.uses {
			k := tainted[u.key]
			if u.program == "" || k == nil {
				continue
			}
			start, end := offsets(u.word)
			if s.flagged[start] {
				continue
			}
			s.flagged[start] = true
			s.report(finding.ShellWrittenProgram(s.span(start, end), strings.TrimPrefix(u.key, "$"), s.subject(*k), u.program, s.at(*k)))
		}
	}
}

// fileActions lists the commands of the script that have to do with files.
func (s *script) fileActions() []*fileAction {
	var list []*fileAction
	s.walk(func(n syntax.Node, nodes []syntax.Node) {
		st, ok := n.(*syntax.Stmt)
		if !ok {
			return
		}
		a := &fileAction{}
		s.addRedirects(a, st)
		switch cmd := st.Cmd.(type) {
		case *syntax.CallExpr:
			s.addLoaded(a, cmd.Assigns)
		case *syntax.DeclClause:
			s.addLoaded(a, cmd.Args)
		}
		if call, ok := st.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			for _, words := range s.callWords(call) {
				s.addCommandFiles(a, &command{words: words}, nodes)
			}
		}
		if len(a.uses) > 0 {
			list = append(list, a)
		}
	})
	return list
}

// addLoaded adds the files that variables tell programs to run.
func (s *script) addLoaded(a *fileAction, assigns []*syntax.Assign) {
	for _, as := range assigns {
		if as.Name != nil && as.Value != nil && isProgramVariable(as.Name.Value) && as.Name.Value != "PATH" {
			a.uses = append(a.uses, fileUse{key: s.fileKey(as.Value, 0), word: as.Value, program: "`" + as.Name.Value + "`"})
		}
	}
}

// codeFile finds possible names of files in the text of a program.
var codeFile = lazyregexp.New(`[\w.-]+`)

// addWrittenByCode adds the files to which a fixed program of an interpreter may
// write its input and arguments.
func (s *script) addWrittenByCode(a *fileAction, c *command, p *program, nodes []syntax.Node) {
	if a.source = cmp.Or(a.source, s.handled(p.args), s.handledInput(nodes)); a.source == nil {
		return
	}
	for _, w := range p.code {
		if text, ok := wordText(w); ok {
			for _, key := range codeFile().FindAllString(text, 64) {
				a.uses = append(a.uses, fileUse{key: key, word: w})
				a.writes = true
			}
		}
	}
	if name := s.name(c); !readers[name] {
		s.mention(a, p.args)
	}
}

// addRedirects adds the files that a statement writes.
func (s *script) addRedirects(a *fileAction, st *syntax.Stmt) {
	for _, r := range st.Redirs {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob, syntax.RdrInOut:
		default:
			continue
		}
		key := s.fileKey(r.Word, 0)
		if key == "null" || key == "" {
			continue
		}
		a.writes = true
		a.uses = append(a.uses, fileUse{key: key, word: r.Word})
		a.source = cmp.Or(a.source, s.written(st))
	}
}

// written returns a hostile piece of the output of a statement, or nil.
func (s *script) written(st *syntax.Stmt) *carrier {
	plain := *st
	plain.Redirs = slices.DeleteFunc(slices.Clone(st.Redirs), func(r *syntax.Redirect) bool {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob, syntax.DplOut:
			return true
		}
		return false
	})
	v := s.tracker.output(&plain, value{})
	found := s.tracker.carriersOf(st, v, "")
	for i := range found {
		// A program's own results are not a value, unless the program gets one.
		if found[i].seed.lost == "" || !strings.HasPrefix(found[i].seed.lost, "the output of") && found[i].seed.lost != "the content of a file" {
			return &found[i]
		}
	}
	if call, ok := st.Cmd.(*syntax.CallExpr); ok {
		return s.handled(call.Args)
	}
	return nil
}

// handled returns a hostile piece among the words of a command, or nil.
func (s *script) handled(words []*syntax.Word) *carrier {
	for _, w := range words {
		if found := s.tracker.carriers(w); len(found) > 0 {
			return &found[0]
		}
	}
	return nil
}

// handledInput returns a hostile piece of the input of a command, or nil.
func (s *script) handledInput(nodes []syntax.Node) *carrier {
	for _, n := range s.tracker.inputs(nodes) {
		if found := s.tracker.carriers(n); len(found) > 0 {
			return &found[0]
		}
	}
	return nil
}

// readers are commands that only read the files they are given.
var readers = setOf("cat", "grep", "egrep", "fgrep", "rg", "head", "tail", "wc", "diff", "cmp", "test", "[", "ls", "stat", "file", "sort", "uniq", "cut", "jq", "echo", "printf",
	"md5sum", "sha256sum", "sha1sum", "cksum", "less", "more", "read", "cd", "basename", "dirname", "realpath", "readlink", "awk", "tr", "rm", "mkdir", "rmdir", "du", "od", "xxd", "strings", "column", "comm", "nl", "tac", "rev", "export", "local", "find", "gh", "curl", "git")

// addCommandFiles adds the files that a command mentions or runs.
func (s *script) addCommandFiles(a *fileAction, c *command, nodes []syntax.Node) {
	name := s.name(c)
	run := func(w *syntax.Word, program string) {
		if w != nil {
			a.uses = append(a.uses, fileUse{key: s.fileKey(w, 0), word: w, program: program})
		}
	}
	always := func(program string, files ...string) {
		for _, file := range files {
			a.uses = append(a.uses, fileUse{key: file, word: c.words[0], program: program})
		}
	}
	args := c.words[1:]
	switch in := lookupInterpreter(name); {
	case in != nil:
		p := s.readProgram(c, in)
		run(p.file, "`"+name+"`")
		for _, w := range p.loads {
			run(w, "`"+name+"`")
		}
		if p.stdin {
			for _, n := range s.tracker.inputs(nodes) {
				if f, ok := n.(*fileNode); ok {
					run(f.Word, "`"+name+"`")
				}
			}
			s.runInputFiles(a, nodes, name)
		}
		s.addWrittenByCode(a, c, &p, nodes)
		if in.shell && slices.ContainsFunc(args, func(w *syntax.Word) bool {
			t := s.read(w).text
			return t == "--login" || len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.ContainsAny(t, "il")
		}) {
			always("`"+name+"`", ".bashrc", ".profile", ".bash_profile", ".bash_login", ".zshrc", ".zprofile", ".zshenv")
		}
		if name == "sed" && s.hasOption(c, "-i", "--in-place") {
			a.writes = true
			s.mention(a, args)
			a.source = cmp.Or(a.source, s.handled(args))
		}
		return
	case name == "source" || name == ".":
		if len(args) > 0 {
			run(args[0], "`"+name+"`")
		}
		return
	case name == "chmod":
		if len(args) > 1 && s.makesExecutable(args[0]) {
			for _, w := range args[1:] {
				run(w, "`chmod`, which makes a program of it,")
			}
		}
		return
	case name == "make" || name == "gmake":
		always("`make`", "Makefile", "makefile", "GNUmakefile")
		for i, w := range args[:max(0, len(args)-1)] {
			if t := s.read(w).text; t == "-f" || t == "-I" || t == "--file" {
				run(args[i+1], "`make`")
			}
		}
		return
	case name == "just" || name == "rake" || name == "task":
		always("`"+name+"`", "justfile", "Justfile", "Rakefile", "Taskfile.yml", "Taskfile.yaml")
		return
	case name == "go" && len(args) > 1 && s.read(args[0]).text == "run":
		for _, w := range args[1:] {
			run(w, "`go run`")
		}
		return
	case name == "install":
		for _, w := range args {
			run(w, "`install`, which makes a program of it,")
		}
		a.writes = true
	case name == "git":
		always("`git`", gitPrograms...)
	}
	if w := c.words[0]; strings.Contains(s.src[int(w.Pos().Offset()):endOf(w)], "/") || !s.read(w).full {
		run(w, "the shell")
	}
	for _, inner := range s.nested(c, name) {
		if len(inner.words) > 0 {
			s.addCommandFiles(a, inner, nodes)
		}
	}
	if readers[name] || s.tree.functions[name] {
		before := len(a.uses)
		s.mention(a, args)
		if name != "git" && name != "curl" {
			for i := range a.uses[before:] {
				a.uses[before+i].read = true
			}
		}
		return
	}
	s.mention(a, args)
	a.writes = true
	a.source = cmp.Or(a.source, s.handled(args))
	for _, w := range args {
		if a.source == nil && isInputName(s.read(w).text) && s.read(w).text != "-" {
			start, end := offsets(w)
			a.source = &carrier{origin{seed: seed{lost: "the input"}}, start, end, ""}
		}
	}
	if a.source == nil && (name == "tee" || name == "dd" || name == "sponge" || name == "patch" || name == "xargs" || name == "cpio") {
		a.source = s.handledInput(nodes)
	}
}

// gitPrograms are files of a repository that git runs.
var gitPrograms = []string{"pre-commit", "post-commit", "commit-msg", "prepare-commit-msg", "post-checkout", "post-merge", "pre-push", "pre-rebase", "post-rewrite", "applypatch-msg", ".gitconfig", ".git/"}

// runInputFiles adds the files that commands read whose output an interpreter runs.
func (s *script) runInputFiles(a *fileAction, nodes []syntax.Node, name string) {
	for _, n := range s.tracker.inputs(nodes) {
		st, ok := n.(*syntax.Stmt)
		if !ok {
			continue
		}
		syntax.Walk(st, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 1 {
				for _, w := range call.Args[1:] {
					a.uses = append(a.uses, fileUse{key: s.fileKey(w, 0), word: w, program: "`" + name + "`"})
				}
			}
			return true
		})
	}
}

// makesExecutable reports whether a mode of chmod lets a file be run.
func (s *script) makesExecutable(w *syntax.Word) bool {
	a := s.read(w)
	return !a.full || strings.Contains(a.text, "x") || strings.ContainsAny(a.text, "1357") && strings.Trim(a.text, "01234567") == ""
}

func (s *script) mention(a *fileAction, args []*syntax.Word) {
	for _, w := range args {
		t := s.read(w)
		if strings.HasPrefix(t.text, "-") && t.full {
			continue
		}
		if key := s.fileKey(w, 0); key != "" {
			a.uses = append(a.uses, fileUse{key: strings.TrimPrefix(key, "of="), word: w})
		}
	}
}

// fileKey returns the key of the file that a word names: the last part of the name,
// or the variable that holds it, after a dollar sign. "" is unknown.
func (s *script) fileKey(w *syntax.Word, depth int) string {
	if w == nil || len(w.Parts) == 0 {
		return ""
	}
	start, end := offsets(w)
	if start < end && strings.Contains(s.masked[start:end], ".git/") {
		return ".git/"
	}
	v := s.tracker.word(w)
	if len(v.consts) == 1 && !v.open {
		return path.Base(v.consts[0])
	}
	if start < end {
		text := strings.Trim(s.masked[start:end], `"'`)
		if at := strings.LastIndexByte(text, '/'); at >= 0 && isWordText(text[at+1:]) && s.liveIn(start+at, end) == nil {
			return text[at+1:]
		}
	}
	p, ok := lone(w)
	if !ok || p.Param == nil {
		return ""
	}
	name := p.Param.Value
	if isPositional(name) && depth < 4 {
		function := s.tracker.around(int(p.Pos().Offset()))
		for _, args := range s.tracker.calls[function][:min(len(s.tracker.calls[function]), fewEvents)] {
			if i := int(name[0] - '1'); len(name) == 1 && i >= 0 && i < len(args) {
				if key := s.fileKey(args[i], depth+1); key != "" {
					return key
				}
			}
		}
	}
	if list := s.tracker.assigned[name]; len(list) == 1 && depth < 4 && list[0].assigned.Value != nil {
		if key := s.fileKey(list[0].assigned.Value, depth+1); key != "" {
			return key
		}
	}
	return "$" + name
}
