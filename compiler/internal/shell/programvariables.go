package shell

import "strings"

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
