package shell

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/types"
	"mvdan.cc/sh/v3/syntax"
)

// checkVariables warns of outsiders' variables that bash would split.
func (s *script) checkVariables() {
	if !slices.ContainsFunc(s.options.Variables, func(v string) bool { return strings.Contains(s.src, v) }) {
		return
	}
	s.walk(func(n syntax.Node, path []syntax.Node) {
		if p, ok := n.(*syntax.ParamExp); ok {
			s.checkUnquoted(p, path)
		}
	})
}

func (s *script) checkUnquoted(p *syntax.ParamExp, path []syntax.Node) {
	start, end := offsets(p)
	if p.Param == nil || p.Length || p.Excl || !slices.Contains(s.options.Variables, p.Param.Value) || s.flagged[start] || !isSplit(path) {
		return
	}
	if !slices.ContainsFunc(s.tracker.holds(p.Param.Value, start).origins, func(o origin) bool { return o.seed.variable == p.Param.Value }) {
		return // the script gave it a separate value
	}
	d := finding.ShellUnquotedVariable(s.span(start, end), p.Param.Value)
	quoted := `"` + s.src[start:end] + `"`
	if _, loop := path[len(path)-3].(*syntax.WordIter); loop {
		d.WithHelp("loop over its words without file names: `read -ra words <<< \"$" + p.Param.Value + "\"; for word in \"${words[@]}\"; do …`")
	} else if p.Exp == nil && p.Repl == nil {
		d.WithHelp("write `"+quoted+"`").WithFix("add double quotes", s.span(start, end), quoted, true)
	} else {
		d.WithHelp("put double quotes around it")
	}
	s.report(d)
}

// isSplit reports whether bash splits the expansion at the end of a path: it is
// bare in an argument, a list of words or the target of a redirection.
func isSplit(path []syntax.Node) bool {
	if len(path) < 3 {
		return false
	}
	w, ok := path[len(path)-2].(*syntax.Word)
	if !ok {
		return false
	}
	switch parent := path[len(path)-3].(type) {
	case *syntax.CallExpr:
		return true
	case *syntax.WordIter, *syntax.ArrayElem:
		return true
	case *syntax.Redirect:
		return parent.Word == w && parent.Op != syntax.WordHdoc && parent.Op != syntax.Hdoc && parent.Op != syntax.DashHdoc
	case *syntax.Assign:
		return parent.Naked
	}
	return false
}

// noteQuotes notes holes inside quotes for users who compare with an engine that
// adds its own quotes.
func (s *script) noteQuotes() {
	if !s.options.SplicesQuoted {
		return
	}
	for _, p := range s.spots {
		if p.place.dead || p.refused || types.IsNumber(p.Type) || p.Type == types.Bool {
			continue
		}
		switch p.place.quoting {
		case double:
			s.report(finding.ShellQuotedHole(s.span(p.Start, p.End), p.Label, "double quotes"))
		case single, ansi:
			s.report(finding.ShellQuotedHole(s.span(p.Start, p.End), p.Label, "single quotes"))
		case heredoc, plainHeredoc:
			s.report(finding.ShellQuotedHole(s.span(p.Start, p.End), p.Label, "a here-document"))
		}
	}
}

// ChoosesProgram reports whether some program runs the text of an environment
// variable as code, or takes programs from where it says.
func ChoosesProgram(variable string) bool { return isProgramVariable(variable) }

// isProgramVariable reports whether some program runs the text of a variable of
// that name as code, or takes programs from where it says.
func isProgramVariable(name string) bool {
	if programVariables[name] {
		return true
	}
	for _, prefix := range []string{"LD_", "DYLD_", "GIT_CONFIG", "BASH_FUNC_", "npm_config_", "NPM_CONFIG_", "CARGO_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return strings.HasSuffix(name, "_EDITOR") || strings.HasSuffix(name, "_PAGER") || strings.HasSuffix(name, "_ASKPASS")
}

// programVariables are variables whose text some program runs as code.
var programVariables = setOf(
	// The shell's own.
	"BASH_ENV", "ENV", "PS0", "PS1", "PS2", "PS4", "PROMPT_COMMAND", "PATH", "SHELL", "INPUTRC", "HISTFILE", "MAILPATH", "BASH_LOADABLES_PATH", "CDPATH", "IFS",
	// Programs that others start.
	"EDITOR", "VISUAL", "FCEDIT", "PAGER", "MANPAGER", "MANOPT", "MANROFFOPT", "BROWSER", "LESSOPEN", "LESSCLOSE", "LESS", "LESSKEY",
	"GIT_SSH", "GIT_SSH_COMMAND", "GIT_EDITOR", "GIT_PAGER", "GIT_SEQUENCE_EDITOR", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR",
	"GIT_DIR", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "SSH_ASKPASS", "SUDO_ASKPASS", "SUDO_EDITOR", "RSYNC_RSH", "RSYNC_CONNECT_PROG", "CVS_RSH", "TAR_OPTIONS", "RSH", "TAPE",
	"ZIPOPT", "UNZIP", "XZ_OPT", "GREP_OPTIONS", "VIMINIT", "EXINIT", "MYVIMRC", "VIM", "VIMRUNTIME", "TCLLIBPATH", "PSQLRC", "PGSERVICEFILE", "SYSTEMD_EDITOR", "WGETRC", "CURL_HOME",
	"TERMINFO", "GDBHISTFILE", "AWKPATH", "AWKLIBPATH", "XDG_CONFIG_HOME", "HOME", "ZDOTDIR", "CRONTAB",
	// Files that compilers, make and interpreters load.
	"MAKEFLAGS", "MAKEFILES", "GNUMAKEFLAGS", "MAKESHELL", "CC", "CXX", "CPP", "LD", "AR", "AS", "GCC_EXEC_PREFIX", "COMPILER_PATH", "GOFLAGS", "GOROOT", "GOPATH", "GOTOOLDIR",
	"RUSTC", "RUSTC_WRAPPER", "RUSTFLAGS", "RUSTDOC", "NODE_OPTIONS", "NODE_PATH", "NODE_REPL_EXTERNAL_MODULE", "BUN_OPTIONS", "DENO_DIR",
	"PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PYTHONINSPECT", "PYTHONBREAKPOINT", "PYTHONWARNINGS", "PYTHONUSERBASE", "PIP_INDEX_URL", "PERL5OPT", "PERL5LIB", "PERL5DB", "PERLLIB",
	"RUBYOPT", "RUBYLIB", "GEM_PATH", "BUNDLE_GEMFILE", "LUA_INIT", "LUA_PATH", "LUA_CPATH", "PHPRC", "PHP_INI_SCAN_DIR", "R_PROFILE", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS",
	"CLASSPATH", "MAVEN_OPTS", "GRADLE_OPTS", "OPENSSL_CONF", "OPENSSL_ENGINES", "GCONV_PATH", "LOCPATH", "NLSPATH", "GTK_MODULES", "QT_PLUGIN_PATH",
)

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}
