package script

import "slices"

const (
	pyEvalHelp  = "keep the value apart from the code: `json.loads(LABEL)` reads data"
	pyShellHelp = "run the program without a shell: `subprocess.run(['program', LABEL])`"
)

// pyProcesses are the functions of subprocess that take a command.
var pyProcesses = []string{"run", "call", "check_call", "check_output", "Popen"}

// pythonCall adds the sinks of a call.
func (p *program) pythonCall(name []string, runner string, open int, args [][2]int, add func(string, string, ...[2]int)) {
	last, module := name[0], ""
	if len(name) > 1 {
		module = name[1]
	}
	first := args[0]
	for _, a := range args {
		if p.is(a[0], "args", "cmd", "source", "code") && p.is(p.after(a[0]), "=") {
			first = a
		}
	}
	switch {
	case slices.Contains([]string{"eval", "exec", "compile"}, last) && (module == "" || module == "builtins"):
		add(runner, pyEvalHelp, first)
	case last == "system" && (module == "os" || module == ""), last == "popen" && (module == "os" || module == ""),
		last == "getoutput", last == "getstatusoutput", last == "create_subprocess_shell", last == "subprocess_shell":
		add("the shell of "+runner, pyShellHelp, first)
	case slices.Contains(pyProcesses, last) && p.option(open, "shell"):
		add("the shell of "+runner, "leave `shell=True` out and give a list: `subprocess.run(['program', LABEL])`", first)
	case last == "__import__", last == "import_module":
		add(runner, "name the module in the script; choose among fixed modules by an `if`", first)
	}
}
