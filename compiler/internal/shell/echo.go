package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// An echo that interprets backslashes (xpg_echo) reads those of a value like those
// of the script: `echo "$path"` would make a line break of the \n in C:\new. The
// value of a hole among its arguments must be printed unchanged. So its backslashes
// are doubled in the expansion, and the echo makes one of two. A number or a boolean
// has no backslashes, and no echo takes it for an option.

// isEchoed reports whether the hole at the end of a path becomes part of the output
// of the shell's own echo, and whether it begins an argument that the echo could
// treat as an option.
func (s *parsed) isEchoed(p *spot, path []syntax.Node) (echoed, first bool) {
	if !s.options.Echo || p.place.quoting == arithmetic || strings.Contains(s.src, "xpg_echo") {
		return false, false
	}
	begins := true
	for i := len(path) - 2; i >= 0; i-- {
		child := path[i+1]
		switch n := path[i].(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.Assign, *syntax.Redirect:
			return false, false
		case *syntax.ParamExp:
			if !keepsText(n, child) {
				return false, false
			}
			begins = false // if it is the beginning at all, a dash may have to stay one
		case *syntax.CallExpr:
			at := slices.IndexFunc(n.Args, func(w *syntax.Word) bool { return child == syntax.Node(w) })
			if at < 1 {
				return false, false
			}
			echoed, options := s.isEcho(n.Args[:at])
			return echoed, echoed && options && begins && s.beginsWithHole(p, n.Args[at])
		}
	}
	return false, false
}

// beginsWithHole reports whether a word begins with a hole, but for quotes.
func (s *parsed) beginsWithHole(p *spot, w *syntax.Word) bool {
	start, _ := nodeOffsets(w)
	return strings.Trim(s.masked[start:p.Start], `"'$`) == "" && !p.place.afterDollar
}

// keepsText reports whether a part of ${…} becomes part of its result as it is.
func keepsText(n *syntax.ParamExp, child syntax.Node) bool {
	switch {
	case n.Exp != nil && n.Exp.Word != nil && child == syntax.Node(n.Exp.Word):
		return isAlternative(n.Exp.Op) && n.Exp.Op != syntax.AssignUnset && n.Exp.Op != syntax.AssignUnsetOrNull
	case n.Repl != nil && n.Repl.With != nil && child == syntax.Node(n.Repl.With):
		return true
	}
	// Only `$` and a name: the mask of the hole runs on from the name before it.
	return n.Short
}

// isEcho reports whether a command line that begins with the words is one of the
// shell's own echo, and has no option by now that leaves backslashes alone; and
// whether options may still follow.
func (s *parsed) isEcho(words []*syntax.Word) (is, options bool) {
	own := false
	for len(words) > 0 {
		a := s.readWord(words[0])
		if a.full && a.text == "echo" {
			break
		}
		if !a.full || a.text != "builtin" && a.text != "command" && !(own && (a.text == "-p" || a.text == "--")) {
			return false, false
		}
		own, words = true, words[1:]
	}
	if len(words) == 0 || s.tree.functions["echo"] && !own {
		return false, false
	}
	interprets := true
	options = true
	for _, w := range words[1:] {
		a := s.readWord(w)
		letters, option := strings.CutPrefix(a.text, "-")
		if !a.full || !option || letters == "" || strings.Trim(letters, "neE") != "" {
			options = false
			break
		}
		if last := strings.LastIndexAny(letters, "eE"); last >= 0 {
			interprets = letters[last] == 'e'
		}
	}
	return interprets, options
}

// isLoopWord reports whether the text at the end of a path is a whole word of a
// loop's list.
func isLoopWord(path []syntax.Node) bool {
	if len(path) < 3 {
		return false
	}
	loop, ok := path[len(path)-3].(*syntax.WordIter)
	return ok && path[len(path)-2] != syntax.Node(loop.Name)
}
