package script

import (
	"slices"
	"strings"
)

const (
	jsEvalHelp  = "keep the value apart from the code: `JSON.parse(LABEL)` reads data"
	jsShellHelp = "run the program without a shell: `execFileSync('program', [LABEL])`"
)

// javaScriptCall adds the sinks of a call.
func (p *program) javaScriptCall(name []string, runner string, open int, args [][2]int, shells map[string]string, add func(string, string, ...[2]int)) {
	last := name[0]
	switch {
	case last == "eval", len(name) > 1 && name[1] == "vm" && last == "Script",
		last == "runInContext", last == "runInNewContext", last == "runInThisContext", last == "compileFunction":
		add(runner, jsEvalHelp, args[0])
	case last == "Function" && len(name) == 1:
		add(runner, jsEvalHelp, args...)
	case (last == "import" || last == "require") && len(name) == 1, last == "resolve" && len(name) > 1 && name[1] == "require":
		add(runner, "name the module in the script; choose among fixed modules by an `if`", args[0])
	case p.runsShell(name, open, shells):
		add("the shell of "+runner, jsShellHelp, args[0])
	case slices.Contains([]string{"spawn", "spawnSync", "execFile", "execFileSync", "execa", "execaSync"}, last) && p.option(open, "shell"):
		end := args[0]
		if len(args) > 1 && p.is(args[1][0], "[") {
			end = args[1]
		}
		add("the shell of "+runner, "leave `shell` out: `spawnSync('program', [LABEL])`", [2]int{args[0][0], end[1]})
	}
}

// runsShell reports whether a call hands its first argument to a shell.
func (p *program) runsShell(name []string, open int, shells map[string]string) bool {
	last := name[0]
	switch {
	case last == "execSync", last == "execaCommand", last == "execaCommandSync":
		return true
	case len(name) == 1:
		return shells[last] != ""
	case last != "exec":
		return false
	case name[1] != "…":
		return shells[name[1]+".exec"] != "" || slices.Contains([]string{"child_process", "childProcess", "cp"}, name[1])
	}
	// require('child_process').exec(…)
	dot := p.before(p.before(open))
	close := p.before(dot)
	return p.is(close, ")") && p.toks[close].match > 0 && p.isProcessModule(p.toks[close].match+1)
}

func (p *program) isProcessModule(i int) bool {
	if !p.isKind(i, text) {
		return false
	}
	l := p.toks[i].lit
	return strings.TrimPrefix(p.src[l.body[0]:l.body[1]], "node:") == "child_process"
}

// shellFunctions returns the names under which a script knows functions that
// run a shell, and "X.exec" for a module that it knows as X.
func (p *program) shellFunctions() map[string]string {
	known := map[string]string{}
	if p.lang != JavaScript {
		return known
	}
	for i := range p.toks {
		if p.isProcessModule(i) {
			p.importedNames(i, known)
		}
	}
	if len(known) == 0 {
		return known
	}
	// const run = promisify(exec)
	for i := range p.toks {
		if !p.is(i, "promisify") || !p.is(i+1, "(") {
			continue
		}
		inner := p.toks[i+1].match - 1
		if inner <= i+1 || !p.is(inner, "exec") {
			continue
		}
		start := i
		if p.is(start-1, ".") {
			start -= 2
		}
		if p.is(start-1, "=") && p.isKind(start-2, word) {
			known[p.toks[start-2].text] = "exec"
		}
	}
	return known
}

// importedNames reads the import or the declaration that a module's name at a
// token belongs to.
func (p *program) importedNames(i int, known map[string]string) {
	start := i
	for start > 0 && !p.is(start, "import", "const", "let", "var", ";") {
		start--
		if p.is(start, "(") && p.is(start-1, "import") {
			start -= 2 // `import(…)` is no statement
		}
	}
	inBraces := false
	for k := start + 1; k < i && !p.is(k, "from", "="); k++ {
		switch {
		case p.is(k, "{"):
			inBraces = true
		case p.is(k, "}"):
			inBraces = false
		case p.isKind(k, word) && !inBraces:
			known[p.toks[k].text+".exec"] = "exec"
		case p.is(k, "exec"):
			if p.is(k+1, "as", ":") && p.isKind(k+2, word) {
				k += 2
			}
			known[p.toks[k].text] = "exec"
		case p.is(k, "execSync") && p.is(k+1, "as", ":") && p.isKind(k+2, word):
			known[p.toks[k+2].text] = "exec"
		}
	}
}
