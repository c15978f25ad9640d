package script

import (
	"slices"
	"strings"
)

// measures are attributes for amounts and kinds, which never hold text.
var measures = []string{"length", "size", "returncode", "exitCode", "byteLength"}

// descriptions are attributes of a runner that are plain data.
var descriptions = []string{"__name__", "__doc__", "__qualname__", "__version__", "__file__", "name", "length", "message", "__module__"}

// callers are attributes of a function that call it or make a function of it.
var callers = []string{"call", "apply", "bind", "constructor", "__call__", "__get__", "__func__", "__wrapped__"}

// readers are attributes and methods that read files, streams or replies.
var readers = []string{
	"read", "read_text", "read_bytes", "readline", "readlines", "iterdir", "glob", "rglob", "stdout", "stderr", "communicate", "recv",
	"readFileSync", "readFile", "readdir", "readdirSync", "text", "json", "bytes", "arrayBuffer", "stdin",
}

// reflection are attributes by which any function can be reached.
var reflection = map[Language][]string{
	Python: {
		"__class__", "__globals__", "__builtins__", "__subclasses__", "__bases__", "__base__", "__mro__", "mro", "__dict__", "__getattribute__",
		"__import__", "__code__", "__loader__", "__spec__", "__self__", "__closure__", "gi_frame", "cr_frame", "f_globals", "f_builtins", "f_locals", "tb_frame",
		"f_back", "func_globals", "load_module", "exec_module", "import_module", "__reduce__",
		"system", "popen", "exec_command", "create_subprocess_shell", "subprocess_shell", "getoutput", "getstatusoutput", "executescript",
		"enable_load_extension", "load_extension", "runsource", "runcode", "run_cell", "run_line_magic", "from_string", "runeval", "runctx",
		"execl", "execle", "execlp", "execlpe", "execv", "execve", "execvp", "execvpe", "posix_spawn", "posix_spawnp",
		"spawnl", "spawnle", "spawnlp", "spawnlpe", "spawnv", "spawnve", "spawnvp", "spawnvpe", "putenv", "startfile", "Popen", "check_output", "check_call", "eval_js",
	},
	JavaScript: {
		"constructor", "__proto__", "binding", "_linkedBinding", "dlopen", "_load", "_compile", "createRequire", "mainModule", "__defineGetter__", "__defineSetter__",
		"runInContext", "runInNewContext", "runInThisContext", "compileFunction", "execSync", "execFileSync", "spawnSync", "execaCommand", "execaCommandSync", "eval", "runMain", "getBuiltinModule",
	},
}

func (f *flow) isMagic(name string) bool { return slices.Contains(reflection[f.p.lang], name) }

// methodsOfText are methods of text, or those that make text.
var methodsOfText = []string{"toString", "trim", "join", "toFixed", "slice", "toLowerCase", "toUpperCase", "replace", "replaceAll", "padStart", "padEnd", "substring", "split", "text", "trimEnd", "trimStart", "charAt", "concat", "repeat", "normalize"}

// pySafe are the modules of Python that can run code, with their functions that
// cannot.
var pySafe = map[string][]string{
	"os": {
		"path", "environ", "environb", "getenv", "getenvb", "makedirs", "mkdir", "listdir", "remove", "unlink", "rename", "replace", "rmdir", "removedirs", "stat", "lstat", "walk",
		"scandir", "getcwd", "chdir", "sep", "linesep", "pathsep", "write", "read", "open", "close", "access", "utime", "chmod", "symlink", "link", "fsync", "cpu_count",
		"getpid", "getppid", "getuid", "kill", "fspath", "fsencode", "fsdecode", "truncate", "urandom", "name", "devnull", "F_OK", "R_OK", "W_OK", "X_OK", "readlink", "pipe",
		"fdopen", "dup", "dup2", "WEXITSTATUS", "waitpid", "uname", "getlogin", "get_terminal_size", "error", "umask", "P_WAIT", "P_NOWAIT", "EX_OK", "_exit", "abort", "isatty", "curdir", "getpgid", "killpg", "O_RDONLY", "O_WRONLY", "O_CREAT",
	},
	"subprocess": {"PIPE", "DEVNULL", "STDOUT", "CalledProcessError", "TimeoutExpired", "CompletedProcess", "SubprocessError", "list2cmdline"},
	"importlib":  {"metadata", "resources", "invalidate_caches"},
	"pickle":     {"dumps", "dump", "HIGHEST_PROTOCOL", "DEFAULT_PROTOCOL", "PickleError", "Pickler", "UnpicklingError", "PicklingError"},
	"marshal":    {"dumps", "dump"},
	"timeit":     {"default_timer"},
	"inspect":    {"cleandoc", "getsource", "signature", "isfunction", "isclass", "ismethod", "getdoc", "iscoroutinefunction", "isawaitable"},
	"pipes":      {"quote"},
	"jinja2":     {"StrictUndefined", "Undefined", "FileSystemLoader", "Environment", "select_autoescape", "PackageLoader", "DictLoader"},
	"pty":        nil, "ctypes": nil, "cffi": nil, "runpy": nil, "code": nil, "codeop": nil, "_pickle": nil, "cPickle": nil, "dill": nil, "cloudpickle": nil, "jsonpickle": nil,
	"shelve": nil, "cProfile": nil, "profile": nil, "trace": nil, "pdb": nil, "bdb": nil, "doctest": nil, "commands": nil, "imp": nil, "zipimport": nil, "gc": nil,
	"sh": nil, "plumbum": nil, "fabric": nil, "invoke": nil, "pexpect": nil, "mako": nil, "chameleon": nil, "pip": nil, "distutils": nil, "rlcompleter": nil, "pydoc": nil,
	"posix": nil, "nt": nil, "_posixsubprocess": nil, "popen2": nil, "tkinter": nil, "_tkinter": nil, "turtle": nil, "unittest": {"TestCase", "main"}, "site": nil, "_xxsubinterpreters": nil, "_interpreters": nil,
	"numexpr": nil, "IPython": nil, "sqlalchemy.text": nil, "js2py": nil, "RestrictedPython": nil, "asteval": nil, "simpleeval": nil, "lib2to3": nil, "xonsh": nil, "test": nil, "idlelib": nil,
}

// jsSafe are the modules of JavaScript that can run code, with their functions that
// cannot.
var jsSafe = map[string][]string{
	"child_process": nil, "vm": nil, "vm2": nil, "module": {"builtinModules", "isBuiltin"}, "worker_threads": {"isMainThread", "threadId", "workerData", "parentPort"}, "repl": nil, "inspector": nil, "cluster": nil,
	"ffi": nil, "jsc": nil, "shelljs": nil, "execa": nil, "zx": nil, "cross-spawn": nil, "node-pty": nil, "isolated-vm": nil, "serialize-javascript": nil, "node-serialize": nil,
	"ejs": nil, "pug": nil, "handlebars": nil, "nunjucks": nil, "dot": nil, "mathjs": nil, "expr-eval": nil, "jiti": nil, "ts-node": nil, "tsx": nil, "require-from-string": nil, "safe-eval": nil, "static-eval": nil,
}

// exact are functions and objects that run code, of modules and globals that do
// many other things.
var exact = map[Language][]string{
	Python: {
		"eval", "exec", "compile", "__import__", "__builtins__", "__loader__", "__spec__", "breakpoint", "execfile",
		"getattr", "globals", "locals", "vars", "builtins", "operator.attrgetter", "operator.methodcaller", "operator.call",
		"sys.modules", "sys.path.append", "sys.path.insert", "sys.path.extend", "sys.meta_path", "sys.path_hooks", "sys.settrace", "sys.setprofile", "sys._getframe", "sys._current_frames",
		"asyncio.create_subprocess_shell", "asyncio.create_subprocess_exec", "asyncio.subprocess.create_subprocess_shell", "asyncio.subprocess.create_subprocess_exec",
		"types.FunctionType", "types.CodeType", "types.LambdaType", "pkgutil.resolve_name", "pkgutil.get_loader", "pkgutil.find_loader", "pkgutil.importlib",
		"typing.get_type_hints", "typing.ForwardRef", "gettext.c2py", "logging.config.dictConfig", "logging.config.fileConfig", "logging.config.listen",
		"yaml.load", "yaml.load_all", "yaml.unsafe_load", "yaml.unsafe_load_all", "yaml.full_load", "yaml.full_load_all", "yaml.Loader", "yaml.UnsafeLoader",
		"pandas.eval", "pd.eval", "pandas.read_pickle", "pd.read_pickle", "joblib.load", "torch.load", "numpy.load", "np.load", "tornado.template.Template", "django.template.Template",
		"string.Formatter", "webbrowser.get", "webbrowser.register", "concurrent.interpreters", "http.server.CGIHTTPRequestHandler", "email.mime.audio",
		"random._os", "platform.popen", "shutil._run", "mailcap.findmatch", "multiprocessing.spawn", "linecache.os", "tempfile._os", "os.environ.__setitem__",
	},
	JavaScript: {
		"eval", "Function", "AsyncFunction", "GeneratorFunction", "AsyncGeneratorFunction", "require", "import", "importScripts", "setTimeout", "setInterval", "setImmediate", "Worker", "SharedWorker", "ShadowRealm",
		"process.binding", "process._linkedBinding", "process.dlopen", "process.mainModule", "process.getBuiltinModule", "process.execve", "module.require", "module.constructor", "require.main", "import.meta.require",
		"Bun.spawn", "Bun.spawnSync", "Bun.$", "Bun.plugin", "Bun.openInEditor", "Bun.build", "Bun.Shell", "Bun.FFI", "execSync", "Reflect.get", "Reflect.apply", "Reflect.construct", "$", "Bun.jest", "util.promisify.exec",
		"global", "globalThis", "window", "lodash.template", "_.template", "Loader.registry", "Deno.run", "Deno.Command",
	},
}

// getters are functions that look something up rather than run it.
var getters = []string{"getattr", "globals", "locals", "vars", "Reflect.get", "operator.attrgetter", "operator.methodcaller", "sys._getframe", "builtins", "__builtins__", "sys.modules", "global", "globalThis", "window", "process.getBuiltinModule"}

// importers load the module that their first argument names.
var importers = []string{"__import__", "importlib.import_module", "import_module", "require", "import", "module.require", "process.getBuiltinModule", "import.meta.require"}

// aliases are other names of modules and functions.
var aliases = map[Language]map[string]string{
	Python: {"sp": "subprocess", "system": "os.system", "popen": "os.popen", "Popen": "subprocess.Popen", "check_output": "subprocess.check_output", "check_call": "subprocess.check_call", "getoutput": "subprocess.getoutput"},
	JavaScript: {
		"cp": "child_process", "childProcess": "child_process", "execSync": "child_process.execSync", "spawn": "child_process.spawn", "spawnSync": "child_process.spawnSync",
		"execFile": "child_process.execFile", "execFileSync": "child_process.execFileSync", "fork": "child_process.fork", "execa": "execa.execa", "execaSync": "execa.execaSync", "execaCommand": "execa.execaCommand", "execaCommandSync": "execa.execaCommandSync", "$": "Bun.$",
	},
}

// prefixes are the objects that hold all global names.
var prefixes = map[Language][]string{
	Python:     {"builtins.", "__builtins__."},
	JavaScript: {"globalThis.", "global.", "window.", "self."},
}

// canonical returns a qualified name as the tables have it.
func (f *flow) canonical(name string) string {
	for _, prefix := range prefixes[f.p.lang] {
		for strings.HasPrefix(name, prefix) {
			name = name[len(prefix):]
		}
	}
	head, rest, dotted := strings.Cut(name, ".")
	switch to := aliases[f.p.lang][head]; {
	case to == "" || len(f.bound[head]) > 0 || f.named[head] != nil:
	case dotted:
		name = to + "." + rest
	default:
		name = to
	}
	if rest, ok := strings.CutPrefix(name, "bun."); ok && f.p.lang == JavaScript {
		name = "Bun." + rest
	}
	if rest, ok := strings.CutPrefix(name, "fs.promises."); ok {
		name = "fs." + rest
	}
	return strings.ReplaceAll(name, ".default.", ".")
}

// isDangerous reports whether a qualified name is a module that can run code.
func (f *flow) isDangerous(name string) bool {
	name = f.canonical(name)
	_, ok := f.modules()[name]
	return ok || f.runs(name)
}

func (f *flow) modules() map[string][]string {
	if f.p.lang == Python {
		return pySafe
	}
	return jsSafe
}

// runs reports whether a qualified name is a function that can run code, or an
// object that can give one out.
func (f *flow) runs(name string) bool {
	if ran, ok := f.running[name]; ok {
		return ran
	}
	full := f.canonical(name)
	ran := slices.Contains(exact[f.p.lang], full)
	for at := 0; at < len(full) && !ran; at++ {
		if full[at] != '.' {
			continue
		}
		safe, ok := f.modules()[full[:at]]
		if !ok {
			continue
		}
		part, _, _ := strings.Cut(full[at+1:], ".")
		ran = !slices.Contains(safe, part)
		break
	}
	f.running[name] = ran
	return ran
}

// cleaners are functions and methods whose result holds nothing of an argument's
// text.
var cleaners = []string{
	"len", "int", "float", "bool", "abs", "round", "ord", "hash", "id", "isinstance", "issubclass", "hasattr", "callable", "any", "all", "range",
	"Number", "parseInt", "parseFloat", "Boolean", "isNaN", "Number.parseInt", "Number.parseFloat", "Array.isArray", "Number.isInteger", "Object.hasOwn", "Bun.hash", "BigInt",
	"startswith", "endswith", "count", "find", "rfind", "index", "isdigit", "isalpha", "isalnum", "isnumeric", "isidentifier", "exists", "is_file", "is_dir", "isfile", "isdir",
	"startsWith", "endsWith", "includes", "indexOf", "lastIndexOf", "test", "some", "every", "charCodeAt", "codePointAt", "has", "hasOwnProperty", "localeCompare", "existsSync",
	"hexdigest", "digest", "getTime", "findIndex", "searchIndex", "poll", "wait",
}

// pure are modules and objects whose functions pass on their arguments and read
// nothing else.
var pure = map[Language][]string{
	Python: {
		"math", "datetime", "time", "re", "json", "string", "textwrap", "random", "uuid", "itertools", "collections", "functools", "os.path", "hashlib", "decimal", "fractions",
		"statistics", "copy", "pprint", "pathlib", "shlex", "urllib.parse", "html", "base64", "binascii", "operator", "dataclasses", "enum", "typing", "contextlib", "tempfile",
		"heapq", "bisect", "difflib", "unicodedata", "calendar", "zoneinfo", "platform", "logging", "warnings", "abc", "types", "numbers", "locale", "struct", "secrets",
		"sys.exit", "sys.executable", "sys.platform", "sys.version_info", "sys.stdout", "sys.stderr", "os.getcwd", "os.sep", "os.linesep", "os.getpid", "os.cpu_count", "os.fspath", "os.makedirs", "os.mkdir",
		"os.environ", "os.getenv", "shutil.which", "asyncio", "ast", "yaml.safe_load", "yaml.dump", "yaml.safe_dump", "argparse", "subprocess.PIPE", "subprocess.DEVNULL", "subprocess.STDOUT", "subprocess.list2cmdline", "concurrent.futures", "threading", "sys.maxsize", "os.name", "os.devnull",
	},
	JavaScript: {
		"Math", "JSON", "Date", "Object", "Array", "String", "Number", "Boolean", "Set", "Map", "WeakMap", "Promise", "Symbol", "RegExp", "Error", "TypeError", "BigInt", "URL", "URLSearchParams",
		"encodeURIComponent", "decodeURIComponent", "encodeURI", "decodeURI", "structuredClone", "path", "console", "Intl", "TextEncoder", "TextDecoder", "util", "assert", "crypto", "os.tmpdir", "os.homedir", "os.EOL",
		"process.cwd", "process.exit", "process.execPath", "process.platform", "process.env", "Bun.env", "import.meta", "Buffer", "Uint8Array", "atob", "btoa", "queueMicrotask", "Reflect.ownKeys", "Bun.which", "performance", "process.stdout", "process.stderr", "Bun.sleep", "process.pid", "url", "querystring", "process.hrtime", "process.exitCode",
	},
}

// pyBuiltins are built-in functions that pass on their arguments.
var pyBuiltins = []string{
	"print", "str", "repr", "list", "dict", "set", "frozenset", "tuple", "sorted", "reversed", "enumerate", "zip", "map", "filter", "min", "max", "sum", "format", "ascii", "bytes", "bytearray", "iter", "next",
	"chr", "hex", "oct", "bin", "type", "object", "slice", "divmod", "pow", "super", "property", "staticmethod", "classmethod", "Exception", "ValueError", "RuntimeError", "SystemExit", "KeyError", "TypeError", "setattr", "delattr", "memoryview", "complex", "exit", "quit", "NotImplementedError", "FileNotFoundError", "__file__", "__name__",
}

// isPure reports whether a qualified name passes on its arguments.
func (f *flow) isPure(name string) bool {
	full := f.canonical(name)
	if f.p.lang == Python && slices.Contains(pyBuiltins, full) {
		return true
	}
	for _, one := range pure[f.p.lang] {
		if full == one || strings.HasPrefix(full, one) && full[len(one)] == '.' {
			return true
		}
	}
	return false
}

// receivers take functions and values without calling the functions.
var receivers = []string{
	"print", "str", "repr", "len", "isinstance", "type", "list", "dict", "tuple", "set", "json.dumps", "console.log", "console.error", "JSON.stringify", "String", "setattr", "hasattr", "callable", "append", "push", "set", "add", "update", "logging.info", "Object.assign", "Object.freeze", "Object.entries", "Object.keys", "issubclass", "getattr", "promisify", "util.promisify", "items", "get", "dumps", "stringify", "info", "log", "error", "warning", "debug",
}

// environmentPrograms are variables that name programs, or files of code, to other
// programs.
var environmentPrograms = []string{
	"PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "BASH_ENV", "ENV", "PAGER", "EDITOR", "VISUAL", "BROWSER", "SHELL", "SHELLOPTS", "BASHOPTS", "PS4", "PS1", "PROMPT_COMMAND", "IFS",
	"PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PYTHONINSPECT", "PYTHONBREAKPOINT", "PYTHONWARNINGS", "PYTHONEXECUTABLE", "NODE_OPTIONS", "NODE_PATH", "BUN_OPTIONS", "PERL5OPT", "PERL5LIB", "PERLLIB", "PERL5DB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH", "LUA_INIT", "LUA_PATH", "PHPRC",
	"MANPAGER", "MANOPT", "LESSOPEN", "LESSCLOSE", "LESS", "LESSEDIT", "SSH_ASKPASS", "SUDO_ASKPASS", "SUDO_EDITOR", "RSYNC_RSH", "CVS_RSH", "TAR_OPTIONS", "TAPE", "MAKEFLAGS", "MAKEFILES", "MFLAGS", "GNUMAKEFLAGS", "CC", "CXX", "LD", "AR", "RUSTC_WRAPPER", "RUSTC", "CARGO_HOME", "GOFLAGS", "GCC_EXEC_PREFIX", "COMPILER_PATH", "ZDOTDIR", "HOME", "XDG_CONFIG_HOME", "GCONV_PATH", "TERMINFO", "TERMCAP", "TCLLIBPATH", "WGETRC", "CURL_HOME", "npm_config_script_shell", "NPM_CONFIG_SCRIPT_SHELL", "AWKPATH", "SYSTEMD_PAGER", "DELTA_PAGER", "BAT_PAGER", "PSQL_PAGER", "FZF_DEFAULT_COMMAND", "FZF_DEFAULT_OPTS", "HGRCPATH", "SVN_SSH", "SVN_EDITOR", "DOCKER_HOST", "KUBECONFIG", "ANSIBLE_CONFIG", "OPENSSL_CONF", "OPENSSL_ENGINES",
}

// namesProgram reports whether an environment variable names a program.
func namesProgram(variable string) bool {
	return slices.Contains(environmentPrograms, variable) || strings.HasPrefix(variable, "GIT_") && !slices.Contains([]string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE", "GIT_TERMINAL_PROMPT"}, variable) ||
		strings.HasPrefix(variable, "BASH_FUNC_") || strings.HasPrefix(variable, "LD_") || strings.HasPrefix(variable, "DYLD_")
}
