package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/internal/lazyregexp"
)

// runsArguments are the ways in which fixed programs of other interpreters run
// their arguments, which is not allowed.
var runsArguments = map[string]*lazyregexp.Regexp{
	"python": lazyregexp.New(`\b(os\.(system|popen|exec\w*|spawn\w*|posix_spawn\w*)|eval|exec|compile|getoutput|getstatusoutput|pty\.spawn|__import__|import_module|runpy|timeit|loads?)\s*\(|shell\s*=\s*[^F\s]|pickle|marshal`),
	"node":   lazyregexp.New(`\b(eval|Function|exec|execSync|runInThisContext|runInNewContext|runInContext|setTimeout|import)\s*\(|shell:\s*true`),
	"bun":    lazyregexp.New(`\b(eval|Function|exec|execSync|import)\s*\(|shell:\s*true`),
	"perl":   lazyregexp.New("\\b(system|exec|eval|qx|open|do|require)\\b|`|<>|<ARGV>|<<>>|/\\w*e\\w*\\s*(;|$)"),
	"ruby":   lazyregexp.New("\\b(system|exec|eval|instance_eval|class_eval|open|spawn|popen|load|require|send)\\b|`|%x"),
	"php":    lazyregexp.New("\\b(system|exec|shell_exec|passthru|eval|popen|proc_open|assert|include|require)\\b|`"),
	"lua":    lazyregexp.New(`\b(os\.execute|io\.popen|load|loadstring|dofile)\b`),
	"awk":    nil,
	"sed":    lazyregexp.New(`(^|[;{\n/0-9$!,])\s*e(\s|$|;)|/[gpimIM0-9]*e[gpimIM0-9]*\s*($|[;}\n])|[|#,:@]e\s*$`),
	"tclsh":  lazyregexp.New(`\b(exec|eval|open|subst|source|uplevel|expr)\b`),
}

// checkFixedCode refuses hostile arguments and input of a fixed program that runs
// them.
func (s *script) checkFixedCode(w *syntax.Word, name string, args []*syntax.Word, nodes []syntax.Node) {
	kind := interpreterKind(name)
	pattern, known := runsArguments[kind]
	code, ok := wordText(w)
	if !known || !ok || !s.tracker.lossy {
		return
	}
	runs := pattern != nil && pattern.MatchString(code) || kind == "awk" && awkRuns(code)
	opens := kind == "perl" && s.perlOpens(nodes)
	if !runs && !opens {
		return
	}
	title := "the program of `" + name + "`"
	safe := "write a program that does not run its input"
	for _, a := range args {
		s.refuseCode(a, title, safe)
	}
	if call, ok := nodes[len(nodes)-1].(*syntax.CallExpr); ok {
		for _, a := range call.Args {
			s.refuseCode(a, title, safe)
		}
		for _, a := range call.Assigns {
			if a.Value != nil {
				s.refuseCode(a.Value, title, safe)
			}
		}
	}
	if runs {
		s.refuseInput(nodes, title, safe)
	}
}

// perlOpens reports whether perl reads the files it is given by name in the way
// that runs a name with a bar: in its loops -n and -p.
func (s *script) perlOpens(nodes []syntax.Node) bool {
	call, ok := nodes[len(nodes)-1].(*syntax.CallExpr)
	return ok && slices.ContainsFunc(call.Args, func(w *syntax.Word) bool {
		a := s.read(w)
		return strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") && len(a.text) <= 6 && strings.ContainsAny(a.text, "np")
	})
}

// interpreterKind returns the name under which an interpreter is known.
func interpreterKind(name string) string {
	for _, n := range []string{name, strings.TrimRight(name, "0123456789.")} {
		if a, ok := aliases[n]; ok {
			n = a
		}
		if _, ok := interpreters[n]; ok {
			return n
		}
	}
	return name
}

// awkRuns reports whether a program of awk runs a command that is more than a
// fixed string.
func awkRuns(code string) bool {
	if awkShell.MatchString(code) {
		return true
	}
	if i := strings.Index(code, "system("); i >= 0 && !awkFixed.MatchString(code[i+len("system("):]) {
		return true
	}
	if strings.Contains(code, "getline") && awkGetline.MatchString(awkStrings.ReplaceAllString(code, `""`)) {
		return true
	}
	plain := awkStrings.ReplaceAllString(code, `""`)
	plain = awkRegexps.ReplaceAllString(plain, "0")
	for _, m := range awkPipe.FindAllStringSubmatch(plain, -1) {
		if !strings.HasPrefix(strings.TrimSpace(m[1]), `""`) || strings.ContainsAny(strings.TrimPrefix(strings.TrimSpace(m[1]), `""`), `"$`) {
			return true
		}
		if rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(m[1]), `""`)); rest != "" && nameLength(rest) > 0 {
			return true
		}
	}
	return false
}

var (
	awkStrings = lazyregexp.New(`"(?:[^"\\]|\\.)*"`)
	awkRegexps = lazyregexp.New(`/(?:[^/\\\n]|\\.)*/`)
	awkFixed   = lazyregexp.New(`^\s*"(?:[^"\\]|\\.)*"\s*\)`)
	// awkGetline is a command that getline reads and that is more than one string.
	awkGetline = lazyregexp.New(`([\w$)\]]\s*|[\w$)\]"]\s*"")\|&?\s*getline`)
	// awkShell is a fixed command that runs the text printed to it.
	awkShell = lazyregexp.New(`\|&?\s*"[^"]*\b(sh|bash|dash|zsh|ksh|python[0-9.]*|perl|node|ruby|xargs|ssh|at|batch|sqlite3|psql|ed|ex)\b[^"]*"`)
	awkPipe  = lazyregexp.New(`print[^\n;}]*[^|]\|&?\s*([^|\n;}]+)`)
)
