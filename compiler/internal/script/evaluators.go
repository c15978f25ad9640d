package script

import "strings"

// A role is how a function of the language treats its arguments.
type role int

const (
	// roleNone only leads to others, or is safe.
	roleNone role = iota
	// roleCode runs an argument as a program of the language, or rebuilds objects from it by
	// running code.
	roleCode
	// roleModule loads the module that an argument names.
	roleModule
	// roleShell passes a command to a shell.
	roleShell
	// roleProcess starts a program from a list of arguments.
	roleProcess
	// roleTemplate is Bun's `$`.
	roleTemplate
	// roleLoader is code, unless it gets a safe loader.
	roleLoader
	// roleLookup returns an attribute of its first argument, which its second one names.
	roleLookup
	// roleVariable returns an environment variable.
	roleVariable
	// roleQuote makes one word for a shell of its argument.
	roleQuote
)

// An evaluator is a function of the language, or of its library, by its qualified name.
type evaluator struct {
	role role
	// from and to are the arguments that it evaluates; to is 0 for all behind from.
	from, to int
	// keywords are the keyword arguments that it evaluates.
	keywords []string
}

// evaluators is the table of functions whose argument is code, a command or a program by
// their definition.
var evaluators = map[Language]map[string]evaluator{
	Python: mergeTables(
		evaluatorTable(evaluator{roleCode, 0, 1, []string{"source", "object", "code", "cmd", "s", "data", "file"}},
			"eval exec compile execfile runpy.run_path runpy.run_module code.interact code.InteractiveConsole().push code.InteractiveConsole().runsource code.InteractiveConsole().runcode "+
				"code.InteractiveInterpreter().runsource code.InteractiveInterpreter().runcode codeop.compile_command cProfile.run cProfile.runctx profile.run profile.runctx pdb.run pdb.runeval types.FunctionType types.CodeType webbrowser.get "+
				"pickle.loads pickle.load pickle.Unpickler _pickle.loads _pickle.load cPickle.loads cPickle.load dill.loads dill.load cloudpickle.loads cloudpickle.load "+
				"marshal.loads marshal.load shelve.open yaml.unsafe_load yaml.unsafe_load_all yaml.full_load yaml.full_load_all trace.Trace().run"),
		evaluatorTable(evaluator{roleCode, 0, 2, []string{"stmt", "setup"}}, "timeit.timeit timeit.repeat timeit.Timer"),
		evaluatorTable(evaluator{roleLoader, 0, 1, []string{"stream"}}, "yaml.load yaml.load_all"),
		evaluatorTable(evaluator{}, "yaml.SafeLoader yaml.CSafeLoader yaml.BaseLoader yaml.CBaseLoader"),
		evaluatorTable(evaluator{roleModule, 0, 1, []string{"name"}}, "__import__ importlib.import_module importlib.__import__ ctypes.CDLL"),
		evaluatorTable(evaluator{roleShell, 0, 1, []string{"cmd", "command"}},
			"os.system os.popen ctypes.CDLL().system posix.system posix.popen subprocess.getoutput subprocess.getstatusoutput asyncio.create_subprocess_shell "+
				"asyncio.subprocess.create_subprocess_shell commands.getoutput commands.getstatusoutput popen2.popen2"),
		evaluatorTable(evaluator{roleShell, 1, 2, []string{"cmd"}}, "pydoc.pipepager pydoc.tempfilepager"),
		evaluatorTable(evaluator{role: roleProcess}, "subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen pty.spawn "+
			"asyncio.create_subprocess_exec asyncio.subprocess.create_subprocess_exec os.posix_spawn os.posix_spawnp "+
			"os.execl os.execle os.execlp os.execlpe os.execv os.execve os.execvp os.execvpe "+
			"os.spawnl os.spawnle os.spawnlp os.spawnlpe os.spawnv os.spawnve os.spawnvp os.spawnvpe"),
		evaluatorTable(evaluator{role: roleLookup}, "getattr"),
		evaluatorTable(evaluator{role: roleVariable}, "os.getenv"),
		evaluatorTable(evaluator{role: roleQuote}, "shlex.quote shlex.join pipes.quote"),
		evaluatorTable(evaluator{}, "os.environ sys.executable builtins __builtins__ sys.modules"),
	),
	JavaScript: mergeTables(
		evaluatorTable(evaluator{role: roleCode}, "Function GeneratorFunction AsyncFunction ShadowRealm importScripts vm.compileFunction"),
		evaluatorTable(evaluator{roleCode, 0, 1, nil}, "eval setTimeout setInterval setImmediate Worker SharedWorker worker_threads.Worker timers.setTimeout timers.setInterval timers.setImmediate "+
			"vm.runInContext vm.runInNewContext vm.runInThisContext vm.Script vm.SourceTextModule process.binding"),
		evaluatorTable(evaluator{roleModule, 0, 1, nil}, "require import module.require import.meta.require process.getBuiltinModule process.mainModule.require module.createRequire child_process.fork"),
		evaluatorTable(evaluator{roleShell, 0, 1, nil}, "child_process.exec child_process.execSync"),
		evaluatorTable(evaluator{role: roleProcess}, "child_process.spawn child_process.spawnSync child_process.execFile child_process.execFileSync Bun.spawn Bun.spawnSync"),
		evaluatorTable(evaluator{role: roleTemplate}, "Bun.$"),
		evaluatorTable(evaluator{role: roleLookup}, "Reflect.get Object.getOwnPropertyDescriptor"),
		evaluatorTable(evaluator{}, "process.env Bun.env import.meta.env process.execPath globalThis global window self"),
	),
}

// evaluatorTable returns a table in which functions are treated alike.
func evaluatorTable(e evaluator, functions string) map[string]evaluator {
	table := map[string]evaluator{}
	for _, f := range strings.Fields(functions) {
		table[f] = e
	}
	return table
}

func mergeTables(tables ...map[string]evaluator) map[string]evaluator {
	all := map[string]evaluator{}
	for _, table := range tables {
		for name, e := range table {
			all[name] = e
			for at := range name { // the modules and objects that lead to it
				if _, ok := all[name[:at]]; (name[at] == '.' || name[at] == '(') && !ok {
					all[name[:at]] = evaluator{}
				}
			}
		}
	}
	return all
}

// scopes are the objects that contain all global names, or all modules.
var scopes = map[Language][]string{
	Python:     {"builtins.", "__builtins__.", "sys.modules.", "globals.", "locals.", "vars."},
	JavaScript: {"globalThis.", "global.", "window.", "self.", "process.global."},
}

// reflection are attributes by which any function can be reached, with the names in the
// table that they may be.
var reflection = map[Language]map[string]string{
	Python:     {"__globals__": "globals", "__builtins__": "builtins", "__self__": "builtins", "f_globals": "globals", "f_builtins": "builtins"},
	JavaScript: {"constructor": "Function"},
}

// environments are the qualified names of the environment.
var environments = []string{"os.environ", "process.env", "Bun.env", "import.meta.env"}

// interpreters of the language itself, by the qualified names of their paths.
var ownInterpreters = map[string]string{"sys.executable": "python3", "process.execPath": "bun"}

// lookUp returns what the table has about a qualified name.
func lookUp(lang Language, name string) evaluator {
	return evaluators[lang][name]
}

// evaluatesArgument reports whether a function runs an argument.
func (r role) evaluatesArgument() bool { return r >= roleCode && r <= roleLoader }

func isEvaluator(lang Language, name string) bool { return lookUp(lang, name).role.evaluatesArgument() }

// knownQualifiedName returns a qualified name as the table has it, if it does.
func (t *taint) knownQualifiedName(name string) []string {
	for again := true; again; {
		again = false
		for _, prefix := range scopes[t.p.lang] {
			if rest, ok := strings.CutPrefix(name, prefix); ok {
				name, again = rest, true
			}
		}
	}
	if rest, ok := strings.CutPrefix(name, "bun"); ok && (rest == "" || rest[0] == '.') {
		name = "Bun" + rest
	}
	name = strings.Replace(name, ".default", "", 1)
	if _, ok := evaluators[t.p.lang][name]; !ok {
		return nil
	}
	return []string{name}
}

// started begins the name of a running program; the token of its call follows.
const started = "started@"

// feeders are attributes that pass text to a running program.
var feeders = []string{"stdin", "communicate", "write", "end", "writelines"}

// measures are attributes for amounts and kinds, which never contain text.
var measures = []string{"length", "size", "returncode", "exitCode", "byteLength"}

// descriptions are attributes of a function that are plain data.
var descriptions = []string{"name", "__name__", "__doc__", "__qualname__", "__module__"}

// accessors are methods of containers; what is in them is their result.
var accessors = []string{"get", "items", "values", "pop", "then", "map", "forEach", "at", "entries", "setdefault", "append", "push", "set", "add"}

// callers are attributes of a function that call it or make a function of it.
var callers = []string{"call", "apply", "bind", "__call__"}

// mutators are methods that put their arguments into their object, also where their result
// is used.
var mutators = []string{"push", "append", "add", "set", "update", "extend", "insert", "unshift", "splice", "setdefault", "put"}

// cleaners are functions and methods whose result contains nothing of an argument's text.
var cleaners = []string{
	"len", "int", "float", "bool", "abs", "round", "ord", "hash", "id", "isinstance", "issubclass", "hasattr", "callable", "any", "all", "range",
	"Number", "parseInt", "parseFloat", "Boolean", "isNaN", "isArray", "isInteger", "hasOwn", "BigInt",
	"startswith", "endswith", "count", "find", "rfind", "index", "isdigit", "isalpha", "isalnum", "isnumeric", "isidentifier", "exists", "is_file", "is_dir", "isfile", "isdir",
	"startsWith", "endsWith", "includes", "indexOf", "lastIndexOf", "test", "some", "every", "charCodeAt", "codePointAt", "has", "hasOwnProperty", "localeCompare", "existsSync",
	"hexdigest", "digest", "getTime", "findIndex", "searchIndex",
}

// makersOfText are functions and methods whose result is text, and no object.
var makersOfText = []string{
	"toString", "String", "trim", "join", "toFixed", "slice", "toLowerCase", "toUpperCase", "replace", "replaceAll", "padStart", "padEnd", "substring", "split", "text",
	"trimEnd", "trimStart", "charAt", "concat", "repeat", "normalize", "encodeURIComponent", "stringify",
}
