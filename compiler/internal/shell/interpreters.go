package shell

import (
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"mvdan.cc/sh/v3/syntax"
)

// interpreter describes a program that runs text as code: the place of that text on
// its command line.
type interpreter struct {
	// code are the options whose value is program text.
	code []string
	// cluster says that such a one-letter option may be in a cluster: -lc.
	cluster bool
	// operand says that the program text is the first operand when there is
	// neither a code nor a file option.
	operand bool
	// second says that the program text is the second operand.
	second bool
	// file are the options whose value is the file of a program.
	file []string
	// script says that the first operand is the file of a program.
	script bool
	// stdin says that the program comes from the input when nothing else names it.
	stdin bool
	// rest are options after which the command line holds no program: it is a
	// module's (python -m) or the program is the input (bash -s).
	rest []string
	// pairs are options that take two values, value those that take one.
	pairs, value []string
	// selects are options whose value selects packages of the project, so it is data
	// in quotes; without them, it may become several words.
	selects []string
	// shell says that a quoted word (printf %q, ${x@Q}) is data to the program.
	shell bool
	// safe is how to pass a value as data; LABEL represents the value.
	safe string
}

// interpreters are the programs known to run text, by name.
var interpreters = map[string]*interpreter{
	"python": {code: []string{"-c"}, cluster: true, value: []string{"-W", "-X"}, rest: []string{"-m"}, script: true, stdin: true,
		safe: "pass the value as an argument: `python3 -c 'import sys; value = sys.argv[1]' LABEL`"},
	"node": {code: []string{"-e", "--eval", "-p", "--print", "-pe"}, value: []string{"-r", "--require", "--import"}, script: true, stdin: true,
		safe: "pass the value as an argument: `node -e 'const value = process.argv[1]' -- LABEL`"},
	"bun": {code: []string{"-e", "--eval", "-p", "--print"}, value: []string{"-r", "--preload"}, selects: []string{"--filter", "-F"}, script: true,
		safe: "pass the value as an argument: `bun -e 'const value = process.argv[1]' -- LABEL`"},
	"perl": {code: []string{"-e", "-E"}, cluster: true, value: []string{"-I"}, script: true, stdin: true,
		safe: "pass the value as an argument: `perl -e 'my $value = shift' -- LABEL`"},
	"ruby": {code: []string{"-e"}, cluster: true, value: []string{"-I", "-r"}, script: true, stdin: true,
		safe: "pass the value as an argument: `ruby -e 'value = ARGV[0]' -- LABEL`"},
	"php": {code: []string{"-r", "-B", "-R", "-E", "--run"}, file: []string{"-f"}, value: []string{"-d", "-c"}, script: true, stdin: true,
		safe: "pass the value as an argument: `php -r '$value = $argv[1];' -- LABEL`"},
	"lua":       {code: []string{"-e"}, value: []string{"-l"}, script: true, stdin: true, safe: "pass the value as an argument: `lua script.lua LABEL`"},
	"Rscript":   {code: []string{"-e"}, script: true, safe: "pass the value as an argument: `Rscript script.R LABEL`"},
	"osascript": {code: []string{"-e"}, script: true, stdin: true, safe: "pass the value as an argument: `osascript -e 'on run argv' -e '…' -e 'end run' LABEL`"},
	"pwsh":      {code: []string{"-c", "-Command", "-command"}, file: []string{"-File", "-f"}, script: true, stdin: true, safe: "pass the value in the environment: `VALUE=LABEL pwsh -c '$env:VALUE'`"},
	"tclsh":     {script: true, stdin: true, safe: "pass the value as an argument: `tclsh script.tcl LABEL`"},
	"awk": {code: []string{"-e", "--source"}, operand: true, file: []string{"-f", "--file"}, value: []string{"-v", "-F", "--assign", "--field-separator"},
		safe: "pass the value in the environment: `value=LABEL awk '{ print ENVIRON[\"value\"] }'`"},
	"sed": {code: []string{"-e", "--expression"}, cluster: true, operand: true, file: []string{"-f", "--file"}, value: []string{"-l"},
		safe: "replace in bash with `${text//old/LABEL}`, or with awk and ENVIRON: sed takes no data"},
	"jq": {operand: true, file: []string{"-f", "--from-file"}, value: []string{"--indent", "-L"}, pairs: []string{"--arg", "--argjson", "--slurpfile", "--rawfile"},
		safe: "pass the value as a variable: `jq --arg value LABEL '… $value …'`"},
	"yq": {operand: true, file: []string{"--from-file"}, value: []string{"-o", "-p", "-I"}, pairs: []string{"--arg", "--argjson"},
		safe: "pass the value in the environment: `value=LABEL yq '… strenv(value) …'`"},
	"sqlite3": {code: []string{"-cmd"}, second: true, value: []string{"-init", "-separator", "-newline", "-nullvalue"}, stdin: true,
		safe: "write the value to a file, `printf '%s' LABEL > value.txt`, and read it in SQL: `CAST(readfile('value.txt') AS TEXT)`"},
	"duckdb": {code: []string{"-c", "-cmd", "-s"}, second: true, stdin: true, safe: "write the value to a file and read it in SQL: `read_text('value.txt')`"},
	"psql": {code: []string{"-c", "--command"}, file: []string{"-f", "--file"}, value: []string{"-v", "-d", "-h", "-U", "-p", "-o", "-F", "-P", "--set", "--dbname", "--host", "--username", "--port"}, stdin: true,
		safe: "pass the value as a variable: `psql -v value=LABEL <<< \"SELECT :'value'\"`"},
	"mysql": {code: []string{"-e", "--execute"}, value: []string{"-u", "-h", "-P", "-D"}, stdin: true,
		safe: "use a program that binds parameters, and pass the value to it as an argument"},
	"mongosh": {code: []string{"--eval"}, script: true, stdin: true, safe: "pass the value in the environment and read `process.env`"},
	"dc":      {code: []string{"-e", "--expression"}, file: []string{"-f"}, stdin: true, safe: "calculate in bash: `$(( LABEL + 1 ))`"},
	"ed":      {stdin: true, safe: "edit with awk, and pass the value in the environment"},
	"at":      {stdin: true, safe: "schedule a fixed script that reads the value from a file"},
	"tsx":     {code: []string{"-e", "--eval", "-p"}, script: true, stdin: true, safe: "pass the value as an argument: `tsx script.ts LABEL`"},
	"ts-node": {code: []string{"-e", "--eval", "-p"}, script: true, stdin: true, safe: "pass the value as an argument: `ts-node script.ts LABEL`"},
	"java":    {value: []string{"-cp", "-classpath", "-jar"}, script: true, safe: "pass the value as an argument: `java Main.java LABEL`"},
	"jshell":  {script: true, stdin: true, safe: "pass the value as an argument of a program"},
	"swift":   {code: []string{"-e"}, script: true, stdin: true, safe: "pass the value as an argument: `swift script.swift LABEL`"},
	"m4":      {code: []string{}, value: []string{"-D", "-I"}, script: true, stdin: true, safe: "replace in bash: `${text//old/LABEL}`"},
	"expect":  {code: []string{"-c"}, file: []string{"-f"}, script: true, stdin: true, safe: "pass the value as an argument: `expect -f script.exp LABEL`"},
	"gnuplot": {code: []string{"-e"}, script: true, stdin: true, safe: "write the value to a data file"},
	"octave":  {code: []string{"--eval"}, script: true, stdin: true, safe: "pass the value as an argument"},
	"julia":   {code: []string{"-e", "-E", "--eval"}, script: true, stdin: true, safe: "pass the value as an argument"},
	"elixir":  {code: []string{"-e", "--eval"}, script: true, safe: "pass the value as an argument"},
	"guile":   {code: []string{"-c"}, script: true, stdin: true, safe: "pass the value as an argument"},
	"sbcl":    {code: []string{"--eval"}, file: []string{"--load", "--script"}, stdin: true, safe: "pass the value as an argument"},
	"clojure": {code: []string{"-e", "--eval", "-M", "-X"}, script: true, stdin: true, safe: "pass the value as an argument"},
	"groovy":  {code: []string{"-e"}, script: true, safe: "pass the value as an argument"},
	"ghc":     {code: []string{"-e"}, script: true, safe: "pass the value as an argument"},
	"swipl":   {code: []string{"-g", "-t"}, script: true, stdin: true, safe: "pass the value as an argument"},
	"emacs":   {code: []string{"--eval", "-eval", "--execute"}, file: []string{"--load", "-l", "--script"}, safe: "pass the value in the environment: `(getenv \"VALUE\")`"},
	"vim":     {code: []string{"-c", "--cmd", "-S", "-s", "-u"}, stdin: true, safe: "edit with awk, and pass the value in the environment"},
	"gdb":     {code: []string{"-ex", "-iex", "--eval-command", "-eval-command"}, file: []string{"-x", "--command"}, stdin: true, safe: "write a fixed command file"},
	"lldb":    {code: []string{"-o", "-O", "--one-line"}, file: []string{"-s", "--source"}, stdin: true, safe: "write a fixed command file"},
	"crontab": {script: true, stdin: true, safe: "schedule a fixed script that reads the value from a file"},
	"sftp":    {file: []string{"-b"}, value: []string{"-c", "-F", "-i", "-J", "-l", "-o", "-P", "-R", "-S", "-D", "-B", "-s", "-X"}, stdin: true, safe: "copy with scp, and put `--` before the value"},
	"ftp":     {stdin: true, safe: "copy with scp or curl, and put `--` before the value"},
	"telnet":  {stdin: true, safe: "send the value with a program that takes it as data"},
	"batch":   {stdin: true, safe: "schedule a fixed script that reads the value from a file"},
}

// shellInterpreter represents bash and its relatives, whose -c takes the first operand at
// any position.
var shellInterpreter = &interpreter{
	value: []string{"-o", "+o", "-O", "+O", "--rcfile", "--init-file"}, script: true, stdin: true, shell: true,
	safe: "pass the value as an argument: `bash -c '… \"$1\" …' _ LABEL`",
}

// aliases are other names of interpreters.
var aliases = map[string]string{
	"python3": "python", "python2": "python", "pypy3": "python", "nodejs": "node", "deno": "node",
	"gawk": "awk", "mawk": "awk", "nawk": "awk", "gsed": "sed", "gojq": "jq", "jaq": "jq",
	"vi": "vim", "view": "vim", "ex": "vim", "nvim": "vim", "gvim": "vim", "rview": "vim", "red": "ed", "wish": "tclsh", "mariadb": "mysql", "powershell": "pwsh", "luajit": "lua", "sqlite": "sqlite3",
}

var shells = map[string]bool{
	"bash": true, "sh": true, "dash": true, "zsh": true, "ksh": true, "mksh": true, "ash": true, "fish": true, "rbash": true,
}

// lookupInterpreter finds the interpreter that a command's name represents, with
// versions such as python3.12 taken into account.
func lookupInterpreter(name string) *interpreter {
	if shells[name] {
		return shellInterpreter
	}
	return interpreters[interpreterKind(name)]
}

// wrapper describes a program that runs the rest of its command line.
type wrapper struct {
	// value are options with a separate value.
	value []string
	// operands is how many operands are before the command.
	operands int
	// assignments says that NAME=value may be before the command.
	assignments bool
}

var wrappers = map[string]wrapper{
	"env":     {value: []string{"-u", "--unset", "-C", "--chdir"}, assignments: true},
	"sudo":    {value: []string{"-u", "-g", "-h", "-p", "-C", "-r", "-t", "-U", "-D", "-R", "-T", "--user", "--group"}, assignments: true},
	"doas":    {value: []string{"-u", "-C"}},
	"timeout": {value: []string{"-k", "-s", "--kill-after", "--signal"}, operands: 1}, "gtimeout": {value: []string{"-k", "-s"}, operands: 1},
	"nice": {value: []string{"-n", "--adjustment"}}, "ionice": {value: []string{"-c", "-n", "--class", "--classdata"}},
	"nohup": {}, "setsid": {}, "time": {value: []string{"-f", "-o", "--format", "--output"}},
	"command": {}, "builtin": {}, "exec": {value: []string{"-a"}},
	"stdbuf": {value: []string{"-i", "-o", "-e"}}, "unbuffer": {}, "caffeinate": {value: []string{"-t", "-w"}},
	"xargs":  {value: []string{"-I", "-n", "-P", "-L", "-s", "-d", "-E", "-a", "--max-args", "--max-procs", "--replace", "--delimiter", "--arg-file"}},
	"chroot": {operands: 1}, "flock": {value: []string{"-w", "-E", "--timeout"}, operands: 1},
	"strace": {value: []string{"-e", "-o", "-p", "-s", "-u", "-E", "-P", "-I", "-b", "-a", "-O", "-S", "-X"}}, "ltrace": {value: []string{"-e", "-o", "-p", "-s", "-u", "-a", "-n", "-D", "-F"}},
	"busybox": {}, "toybox": {}, "unshare": {}, "chrt": {operands: 1}, "taskset": {operands: 1},
	"prlimit": {}, "setpriv": {value: []string{"--reuid", "--regid", "--groups"}}, "setarch": {}, "linux32": {}, "linux64": {}, "coproc": {}, "dumb-init": {}, "tini": {}, "fakeroot": {}, "proot": {}, "catchsegv": {},
	"gosu": {operands: 1}, "su-exec": {operands: 1}, "chpst": {value: []string{"-u", "-U", "-b", "-d", "-e", "-n", "-l", "-L"}}, "systemd-run": {value: []string{"-p", "-u", "-t", "--unit", "--uid", "--gid"}},
	"systemd-inhibit": {value: []string{}}, "dbus-run-session": {}, "xvfb-run": {value: []string{"-n", "-s", "-e", "-f", "-p", "-w"}}, "firejail": {}, "bwrap": {}, "cpulimit": {value: []string{"-l"}}, "numactl": {}, "choom": {value: []string{"-n"}},
	"aws-vault": {operands: 2}, "chronic": {}, "ts": {}, "retry": {}, "watch": {value: []string{"-n", "--interval"}}, "hyperfine": {}, "perf": {operands: 1}, "valgrind": {}, "cross-env": {assignments: true}, "dotenv": {}, "runuser": {value: []string{"-u", "-g", "-G", "-s"}}, "pkexec": {value: []string{"--user"}}, "sg": {operands: 1}, "start-stop-daemon": {}, "parallel": {value: []string{"-j", "--jobs", "-N", "-n", "-a", "--colsep", "-S", "--results", "--joblog", "-d"}},
}

// containers run a command somewhere else; which operand it starts at depends on
// many options, so it is searched for by its name.
var containers = map[string]bool{
	"docker": true, "podman": true, "nerdctl": true, "kubectl": true, "oc": true, "docker-compose": true,
	"nsenter": true, "lxc": true, "vagrant": true, "uv": true, "uvx": true, "poetry": true, "pipenv": true,
	"npx": true, "bunx": true, "npm": true, "pnpm": true, "yarn": true, "bundle": true, "nix-shell": true, "mise": true, "rtx": true, "direnv": true,
}

// printers only print their arguments.
var printers = map[string]bool{"echo": true, "printf": true, "grep": true, "egrep": true, "rg": true, "test": true, "[": true, ":": true, "true": true, "false": true, "git": true, "gh": true}

// runsArguments are the ways in which fixed programs of other interpreters run
// their arguments, which is not allowed.
var runsArguments = map[string]func() *regexp.Regexp{
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
	runs := pattern != nil && pattern().MatchString(code) || kind == "awk" && awkRuns(code)
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
	if awkShell().MatchString(code) {
		return true
	}
	if _, after, ok := strings.Cut(code, "system("); ok && !awkFixed().MatchString(after) {
		return true
	}
	if strings.Contains(code, "getline") && awkGetline().MatchString(awkStrings().ReplaceAllString(code, `""`)) {
		return true
	}
	plain := awkStrings().ReplaceAllString(code, `""`)
	plain = awkRegexps().ReplaceAllString(plain, "0")
	for _, m := range awkPipe().FindAllStringSubmatch(plain, -1) {
		rest, fixed := strings.CutPrefix(strings.TrimSpace(m[1]), `""`)
		if !fixed || strings.ContainsAny(rest, `"$`) || nameLength(strings.TrimSpace(rest)) > 0 {
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
