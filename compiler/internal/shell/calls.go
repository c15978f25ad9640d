package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// everywhere are the commands that bash has built in, and the programs that POSIX requires
// of every system.
var everywhere = setOf(strings.Fields(`. : [ alias bg bind break builtin caller cd command compgen complete compopt continue coproc declare dirs disown echo
	enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray
	readonly return select set shift shopt source suspend test time times trap true type typeset ulimit umask unalias unset wait
	awk basename bash bc cat chgrp chmod chown cksum cmp comm cp csplit cut date dd df diff dirname du ed env expand expr file find fold
	getconf getent grep egrep fgrep head hostname iconv id install join ln logger logname ls mkdir mkfifo mktemp mv nice nl nohup od paste patch pathchk
	pr ps readlink realpath rm rmdir sed seq sh sha256sum sleep sort split stat stty sync tac tail tee timeout touch tput tr tsort tty
	uname uncompress unexpand uniq uuencode wc which who whoami xargs yes`)...)

// calledPrograms returns the programs that the script calls by plain names, in order. A script that
// declares a function of a name, or that looks for the program (`command -v gh`), does not
// depend on the program. The result is nil if the script may change where bash looks for
// programs: if it sets PATH or runs further code.
func (s *script) calledPrograms() []string {
	called, known := map[string]bool{}, map[string]bool{}
	for _, n := range s.tree.nodes {
		switch n := n.node.(type) {
		case *syntax.Assign:
			if n.Name != nil && n.Name.Value == "PATH" {
				return nil
			}
		case *syntax.CallExpr:
			if len(n.Args) > 0 && !s.noteCall(s.wordsOf(n.Args), called, known) {
				return nil
			}
		}
	}
	maps.DeleteFunc(called, func(name string, _ bool) bool {
		return known[name] || everywhere[name] || s.tree.functions[name]
	})
	return slices.Sorted(maps.Keys(called))
}

// noteCall notes the program of a command, and those that the script looks for. It returns
// false if the command runs further code of the script.
func (s *script) noteCall(words []word, called, known map[string]bool) bool {
	first := words[0].knownText()
	name := first.text
	if !first.full || strings.Contains(name, "/") || !isWordText(name) {
		return true
	}
	switch name {
	case ".", "source", "eval", "alias", "enable":
		return false
	case "type", "which", "hash", "command":
		if name == "command" && !hasOption(words[1:], "-v", "-V") {
			break
		}
		for _, w := range words[1:] {
			known[w.knownText().text] = true
		}
		return true
	}
	called[name] = true
	if w, ok := wrappers[name]; ok {
		if inner := words[min(len(words), wrappedCommandIndex(words, w)):]; len(inner) > 0 {
			return s.noteCall(inner, called, known)
		}
	}
	return true
}
