package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// An interpreter is a program that runs text as code: the places of that text on its
// command line. Lists are words with spaces between them.
type interpreter struct {
	// code are the options whose value is program text; such an option of one letter may
	// be in a cluster (-lc). file are those whose value is the file of a program.
	code, file string
	// values are the options with one other value, pairs those with two.
	values, pairs string
	// from is the number of the first operand that is program text when no option has
	// any, counted from 1; to is the last one, or 0 for all that follow.
	from, to int
	// script says that the first operand is the file of a program, stdin that the input
	// is a program when nothing else names one.
	script, stdin bool
	// late says that it reads options also among the operands behind its program.
	late bool
	// shell says that the program is bash, or similar.
	shell bool
	// safe is how to pass a value as data; LABEL represents the value.
	safe string
}

const asArgument = "pass the value as an argument of a fixed program"

var shellInterpreter = &interpreter{
	values: "-o +o -O +O --rcfile --init-file", script: true, stdin: true, shell: true,
	safe: "pass the value as an argument: `bash -c '… \"$1\" …' _ LABEL`",
}

// interpreters are the programs known to run text, by their names.
var interpreters = byName(map[string]*interpreter{
	"bash sh dash zsh ksh mksh ash fish rbash": shellInterpreter,
	"su runuser script flock":                  {code: "-c --command", shell: true, safe: shellInterpreter.safe},
	"python python2 pypy": {code: "-c -mtimeit", values: "-W -X", script: true, stdin: true,
		safe: "pass the value as an argument: `python3 -c 'import sys; value = sys.argv[1]' LABEL`"},
	"node nodejs deno tsx ts-node": {code: "-e --eval -p --print -pe eval", file: "-r --require --import", script: true, stdin: true, late: true,
		safe: "pass the value as an argument: `node -e 'const value = process.argv[1]' -- LABEL`"},
	"bun": {code: "-e --eval -p --print", file: "-r --preload", values: "--filter -F --cwd", script: true, late: true,
		safe: "pass the value as an argument: `bun -e 'const value = process.argv[1]' -- LABEL`"},
	"perl": {code: "-e -E", values: "-I", script: true, stdin: true, late: true,
		safe: "pass the value as an argument: `perl -e 'my $value = shift' -- LABEL`"},
	"ruby": {code: "-e", file: "-r", values: "-I", script: true, stdin: true, late: true,
		safe: "pass the value as an argument: `ruby -e 'value = ARGV[0]' -- LABEL`"},
	"php": {code: "-r -B -R -E --run", file: "-f", values: "-d -c", script: true, stdin: true,
		safe: "pass the value as an argument: `php -r '$value = $argv[1];' -- LABEL`"},
	"lua luajit Rscript julia swift": {code: "-e -E --eval", values: "-l", script: true, stdin: true, safe: asArgument},
	"osascript":                      {code: "-e", script: true, stdin: true, safe: "pass the value as an argument: `osascript -e 'on run argv' -e '…' -e 'end run' LABEL`"},
	"pwsh powershell":                {code: "-c -Command -command", file: "-File -f", script: true, stdin: true, safe: asArgument},
	"tclsh expect":                   {code: "-c", file: "-f", script: true, stdin: true, safe: asArgument},
	"awk gawk mawk nawk": {code: "-e --source", from: 1, to: 1, file: "-f --file", values: "-v -F --assign --field-separator",
		safe: "pass the value in the environment: `value=LABEL awk '{ print ENVIRON[\"value\"] }'`"},
	"sed gsed": {code: "-e --expression", from: 1, to: 1, file: "-f --file", values: "-l", late: true,
		safe: "replace in bash with `${text//old/LABEL}`, or with awk and ENVIRON: sed takes no data"},
	"jq gojq jaq": {from: 1, to: 1, file: "-f --from-file", values: "--indent -L", pairs: "--arg --argjson --slurpfile --rawfile",
		safe: "pass the value as a variable: `jq --arg value LABEL '… $value …'`"},
	"yq": {from: 1, to: 1, file: "--from-file", values: "-o -p -I", pairs: "--arg --argjson",
		safe: "pass the value in the environment: `value=LABEL yq '… strenv(value) …'`"},
	"sqlite3 sqlite duckdb": {code: "-cmd -c -s", from: 2, values: "-init -separator -newline -nullvalue", stdin: true,
		safe: "write the value to a file, `printf '%s' LABEL > value.txt`, and read it in SQL: `CAST(readfile('value.txt') AS TEXT)`"},
	"psql": {code: "-c --command", file: "-f --file", values: "-v -d -h -U -p -o -F -P --set --dbname --host --username --port", stdin: true,
		safe: "pass the value as a variable: `psql -v value=LABEL <<< \"SELECT :'value'\"`"},
	"mysql mariadb": {code: "-e --execute", values: "-u -h -P -D", stdin: true,
		safe: "use a program that binds parameters, and pass the value to it as an argument"},
	"vim vi nvim ex view": {code: "-c --cmd +", file: "-S -u", stdin: true, safe: "edit with awk, and pass the value in the environment"},
	"gdb":                 {code: "-ex -iex --eval-command", file: "-x --command", stdin: true, safe: asArgument},
	"dc":                  {code: "-e --expression", file: "-f", stdin: true, safe: "calculate in bash: `$(( LABEL + 1 ))`"},
	"make gmake":          {code: "--eval", file: "-f --file --makefile", values: "-C -j -o -W -l --directory", safe: "pass the value in a file that a recipe reads"},
	"ed red at batch m4":  {stdin: true, safe: asArgument},
	"watch":               {values: "-n --interval", from: 1, shell: true, safe: "pass the value as data: loop in bash"},
	"parallel":            {values: "-j --jobs -N -n -a --colsep -S --results --joblog -d", from: 1, shell: true, safe: "pass the value as data: `parallel deploy ::: LABEL`, or loop in bash"},
})

func byName(list map[string]*interpreter) map[string]*interpreter {
	all := map[string]*interpreter{}
	for names, in := range list {
		for _, name := range strings.Fields(names) {
			all[name] = in
		}
	}
	return all
}

// Programs returns the names of all programs that are known to run text or a command of their own
// words, sorted.
func Programs() []string {
	names := []string{"fd", "find", "git"} // see nestedCommands
	names = slices.AppendSeq(slices.AppendSeq(names, maps.Keys(interpreters)), maps.Keys(builtinSafe))
	names = slices.AppendSeq(slices.AppendSeq(names, maps.Keys(wrappers)), maps.Keys(containers))
	slices.Sort(names)
	return slices.Compact(names)
}

// lookupInterpreter finds the interpreter that a command's name represents, with
// versions such as python3.12 taken into account. Programs of the project come first.
func (s *script) lookupInterpreter(name string) *interpreter {
	if p, ok := s.options.Programs[name]; ok {
		in := &interpreter{code: strings.Join(p.CodeFlags, " "), values: strings.Join(p.ValueFlags, " "), safe: "keep values out of it, and choose between fixed programs with a case statement"}
		if n := p.CodeArguments; len(n) > 0 {
			in.from, in.to = max(slices.Min(n), 1), slices.Max(n)
		}
		return in
	}
	if in := interpreters[name]; in != nil {
		return in
	}
	return interpreters[strings.TrimRight(name, "0123456789.")]
}

// A program describes the program on a command line.
type program struct {
	code      []word   // words with program text, other than bash's
	shellCode [][]word // programs for bash, each of words that spaces join
	sameShell bool     // they run in the shell of the line
	files     []word   // files of programs
	loose     []word   // words that bash may split into options
	late      []word   // words that may be an option with a program
	args      []word   // arguments of the program, from $0
	stdin     bool     // the input is a program
	remote    []word   // the command that ssh runs
	title     string
	safe      string
}

// builtinSafe are the ways to do without the builtins that run text.
var builtinSafe = map[string]string{
	"eval":  "call the command itself and pass the value to it: `deploy LABEL`; build commands as arrays: `cmd=(deploy LABEL); \"${cmd[@]}\"`",
	"trap":  "keep the value in a variable that the trap reads: `value=LABEL; trap 'echo \"$value\"' EXIT`",
	"alias": "write a function: `f() { deploy LABEL; }`",
	"env":   "pass the command to env as separate words",
	"ssh":   "quote the value for the remote shell: `ssh host \"deploy $(printf '%q' LABEL)\"`, or send it as input: `ssh host 'cat > value.txt' <<< LABEL`",
}

// readProgram finds the program of a line.
func (l *line) readProgram() {
	args := l.words[1:]
	l.title, l.safe = "`"+l.name+"`", builtinSafe[l.name]
	switch l.name {
	case "eval":
		l.shellCode, l.sameShell = [][]word{args}, true
	case "trap", "alias":
		l.sameShell = true
		for _, w := range args {
			if a := w.knownText(); !a.full || !strings.HasPrefix(a.text, "-") {
				if l.shellCode = append(l.shellCode, []word{w}); l.name == "trap" {
					break
				}
			}
		}
	case "source", ".":
		l.safe = shellInterpreter.safe
		if len(args) > 0 {
			l.addFiles(args[:1])
		}
	case "mapfile", "readarray":
		for i, w := range args[:max(0, len(args)-1)] {
			if a := w.knownText(); a.full && strings.HasPrefix(a.text, "-") && strings.HasSuffix(a.text, "C") {
				zero := word{fixedWord(w.Word, "0"), l.in}
				l.shellCode, l.sameShell = append(l.shellCode, append([]word{args[i+1], zero}, l.supplyXargs(nil, quotes)...)), true
			}
		}
	case "bind", "enable", "history", "fc", "hash":
		l.code = slices.Clip(args)
	case "compgen", "complete":
		l.sameShell = true
		for i, w := range args[:max(0, len(args)-1)] {
			if listContains("-C -W -F -P -S -A", w.knownText().text) {
				l.shellCode = append(l.shellCode, args[i+1:i+2])
			}
		}
	case "env":
		for i, w := range args {
			switch a := w.knownText(); {
			case a.full && (a.text == "-S" || a.text == "--split-string") && i+1 < len(args):
				l.code = append(l.code, args[i+1])
			case strings.HasPrefix(a.text, "--split") || strings.HasPrefix(a.text, "-S"):
				l.code = append(l.code, w)
			}
		}
	case "ssh":
		host := wrappedCommandIndex(l.words, wrapper{values: "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B"})
		l.title = "the remote shell"
		for i, w := range l.words[1:min(host+1, len(l.words))] {
			a := w.knownText()
			if !a.full && (a.text == "" || strings.HasPrefix(a.text, "-o")) || l.words[i].knownText().text == "-o" {
				l.late = append(l.late, w) // ssh takes a command for its proxy
			}
		}
		if host+1 < len(l.words) {
			l.remote = l.words[host+1:]
			l.shellCode = [][]word{l.remote}
		} else {
			l.stdin = true
		}
	}
	if l.interpreter != nil {
		l.readInterpreter(l.interpreter)
	}
}

// readInterpreter finds the program of an interpreter's command line.
func (l *line) readInterpreter(in *interpreter) {
	l.safe = in.safe
	var code, operands []word
	shellCode, shellStdin, options, named := false, false, true, false
	for i := 1; i < len(l.words); i++ {
		w := l.words[i]
		a := w.knownText()
		next := func() []word {
			if i++; i < len(l.words) {
				return l.words[i : i+1]
			}
			return nil
		}
		if options && mayBeSeveral(w.Word) {
			l.loose = append(l.loose, w) // it may become any option
		}
		switch {
		case l.name == "parallel" && strings.HasPrefix(a.text, ":::"):
			i = len(l.words)
		case !options || !strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "+") && !listContains(in.code, a.text) || a.text == "-":
			if !a.full && a.text == "" && in.shell && len(operands) == 0 && l.shellCodeFollows(i) {
				continue // options from a variable
			}
			operands = append(operands, w)
			if in.late && options && !a.full && a.text == "" && len(operands)+len(code) > 1 {
				l.late = append(l.late, w)
			}
			options = options && in != shellInterpreter && (!in.script || in.late && len(code) > 0)
		case a.full && a.text == "--":
			options = false
		case in == shellInterpreter && a.text == "-s":
			shellStdin = true
		case in == shellInterpreter && isShellCode(a.text):
			shellCode = true
		case a.full && listContains(in.pairs, a.text):
			next()
			next()
		case a.full && listContains(in.values, a.text):
			next()
		case a.full && listContains(in.file, a.text):
			named = true
			l.addFiles(next())
		case listContains(in.code, "-mtimeit") && a.full && strings.HasPrefix(a.text, "-m"):
			if a.text == "-m" {
				if module := next(); len(module) == 0 || module[0].knownText().text != "timeit" {
					return
				}
			} else if a.text != "-mtimeit" {
				return
			}
			code = append(code, l.words[min(i+1, len(l.words)):]...)
			i = len(l.words)
		case in.takesCode(a.text):
			if named = true; in.hasAttachedValue(a) {
				code = append(code, w)
			} else {
				code = append(code, next()...)
			}
		}
	}
	switch {
	case shellStdin:
		l.stdin, l.args = true, append([]word{l.words[0]}, operands...)
	case shellCode:
		if len(operands) > 0 {
			code = append(code, operands[0])
			l.args = operands[1:]
		}
	case in.from > 0 && (!named || in.from > 1) && len(operands) >= in.from:
		to := len(operands)
		if in.to > 0 {
			to = min(to, in.to)
		}
		code = append(code, operands[in.from-1:to]...)
	case in.script && !named && len(code) == 0 && len(operands) > 0 && !isInputName(operands[0].knownText().text):
		l.addFiles(operands[:1])
		l.args = operands[1:]
	default:
		l.args = operands
		if in.stdin && !named && len(code) == 0 {
			l.stdin = true
			l.addFiles(operands[:min(1, len(operands))])
		}
	}
	switch {
	case !in.shell:
		l.code = code
	case in.from > 0:
		l.shellCode = [][]word{code}
	default:
		for _, w := range code {
			l.shellCode = append(l.shellCode, []word{w})
		}
	}
	if in == shellInterpreter && l.stdin {
		for _, p := range l.inputs {
			if w, ok := p.node.(*syntax.Word); ok {
				l.shellCode = append(l.shellCode, []word{{w, p.in}})
			}
		}
	}
}

// addFiles adds the files of a program, one of which may be the input, or a descriptor.
func (l *line) addFiles(files []word) {
	for _, w := range files {
		text := w.knownText().text
		if strings.Contains(text, "/fd/") {
			l.inputs = append(slices.Clip(l.inputs), l.in.flow.numbered...)
		}
		if isInputName(text) {
			l.stdin = true
		} else if l.interpreter == nil || l.interpreter.script || l.interpreter.file != "" {
			l.files = append(l.files, w)
		}
	}
}

func (l *line) shellCodeFollows(from int) bool {
	return slices.ContainsFunc(l.words[from+1:], func(w word) bool {
		a := w.knownText()
		return a.full && isShellCode(a.text) && len(a.text) <= 4
	})
}

// isShellCode reports whether an option of a shell is -c or has it in a cluster.
func isShellCode(option string) bool {
	return len(option) > 1 && option[0] == '-' && option[1] != '-' && strings.Contains(option, "c")
}

// maxCluster is the length of the longest cluster of short options to check.
const maxCluster = 5

// takesCode reports whether an option's text is or begins with one that takes
// program text.
func (in *interpreter) takesCode(text string) bool {
	if in == shellInterpreter {
		return isShellCode(text)
	}
	return slices.ContainsFunc(strings.Fields(in.code), func(o string) bool {
		switch {
		case text == o, strings.HasPrefix(text, o+"="), o == "+" && strings.HasPrefix(text, o):
			return true
		case strings.HasPrefix(o, "--") && strings.HasPrefix(text, "--"):
			name, _, _ := strings.Cut(text, "=") // may be shortened
			return len(name) > 4 && strings.HasPrefix(o, name)
		case len(o) != 2 || strings.HasPrefix(text, "--") || o[0] != '-':
			return false
		case strings.HasPrefix(text, o):
			return true
		}
		return len(text) > 2 && len(text) <= maxCluster && text[0] == '-' && strings.Contains(text[1:], o[1:])
	})
}

// hasAttachedValue reports whether the option's value is in the same word.
func (in *interpreter) hasAttachedValue(a arg) bool {
	if strings.HasPrefix(a.text, "--") {
		return strings.Contains(a.text, "=")
	}
	if listContains(in.code, a.text) && a.full {
		return false
	}
	// A cluster that ends in the option takes the next word.
	return !a.full || !slices.ContainsFunc(strings.Fields(in.code), func(o string) bool { return len(o) == 2 && strings.HasSuffix(a.text, o[1:]) })
}
