package script

import (
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
)

// interpreters run a program that is an argument, a file or standard input.
var interpreters = []string{
	"sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash", "cmd", "powershell", "pwsh", "python", "pypy", "ipython",
	"node", "nodejs", "bun", "deno", "tsx", "ts-node", "perl", "ruby", "php", "osascript", "lua", "luajit", "tclsh", "wish", "expect", "rscript", "r", "julia", "groovy", "scala", "jshell", "guile", "racket", "elixir", "erl", "irb", "nu", "elvish", "xonsh",
}

// shellPrograms are the interpreters that are shells.
var shellPrograms = []string{"sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash", "cmd", "powershell", "pwsh"}

// wrappers run the program that their arguments name.
var wrappers = []string{
	"env", "sudo", "doas", "nohup", "timeout", "nice", "ionice", "time", "stdbuf", "setsid", "xargs", "chroot", "unshare", "nsenter", "runuser", "gosu", "strace", "ltrace", "valgrind", "perf", "busybox", "toybox", "taskset", "chrt", "setarch", "systemd-run", "firejail", "bwrap", "dbus-run-session", "xvfb-run", "uv", "poetry", "pipenv", "direnv", "dotenv", "faketime", "caffeinate", "exec", "command", "catchsegv", "proot", "fakeroot", "op", "aws-vault", "rlwrap", "unbuffer", "winpty", "wine", "numactl", "prlimit", "eatmydata", "tini", "dumb-init", "ld.so", "start",
}

// textPrograms run text that any of their arguments may hold.
var textPrograms = []string{
	"su", "script", "flock", "watch", "parallel", "at", "batch", "tmux", "screen", "crontab", "entr", "xterm", "m4", "dc", "ed", "ex", "vi", "vim", "nvim", "view", "emacs", "emacsclient", "nano", "gdb", "lldb", "ftp", "telnet", "socat", "nc", "ncat", "psql", "mysql", "mariadb", "sqlite", "mongo", "mongosh", "duckdb", "redis-cli", "make", "gmake", "bmake", "rake", "just", "ansible", "expect", "pip", "pipx", "uvx", "npx", "bunx", "pnpx", "gem", "easy_install", "wsl", "gnuplot", "octave", "sage", "ghci", "gs", "latex", "pdflatex", "tex", "xelatex", "lualatex", "iex", "mix", "eval", "source", ".", "run-parts", "ssh", "mosh", "rsh", "plink", "pssh", "pdsh", "ninja", "task", "sqlplus", "sqlcmd", "bq", "hive", "spark-shell", "spark-sql", "jupyter", "nbconvert", "xdotool",
}

// filterPrograms run a program that is their first argument without a dash.
var filterPrograms = []string{"awk", "gawk", "mawk", "nawk", "sed", "gsed", "jq", "yq", "gojq", "jaq", "bc", "find", "fd", "mlr"}

// readPrograms read a program, or commands that run programs, from standard input.
var readPrograms = []string{"at", "batch", "ed", "ex", "vi", "vim", "dc", "m4", "gdb", "sqlite", "psql", "mysql", "mariadb", "make", "xargs", "parallel", "crontab", "ssh", "ftp", "telnet", "mail", "mailx", "socat", "nc", "tmux", "duckdb", "expect", "gnuplot", "octave"}

// optionPrograms run programs that their options name.
var optionPrograms = []string{
	"scp", "sftp", "rsync", "tar", "bsdtar", "gtar", "zip", "man", "less", "more", "split", "sort", "go", "rg", "ag", "bat", "hg", "svn", "wget", "gcc", "g++", "cc", "clang", "ctags", "cargo", "mvn", "gradle", "terraform", "kubectl", "helm", "docker", "podman", "tcpdump", "apt", "apt-get", "dpkg", "yum", "dnf", "brew", "cpio", "nmap", "aria2c", "lftp", "rclone", "gpg", "openssl", "npm", "yarn", "pnpm", "pytest", "git-lfs", "install-info", "rpm", "journalctl", "systemctl", "ip", "sed", "awk", "find", "fd", "7z", "unzip", "cpan", "pg_dump", "logrotate", "dmesg", "ld", "rustc", "javac", "java", "tsc", "eslint", "jest", "vitest",
}

// gitRunning are the commands of git whose options run programs.
var gitRunning = []string{
	"clone", "fetch", "pull", "push", "ls-remote", "archive", "grep", "rebase", "bisect", "difftool", "mergetool", "submodule", "filter-branch", "send-email", "fetch-pack", "send-pack", "upload-pack", "receive-pack", "daemon", "instaweb", "help", "replay", "hook", "maintenance", "credential", "svn", "p4", "cvsimport", "remote",
}

// installs are the words by which package managers run the programs they are given.
var installs = []string{"install", "i", "add", "exec", "x", "dlx", "create", "init", "ci", "run-script", "-e", "config", "set-script"}

func isInterpreter(base string) bool { return slices.Contains(interpreters, base) }

// isProgramOption reports whether an interpreter takes a program behind an option.
func isProgramOption(base, option string) bool {
	if slices.Contains([]string{"--eval", "--print", "--command", "--execute", "-Command", "-EncodedCommand", "/c", "/C", "/k", "/K", "--run", "eval", "-pe", "-ne"}, option) {
		return true
	}
	if len(option) < 2 || option[0] != '-' || option[1] == '-' {
		return false
	}
	switch {
	case slices.Contains(shellPrograms, base):
		return strings.ContainsAny(option, "cC")
	case strings.HasPrefix(base, "py"), base == "ipython":
		return strings.HasSuffix(option, "c")
	case base == "perl" || base == "ruby":
		return strings.ContainsAny(option, "eEMrIn")
	case base == "php":
		return strings.ContainsAny(option, "rBRE")
	}
	return strings.ContainsAny(option, "epcr")
}

// unwrap returns the elements from the program on that a wrapper starts.
func (f *flow) unwrap(list []element) []element {
	for depth := 0; len(list) > 0 && list[0].fixed && slices.Contains(wrappers, programName(list[0].text)) && depth < 8; depth++ {
		k := 1
		for ; k < len(list); k++ {
			e := list[k]
			if !e.fixed || !strings.HasPrefix(e.text, "-") && !strings.Contains(e.text, "=") && !isNumber(e.text) && !(k > 1 && slices.Contains([]string{"-u", "-n", "-g", "-k", "-s", "-c", "-I", "-P", "-L", "-d", "-E", "-i", "-o", "--with"}, list[k-1].text)) && !slices.Contains([]string{"run", "exec"}, e.text) {
				break
			}
		}
		list = list[k:]
	}
	return list
}

// numberPattern matches a number, or a time as timeout takes it.
var numberPattern = lazyregexp.New(`^[0-9.]+[smhd]?$`)

func isNumber(text string) bool {
	return numberPattern().MatchString(text)
}

// judgeArguments judges the arguments of a program that a script starts.
func (f *flow) judgeArguments(list []element, runner string, inputs []argument) {
	outer := list
	list = f.unwrap(list)
	if f.refuseElements(outer[:len(outer)-len(list)], runner, "name the program in the script") {
		return
	}
	if len(list) == 0 {
		if last := outer[len(outer)-1]; len(outer) > 1 && slices.Contains(wrappers, programName(last.text)) {
			for _, a := range inputs {
				f.refuse(a.from, a.to, runner, argumentHelp)
			}
		}
		return
	}
	program := list[0]
	if program.dirty() {
		if !(strings.Contains(program.text, "/") && program.v.marks&hostile == 0) {
			f.refuse(program.from, program.to, runner, "name the program in the script; choose between fixed programs with an `if`")
		}
		return
	}
	if f.innerPrograms(list) {
		return
	}
	if !program.fixed {
		// A fixed program that is computed, such as one below a folder.
		for _, text := range f.writtenIn(program.from, program.to, 0) {
			one := slices.Clone(list)
			one[0].text, one[0].fixed = text, true
			f.judgeArguments(one, runner, inputs)
		}
		return
	}
	base := programName(program.text)
	runner = "`" + base + "`"
	if readsProgram(list) && f.refuseAny(inputs, runner, argumentHelp) {
		return
	}
	runsText := isInterpreter(base) || slices.Contains(textPrograms, base)
	if runsText && slices.Contains(wrappers, programName(outer[0].text)) && slices.ContainsFunc(outer, func(e element) bool { return e.text == "xargs" }) &&
		f.refuseAny(inputs, runner, argumentHelp) {
		return
	}
	switch {
	case isInterpreter(base):
		for i := 1; i+1 < len(list); i++ {
			if list[i].fixed && isProgramOption(base, list[i].text) && list[i+1].fixed {
				f.judgeFixedProgram(base, list[i+1].text, runner, inputs, list[i+1].from)
			}
		}
		f.judgeInterpreter(base, list, runner)
	case slices.Contains(textPrograms, base):
		f.judgeTextProgram(base, list, runner)
	case base == "git":
		f.judgeGit(list)
	case slices.Contains(filterPrograms, base):
		if strings.HasSuffix(base, "awk") && slices.ContainsFunc(list, func(e element) bool {
			return e.fixed && (e.text == "-f" || strings.HasPrefix(e.text, "-f/") || regexp.MustCompile(`system|getline|\|`).MatchString(e.text))
		}) && f.refuseAny(inputs, "the program of "+runner, argumentHelp) {
			return
		}
		f.judgeFilter(base, list, runner)
	case slices.Contains([]string{"npm", "yarn", "pnpm", "cargo", "brew", "apt", "apt-get", "go"}, base) && slices.ContainsFunc(list, func(e element) bool { return e.fixed && slices.Contains(installs, e.text) }):
		f.refuseElements(list[1:], runner, "name the package or program in the script")
	case slices.Contains(optionPrograms, base):
		f.judgeOptionProgram(list, runner)
	}
}

// innerPrograms refuses a value that is the program of an interpreter somewhere in
// the list, as in docker run image sh -c PROGRAM.
func (f *flow) innerPrograms(list []element) bool {
	for i := 1; i+2 < len(list); i++ {
		if !list[i].fixed || !isInterpreter(programName(list[i].text)) {
			continue
		}
		base := programName(list[i].text)
		for k := i + 1; k+1 < len(list); k++ {
			if list[k].fixed && isProgramOption(base, list[k].text) && list[k+1].dirty() {
				return f.refuse(list[k+1].from, list[k+1].to, "`"+base+"`", argumentHelp)
			}
		}
	}
	return false
}

// writtenIn returns the strings that an expression may give or end with: those written in
// it, and in the values of its names.
func (f *flow) writtenIn(from, to, depth int) []string {
	p := f.p
	var list []string
	for i := max(from, 0); i < to && depth < 4; i++ {
		f.spend(1)
		switch {
		case p.isKind(i, text):
			l := p.toks[i].lit
			end := l.body[1]
			start := l.body[0]
			for _, s := range l.spots {
				start = max(start, s.End)
			}
			if k := p.toks[i].match; k > i {
				for j := i + 1; j < k; j++ {
					if p.toks[j].parent == i && p.toks[j].match > j {
						start = max(start, p.toks[p.toks[j].match].end)
					}
				}
			}
			list = append(list, p.src[min(start, end):end])
		case p.isKind(i, word) && !p.is(i-1, ".", "?.") && !f.isModule[p.toks[i].text]:
			for _, k := range f.bound[p.toks[i].text] {
				b := f.bindings[k]
				list = append(list, f.writtenIn(b.from, b.to, depth+1)...)
			}
		}
		if len(list) > mostWritten {
			return list[:mostWritten]
		}
	}
	return list
}

// mostWritten bounds the strings of one expression.
const mostWritten = 32

// refuseElements refuses the first hostile element, and reports whether there is one.
func (f *flow) refuseElements(list []element, runner, help string) bool {
	return slices.ContainsFunc(list, func(e element) bool { return e.dirty() && f.refuse(e.from, e.to, runner, help) })
}

var (
	// riskyProgram are words by which a fixed program runs its arguments.
	riskyProgram = lazyregexp.New(`\b(eval|exec\w*|system|popen|Popen|subprocess|child_process|spawn\w*|compile|__\w+__|importlib|import_module|runpy|getattr|Function|constructor|pickle|marshal|shelve|pty|ctypes|globals|locals|vars|builtins|Bun|vm|yaml|code|timeit)\b|require\([^'")]|import\([^'"]`)
	// plainShell is a shell program that uses its arguments as data only.
	plainShell = lazyregexp.New(`^\s*(echo|printf|cat|ls|wc|head|tail|grep|mkdir|touch|cp|mv|rm|tee|cut|tr|true|cd|set|test|\[|gh|stat|du|basename|dirname|realpath|sha256sum|md5sum|diff|exit|:)\b`)
)

// judgeInterpreter judges the arguments of an interpreter: its program must be
// fixed, and must use the arguments after it as data.
func (f *flow) judgeInterpreter(base string, list []element, runner string) {
	for i := 1; i < len(list); i++ {
		e := list[i]
		if e.dirty() {
			f.refuse(e.from, e.to, runner, argumentHelp)
			return
		}
		if !e.fixed {
			return // a fixed script that is computed
		}
		if isProgramOption(base, e.text) {
			if i+1 >= len(list) {
				return
			}
			code := list[i+1]
			if code.dirty() {
				f.refuse(code.from, code.to, runner, argumentHelp)
				return
			}
			if !code.fixed || !f.takesData(base, code.text) {
				f.refuseElements(list[i+2:], "the program of "+runner, argumentHelp)
			}
			return
		}
		if e.text == "-m" && i+1 < len(list) {
			rest := list[i+1:]
			if rest[0].dirty() || slices.Contains([]string{"pip", "timeit", "cProfile", "profile", "pdb", "trace", "code", "runpy", "ensurepip"}, rest[0].text) {
				f.refuseElements(rest, runner, argumentHelp)
			}
			return
		}
		if slices.Contains([]string{"run", "x", "exec", "install", "add", "i", "create", "repl"}, e.text) && (base == "bun" || base == "deno") {
			if e.text != "run" {
				f.refuseElements(list[i+1:], runner, argumentHelp)
				return
			}
			continue
		}
		if strings.HasPrefix(e.text, "-") || slices.Contains(wrappersOf(base), list[i-1].text) {
			continue
		}
		return // the script; its arguments follow
	}
}

// wrappersOf returns the options of an interpreter that take a value.
func wrappersOf(base string) []string {
	if strings.HasPrefix(base, "py") {
		return []string{"-W", "-X"}
	}
	return []string{"-o", "-O", "--cwd", "--env-file"}
}

// takesData reports whether a fixed program of an interpreter uses its arguments
// as data only.
func (f *flow) takesData(base, code string) bool {
	switch {
	case slices.Contains(shellPrograms, base):
		if regexp.MustCompile("`|\\$\\(|\\(\\(|\\[\\[|<<|=\\$|\\$\\{[^0-9}]|\\$\\{[0-9]+[^}0-9]|printf -v|-v |-o |-O ").MatchString(code) {
			return false
		}
		code = regexp.MustCompile(`"[^"]*"|'[^']*'`).ReplaceAllString(code, "Q")
		for _, part := range regexp.MustCompile(`[;&|\n]+`).Split(code, -1) {
			if strings.TrimSpace(part) != "" && !plainShell().MatchString(part) {
				return false
			}
		}
		return true
	case strings.HasPrefix(base, "py") || base == "node" || base == "nodejs" || base == "bun" || base == "deno":
		return !riskyProgram().MatchString(code)
	}
	return false
}

// riskyShell matches fixed programs of shells that may run text that they read from
// standard input or from a variable.
var riskyShell = lazyregexp.New(`\b(eval|source|let|declare|typeset|local|export|read|mapfile|xargs|exec|trap|at|batch|make|ssh|env|(ba|da|z|k|c|tc|fi)?sh|python[0-9.]*|perl|ruby|node|bun|php|awk|sqlite3?|psql)\b|\(\(|\[\[|-v |(^|[;&|({])\s*"?\$`)

// judgeFixedProgram refuses values on standard input, or in the environment, of a
// fixed program that may run them. at is the token of the program.
func (f *flow) judgeFixedProgram(base, code, runner string, inputs []argument, at int) {
	risk := riskyProgram
	if slices.Contains(shellPrograms, base) {
		risk = riskyShell
	}
	if !risk().MatchString(code) {
		return
	}
	if f.refuseAny(inputs, "the program of "+runner, argumentHelp) {
		return
	}
	for _, n := range environments {
		if f.shared[n].marks&hostile != 0 && strings.Contains(code, "$") {
			f.report(finding.ScriptEnvironment(f.span(at, at), "of this program"))
			return
		}
	}
}

// judgeTextProgram judges a program that may run any of its arguments.
func (f *flow) judgeTextProgram(base string, list []element, runner string) {
	if base == "ssh" && len(list) > 2 && list[1].text == "--" && list[2].dirty() {
		list = list[2:] // the host
	}
	if strings.HasPrefix(base, "sqlite") && len(list) > 1 && list[1].fixed && list[len(list)-1].fixed {
		return
	}
	f.refuseElements(list[1:], runner, argumentHelp)
}

// judgeFilter judges a program whose first argument is a program.
func (f *flow) judgeFilter(base string, list []element, runner string) {
	help := "pass the value apart from the program: `awk -v`, `jq --arg`, or standard input"
	ended := false
	for i := 1; i < len(list); i++ {
		e := list[i]
		before := list[i-1].text
		switch {
		case e.fixed && e.text == "--":
			ended = true
			continue
		case strings.Contains(base, "j") && i > 2 && slices.Contains([]string{"--arg", "--argjson", "--slurpfile", "--rawfile"}, list[i-2].text):
			continue // the value of a variable
		case slices.Contains([]string{"--arg", "--argjson", "--slurpfile", "--rawfile"}, before):
			continue
		case strings.HasSuffix(base, "awk") && before == "-v" && strings.Contains(e.text, "="), strings.HasSuffix(base, "awk") && before == "-F" && e.fixed:
			continue
		}
		if e.dirty() {
			if base == "find" && e.text != "" && !strings.HasPrefix(e.text, "-") {
				continue
			}
			if base == "find" && slices.Contains([]string{"-name", "-iname", "-path", "-newer", "-regex", "-type", "-mtime", "-size"}, before) {
				continue
			}
			f.refuse(e.from, e.to, runner, help)
			return
		}
		if base == "find" || base == "fd" {
			continue
		}
		if e.fixed && strings.HasPrefix(e.text, "-") && !ended {
			continue
		}
		if strings.HasSuffix(base, "awk") && regexp.MustCompile(`system|getline|\|`).MatchString(e.text) {
			f.refuseElements(list[i+1:], "the program of "+runner, help)
			return
		}
		// The program. GNU programs take options behind it, too.
		for _, rest := range list[i+1:] {
			if rest.fixed && rest.text == "--" {
				return
			}
			if strings.HasSuffix(base, "sed") && rest.mayBeOption() && !ended {
				f.refuse(rest.from, rest.to, runner, optionHelp)
				return
			}
		}
		return
	}
}

// judgeOptionProgram judges a program that runs programs named by its options.
func (f *flow) judgeOptionProgram(list []element, runner string) {
	for i, e := range list[1:] {
		if e.fixed && e.text == "--" {
			return
		}
		before := list[i].text
		if e.mayBeOption() && (e.spread || !takesText(before)) || e.dirty() && strings.HasPrefix(e.text, "-") && !strings.HasPrefix(e.text, "--") ||
			e.dirty() && strings.HasPrefix(e.text, "--") && regexp.MustCompile(`(?i)exec|command|cmd|program|checkpoint-action|pre|pager|rsh|filter|compress|askpass|config|plugin|rcfile|engine|provider|init|hook|shell|script`).MatchString(e.text) {
			f.refuse(e.from, e.to, runner+" as an option", optionHelp)
			return
		}
	}
}

// takesText reports whether an option takes the next argument as data.
func takesText(option string) bool {
	return slices.Contains([]string{"-m", "--message", "-f", "--file", "-C", "-d", "--data", "-n", "--name", "-o", "--output", "-t", "--tag", "--title", "--body", "-k", "-t", "-p", "-g"}, option)
}

// judgeGit judges the arguments of git.
func (f *flow) judgeGit(list []element) {
	i := 1
	for ; i < len(list); i++ {
		e := list[i]
		if e.fixed && !strings.HasPrefix(e.text, "-") && !slices.Contains([]string{"-C", "-c", "--git-dir", "--work-tree", "--namespace"}, list[i-1].text) {
			break
		}
		if e.dirty() && list[i-1].text != "-C" && !strings.HasPrefix(e.text, "--git-dir=") && !strings.HasPrefix(e.text, "--work-tree=") {
			f.refuse(e.from, e.to, "`git`", "name the command of git and its settings in the script")
			return
		}
	}
	if i >= len(list) {
		return
	}
	command := list[i].text
	rest := list[i+1:]
	switch {
	case command == "config":
		for k, e := range rest {
			safe := k > 0 && rest[k-1].fixed && regexp.MustCompile(`^(user|author|committer|branch|init|color)\.`).MatchString(rest[k-1].text)
			if e.dirty() && !safe {
				f.refuse(e.from, e.to, "`git`", "name the setting in the script")
				return
			}
		}
	case slices.Contains([]string{"bisect", "filter-branch", "difftool", "mergetool", "submodule", "hook"}, command) && !(command == "submodule" && len(rest) > 0 && rest[0].text != "foreach"):
		f.refuseElements(rest, "`git "+command+"`", "name the program that git runs in the script")
	case slices.Contains(gitRunning, command):
		for k, e := range rest {
			if e.fixed && e.text == "--" {
				return
			}
			if e.dirty() && k > 0 && slices.Contains([]string{"-x", "--exec", "--upload-pack", "--receive-pack", "-O", "--open-files-in-pager"}, rest[k-1].text) || e.dirty() && regexp.MustCompile(`^(ext::|-x|-O|-c|--exec|--upload-pack|--receive-pack|--config|--open-files)`).MatchString(e.text) {
				f.refuse(e.from, e.to, "`git "+command+"`", optionHelp)
				return
			}
			if e.mayBeOption() && (k == 0 || !takesText(rest[k-1].text)) {
				f.warnOption(e, "git "+command)
				return
			}
		}
	}
}

// warnOption warns of a value that a program may take for an option.
func (f *flow) warnOption(e element, program string) {
	label := f.source(e.from, e.to)
	if e.v.from != nil {
		label = e.v.from.label
	}
	f.report(finding.ScriptValueOption(f.span(e.from, e.to-1), label, program).WithHelp(replaceLabel(optionHelp, f.source(e.from, e.to))))
}

// judgeShellTemplate judges Bun's `$`. It escapes values, so they are arguments;
// but the program must be fixed, and {raw: …} and programs that run text are not
// made safe by that.
func (f *flow) judgeShellTemplate(c *call) {
	shown := "the shell of `$`"
	if !c.tag {
		f.refuseAny(c.args, shown, "use the template: `$`program ${LABEL}``")
		return
	}
	f.judgeTemplateText(f.p.toks[c.open].lit, c.args)
}

// templateGap marks a value in the text of a template.
const templateGap = "\x00"

// judgeTemplateText judges the commands of a template; args are its substitutions.
func (f *flow) judgeTemplateText(l *literal, args []argument) {
	p := f.p
	type gap struct {
		start, end int
		a          argument
		s          *spot
	}
	var gaps []gap
	for _, a := range args {
		open := p.toks[a.from].parent
		gaps = append(gaps, gap{p.toks[open].start, p.toks[p.toks[open].match].end, a, nil})
	}
	for _, s := range l.spots {
		gaps = append(gaps, gap{s.Start, s.End, argument{}, s})
	}
	slices.SortFunc(gaps, func(a, b gap) int { return a.start - b.start })
	var b strings.Builder
	at := l.body[0]
	for _, g := range gaps {
		b.WriteString(p.src[at:g.start] + templateGap)
		at = g.end
	}
	b.WriteString(p.src[at:l.body[1]])
	runner := "the shell of `$`"
	n := 0
	refuseGap := func(g gap, runner, help string) bool {
		if g.s != nil {
			if f.spotValue(g.s).marks == 0 {
				return false
			}
			p.refuse(g.s, p.programText(g.s, runner, help))
			return true
		}
		return f.refuse(g.a.from, g.a.to, runner, help)
	}
	for _, g := range gaps {
		if g.s == nil && f.argument(g.a).marks&parsed != 0 && f.argument(g.a).marks&hostile != 0 && refuseGap(g, runner, "convert the value, because an object with `raw` is not escaped: `String(LABEL)`") {
			return
		}
		if g.s == nil && (len(f.property(g.a, "raw")) > 0 || f.mentionsRaw(g.a)) && refuseGap(g, runner, "remove `raw`: the template escapes values") {
			return
		}
	}
	for _, command := range shellCommands(b.String()) {
		var list []element
		var from []gap
		for _, w := range shellWords(command) {
			e := element{text: w, fixed: true}
			if before, _, ok := strings.Cut(w, templateGap); ok {
				e.text, e.fixed = before, false
			}
			var g gap
			for range strings.Count(w, templateGap) {
				g = gaps[n]
				n++
				if g.s != nil {
					e.v = e.v.join(f.spotValue(g.s))
					e.from, e.to = -1-g.s.index, 0
				} else {
					v := f.argument(g.a)
					e.v = e.v.join(v)
					e.from, e.to = g.a.from, g.a.to
					if len(f.chains(g.a.from, g.a.to)) == 1 {
						if text, whole := f.prefix(g.a.from, g.a.to, 0); w == templateGap {
							e.text, e.fixed = text, whole
						}
						e.spread = f.isList(g.a)
					}
				}
			}
			list, from = append(list, e), append(from, g)
		}
		for len(list) > 0 && list[0].fixed && strings.Contains(list[0].text, "=") {
			list, from = list[1:], from[1:]
		}
		if len(list) == 0 {
			continue
		}
		if list[0].dirty() && refuseGap(from[0], runner, "name the program in the script") {
			return
		}
		f.gapRefusal = func(e element, runner, help string) bool {
			for i := range list {
				if list[i].from == e.from && list[i].dirty() && e.from < 0 {
					return refuseGap(from[i], runner, help)
				}
			}
			return false
		}
		f.judgeArguments(list, runner, nil)
		f.gapRefusal = nil
	}
	if strings.Contains(b.String(), "|") || strings.Contains(b.String(), "<") {
		for _, command := range shellCommands(b.String()) {
			var words []element
			for _, w := range shellWords(command) {
				words = append(words, element{text: w, fixed: !strings.Contains(w, templateGap)})
			}
			words = f.unwrap(words)
			if len(words) > 0 && words[0].fixed && readsProgram(cutRedirections(words)) {
				for _, g := range gaps {
					if refuseGap(g, "`"+programName(words[0].text)+"`", argumentHelp) {
						return
					}
				}
			}
		}
	}
}

// cutRedirections returns the words before the first redirection.
func cutRedirections(words []element) []element {
	i := slices.IndexFunc(words, func(w element) bool { return strings.HasPrefix(w.text, "<") || strings.HasPrefix(w.text, ">") })
	if i < 0 {
		return words
	}
	return words[:i]
}

// mentionsRaw reports whether a substitution may be an object with raw text.
func (f *flow) mentionsRaw(a argument) bool {
	list := f.chains(a.from, a.to)
	return len(list) == 1 && slices.ContainsFunc(f.bound[f.root(&list[0])], func(i int) bool {
		b := f.bindings[i]
		return len(f.property(argument{from: b.from, to: b.to}, "raw")) > 0
	})
}

// isList reports whether a substitution may be an array, of which each element is
// an argument.
func (f *flow) isList(a argument) bool {
	list := f.chains(a.from, a.to)
	return len(list) == 1 && (f.p.is(list[0].atom, "[") || slices.ContainsFunc(f.bound[f.root(&list[0])], func(i int) bool {
		return f.p.is(f.bindings[i].from, "[")
	}))
}

// shellCommands splits the text of a template at the separators of commands.
func shellCommands(text string) []string {
	return regexp.MustCompile("\\|\\||&&|[;|&\n]|\\$\\(|`|\\)|\\bthen\\b|\\bdo\\b|\\belse\\b").Split(text, -1)
}

var wordPattern = lazyregexp.New(`(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'])+`)

// shellWords splits a command into words, without their quotes.
func shellWords(command string) []string {
	list := wordPattern().FindAllString(command, -1)
	for i, w := range list {
		list[i] = strings.NewReplacer(`"`, "", `'`, "").Replace(w)
	}
	return list
}
