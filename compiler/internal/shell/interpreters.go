package shell

import (
	"maps"
	"regexp"
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
	// prelude are the options whose value is program text, and loads those whose value is a
	// file or a module, that run besides the program: the line names that as without them.
	// A name with = at its end has a value only in the same word.
	prelude, loads string
	// values are the options with one other value, pairs those with two.
	values, pairs string
	// from is the number of the first operand that is program text when no option has
	// any, counted from 1; to is the last one, or 0 for all that follow.
	from, to int
	// script says that the first operand is the file of a program, stdin that the input
	// is a program when nothing else names one.
	script, stdin bool
	// late says that it reads options also among the operands behind its program, ends are
	// the options behind which it doesn't.
	late bool
	ends string
	// posix says that the first operand ends the options.
	posix bool
	// whole says that a dash begins a whole name: no option is in a cluster.
	whole bool
	// expands says that it runs what is in operands: make expands any with =.
	expands bool
	// shell says that the program is bash, or similar.
	shell bool
	// safe is how to pass a value as data; LABEL represents the value.
	safe string
}

const asArgument = "pass the value as an argument of a fixed program"

var shellInterpreter = &interpreter{
	values: "-o +o -O +O", loads: "--rcfile --init-file", script: true, stdin: true, shell: true, posix: true,
	safe: "pass the value as an argument: `bash -c '… \"$1\" …' _ LABEL`",
}

// interpreters are the programs known to run text, by their names.
var interpreters = byName(map[string]*interpreter{
	"bash sh dash zsh ksh mksh ash fish rbash": shellInterpreter,
	"flock":             {code: "-c --command", values: "-w -E --timeout --conflict-exit-code", shell: true, safe: shellInterpreter.safe},
	"su runuser script": {code: "-c --command --session-command", values: "-u -g -G -s -w -I -O -B -T -E -m -o --user --group --shell", shell: true, late: true, safe: shellInterpreter.safe},
	"python python2 pypy": {code: "-c -mtimeit", loads: "-m", values: "-W -X", script: true, stdin: true,
		safe: "pass the value as an argument: `python3 -c 'import sys; value = sys.argv[1]' LABEL`"},
	"node nodejs deno tsx ts-node": {code: "-e --eval -p --print -pe eval", loads: "-r --require --import --loader --experimental-loader --test-reporter=", values: "-C --conditions --env-file", script: true, stdin: true, late: true,
		safe: "pass the value as an argument: `node -e 'const value = process.argv[1]' -- LABEL`"},
	"bun": {code: "-e --eval -p --print", loads: "-r --preload --require --import", values: "--filter -F --cwd", script: true, late: true,
		safe: "pass the value as an argument: `bun -e 'const value = process.argv[1]' -- LABEL`"},
	"perl": {code: "-e -E", prelude: "-M -m", values: "-I", script: true, stdin: true, late: true,
		safe: "pass the value as an argument: `perl -e 'my $value = shift' -- LABEL`"},
	"ruby": {code: "-e", loads: "-r", values: "-I", script: true, stdin: true, late: true,
		safe: "pass the value as an argument: `ruby -e 'value = ARGV[0]' -- LABEL`"},
	"php": {code: "-r -B -R -E --run", file: "-f -F --file --process-file", prelude: "-d --define", loads: "-c -z --php-ini --zend-extension", values: "-S -t", script: true, stdin: true, late: true,
		safe: "pass the value as an argument: `php -r '$value = $argv[1];' -- LABEL`"},
	"lua luajit":          {prelude: "-e", loads: "-l", script: true, stdin: true, safe: asArgument},
	"Rscript julia swift": {code: "-e -E --eval", loads: "-L --load", values: "-l", script: true, stdin: true, safe: asArgument},
	"osascript":           {code: "-e", script: true, stdin: true, safe: "pass the value as an argument: `osascript -e 'on run argv' -e '…' -e 'end run' LABEL`"},
	"pwsh powershell":     {code: "-c -Command -command", file: "-File -f", script: true, stdin: true, safe: asArgument},
	"tclsh expect":        {code: "-c", file: "-f", script: true, stdin: true, safe: asArgument},
	"awk gawk mawk nawk": {code: "-e --source", from: 1, to: 1, file: "-f --file -E --exec", loads: "-i -l --include --load", values: "-v -F --assign --field-separator", late: true, posix: true,
		safe: "pass the value in the environment: `value=LABEL awk '{ print ENVIRON[\"value\"] }'`"},
	"sed gsed": {code: "-e --expression", from: 1, to: 1, file: "-f --file", values: "-l", late: true,
		safe: "replace in bash with `${text//old/LABEL}`, or with awk and ENVIRON: sed takes no data"},
	"jq gojq jaq": {from: 1, to: 1, file: "-f --from-file", values: "--indent -L", pairs: "--arg --argjson --slurpfile --rawfile",
		safe: "pass the value as a variable: `jq --arg value LABEL '… $value …'`"},
	"yq": {code: "--expression", from: 1, to: 1, file: "--from-file", values: "-o -p -I", pairs: "--arg --argjson",
		safe: "pass the value in the environment: `value=LABEL yq '… strenv(value) …'`"},
	"sqlite3 sqlite duckdb": {code: "-cmd --cmd -c -s", loads: "-init --init", from: 2, values: "-separator -newline -nullvalue --separator --newline --nullvalue", stdin: true,
		safe: "write the value to a file, `printf '%s' LABEL > value.txt`, and read it in SQL: `CAST(readfile('value.txt') AS TEXT)`"},
	"psql": {code: "-c --command", file: "-f --file", values: "-v -d -h -U -p -o -F -P -L -R -T --set --variable --dbname --host --username --port --output --pset --log-file", stdin: true, late: true,
		safe: "pass the value as a variable: `psql -v value=LABEL <<< \"SELECT :'value'\"`"},
	"mysql mariadb": {code: "-e --execute", prelude: "--init-command --pager=", loads: "--defaults-file --defaults-extra-file", values: "-u -h -P -D -S --user --host --port --database --socket", stdin: true, late: true,
		safe: "use a program that binds parameters, and pass the value to it as an argument"},
	"vim vi nvim ex view": {code: "-c --cmd +", file: "-S -u", values: "-T -i -w -W -t", stdin: true, late: true, safe: "edit with awk, and pass the value in the environment"},
	"gdb":                 {code: "-ex -iex --eval-command -eval-command", file: "-x -ix --command -command", values: "-p -c -d -s -e -cd -pid -core --pid --core", stdin: true, late: true, ends: "--args -args", whole: true, safe: asArgument},
	"dc":                  {code: "-e --expression", file: "-f --file", stdin: true, late: true, safe: "calculate in bash: `$(( LABEL + 1 ))`"},
	"make gmake":          {prelude: "-E --eval", file: "-f --file --makefile", values: "-C -I -o -W --directory --include-dir", late: true, expands: true, safe: "pass the value in a file that a recipe reads"},
	"ed red":              {stdin: true, safe: asArgument},
	"at batch":            {loads: "-f", values: "-q -t", stdin: true, late: true, safe: asArgument},
	"m4":                  {prelude: "-D --define", file: "-R --reload-state", stdin: true, late: true, safe: asArgument},
	"watch":               {values: "-n --interval", from: 1, shell: true, safe: "pass the value as data: loop in bash"},
	"parallel":            {values: "-j --jobs -N -n -a --colsep -S --results --joblog -d", from: 1, shell: true, safe: "pass the value as data: `parallel deploy ::: LABEL`, or loop in bash"},
})

// gitValues are git's own options with a value.
const gitValues = "-C -c --git-dir --work-tree --namespace"

// gitPrograms are the commands of git with options whose value a shell runs.
var gitPrograms = byName(map[string]*interpreter{
	"rebase":                            gitProgram("-x --exec"),
	"difftool":                          gitProgram("-x --extcmd"),
	"grep":                              gitProgram("-O= --open-files-in-pager="),
	"filter-branch":                     gitProgram("--setup --env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter"),
	"clone":                             gitProgram("-u --upload-pack"),
	"fetch pull ls-remote push archive": gitProgram("--upload-pack --receive-pack --exec"),
	"send-email":                        gitProgram("--sendmail-cmd --to-cmd --cc-cmd --header-cmd"),
})

func gitProgram(code string) *interpreter {
	return &interpreter{code: code, values: gitValues, shell: true, safe: "pass the value in the environment: `value=LABEL git … 'deploy \"$value\"'`"}
}

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
	case "ed", "red":
		for _, w := range args {
			if !w.knownText().full && w.knownText().text == "" {
				l.code = append(l.code, w) // a name that begins with ! is a command
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
	if l.name == "git" && l.interpreter == nil {
		if at := wrappedCommandIndex(l.words, wrapper{values: gitValues}); at < len(l.words) {
			l.interpreter = gitPrograms[l.words[at].knownText().text]
		}
	}
	if l.interpreter != nil {
		l.readInterpreter(l.interpreter)
	}
}

// readInterpreter finds the program of an interpreter's command line.
func (l *line) readInterpreter(in *interpreter) {
	l.safe = in.safe
	var code, prelude, operands, supplied []word
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
		value := func(list string) []word {
			if in.hasAttachedValue(list, a) {
				return []word{w.after(valueIndex(list, a.text))}
			}
			return next()
		}
		if options && mayBeSeveral(w.Word) {
			l.loose = append(l.loose, w) // it may become any option
		}
		if options && !a.full && (in.late && a.text == "" || (in.shell || in.code+in.prelude != "") && (a.text == "-" || a.text == "--")) {
			l.late = append(l.late, w)
		}
		switch {
		case l.name == "parallel" && strings.HasPrefix(a.text, ":::"):
			supplied = l.words[i+1:]
			i = len(l.words)
		case !options || !strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "+") && !listContains(in.code, a.text) || a.text == "-":
			if !a.full && a.text == "" && in.shell && len(operands) == 0 && l.shellCodeFollows(i) {
				l.files = append(l.files, w)
				continue // options from a variable
			}
			if operands = append(operands, w); in.expands && !a.full {
				prelude = append(prelude, w)
			}
			options = options && !in.posix && (!in.script || in.late && len(code) > 0)
		case a.full && (a.text == "--" || listContains(in.ends, a.text)):
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
		case in.attachesValue(a.text):
		case in.takes(in.file, a.text):
			named = true
			l.addFiles(value(in.file))
		case in.takes(in.prelude, a.text):
			prelude = append(prelude, value(in.prelude)...)
		case in.takes(in.loads, a.text) && !listContains(in.code, "-mtimeit"):
			l.files = append(l.files, value(in.loads)...)
		case len(code) == 0 && in.takes(in.loads, a.text): // a module, which gets the rest
			module := value(in.loads)
			if len(module) == 0 || module[0].knownText() != (arg{"timeit", true}) {
				if len(module) > 0 && module[0].knownText().text == "" {
					l.files = append(l.files, module...)
				}
				return
			}
			code = append(code, l.words[min(i+1, len(l.words)):]...)
			i = len(l.words)
		case in.takesCode(a.text):
			named = true
			code = append(code, value(in.code)...)
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
	if l.name == "psql" {
		prelude = append(prelude, l.unquotedVariables(code)...)
	}
	switch {
	case !in.shell:
		l.code = slices.Concat(l.code, code, prelude)
	case l.name == "parallel":
		l.shellCode = [][]word{l.supplyParallel(code, supplied)}
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

// unquotedVariables returns the words that give psql a variable of which its program has the
// plain text: `:x`, and not `:'x'`.
func (l *line) unquotedVariables(code []word) (found []word) {
	texts := slices.Clone(l.inputs)
	for _, w := range code {
		texts = append(texts, w.asPiece())
	}
	for _, w := range l.words[1:] {
		setting, _, ok := strings.Cut(w.knownText().text, "=")
		if setting == "--set" || setting == "--variable" {
			setting, _, ok = strings.Cut(w.knownText().text[len(setting)+1:], "=")
		}
		plain := regexp.MustCompile(`(^|[^:]):` + regexp.QuoteMeta(strings.TrimPrefix(setting, "-v")) + `\b`)
		if ok && slices.ContainsFunc(texts, func(p piece) bool {
			if p.in == nil {
				return false
			}
			start, end := nodeOffsets(p.node)
			return plain.MatchString(p.in.masked[start:end])
		}) {
			found = append(found, w)
		}
	}
	return found
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
	return in.takes(in.code, text)
}

// attachesValue reports whether a text is a short option with a value that isn't code.
func (in *interpreter) attachesValue(text string) bool {
	name, _, _ := strings.Cut(text, "=")
	return !in.whole && in != shellInterpreter && len(text) > 2 && listContains(in.values, text[:2]) && !listContains(in.code, name)
}

// takes reports whether an option's text is or begins with one of a list.
func (in *interpreter) takes(list, text string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(o string) bool {
		o, attached := strings.CutSuffix(o, "=")
		switch {
		case text == o, strings.HasPrefix(text, o+"="), o == "+" && strings.HasPrefix(text, o):
			return true
		case strings.HasPrefix(o, "--") && strings.HasPrefix(text, "--"):
			name, _, _ := strings.Cut(text, "=") // may be shortened
			return len(name) > 2 && strings.HasPrefix(o, name) && (!attached || name != text)
		case len(o) != 2 || strings.HasPrefix(text, "--") || o[0] != '-':
			return false
		case strings.HasPrefix(text, o):
			return true
		}
		return !in.whole && len(text) > 2 && len(text) <= maxCluster && text[0] == '-' && strings.Contains(text[1:], o[1:])
	})
}

// hasAttachedValue reports whether the value of an option of a list is in the same word.
func (in *interpreter) hasAttachedValue(list string, a arg) bool {
	if strings.HasPrefix(a.text, "--") {
		return strings.Contains(a.text, "=") || listContains(list, a.text+"=")
	}
	if listContains(list, a.text) && a.full {
		return false
	}
	// A cluster that ends in the option takes the next word.
	return !a.full || !slices.ContainsFunc(strings.Fields(list), func(o string) bool { return len(o) == 2 && strings.HasSuffix(a.text, o[1:]) })
}

// valueIndex returns where the value begins in the text of an option of a list.
func valueIndex(list, text string) int {
	for _, o := range strings.Fields(list) {
		o = strings.TrimSuffix(o, "=")
		if at := strings.IndexByte(text, o[len(o)-1]); len(o) <= 2 && at >= 0 && !strings.HasPrefix(text, "--") {
			return at + 1
		}
	}
	return strings.IndexByte(text, '=') + 1
}

// after returns a word without the first n bytes, if they are plain.
func (w word) after(n int) word {
	first, ok := w.Parts[0].(*syntax.Lit)
	if !ok || len(first.Value) < n || len(w.Parts) == 1 && len(first.Value) == n || strings.Contains(first.Value[:n], `\`) {
		return w
	}
	parts := w.Parts[1:]
	if len(first.Value) > n {
		at := first.ValuePos
		rest := &syntax.Lit{ValuePos: syntax.NewPos(at.Offset()+uint(n), at.Line(), at.Col()+uint(n)), ValueEnd: first.ValueEnd, Value: first.Value[n:]}
		parts = slices.Insert(slices.Clone(parts), 0, syntax.WordPart(rest))
	}
	return word{&syntax.Word{Parts: parts}, w.in}
}
