package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/internal/shared/databaseurl"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/envvar"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/serving"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// app has the commands of one call of the command line.
type app struct{ *call }

// call is one call of the command line, with what all its commands need.
type call struct {
	program Program
	streams Streams
	// backend is the engine of the program.
	backend backend
	caller
	// argv are the arguments of the command line.
	argv []string
	// leaves says that the process ends with the command. Then the store is not
	// closed: everything in it is durable, and closing it costs a program of one
	// small step a fifth of its time.
	leaves bool
	// adopts says that the process may become the parent of what its children leave
	// behind, so that it is known to be the run's. It is a property of the whole
	// process, so only a program that is nothing but this command line sets it.
	adopts bool

	// gateToken is the gate token in the file that the environment names, or "", and
	// shownToken the one that this process made and has shown at the terminal.
	gateToken, shownToken string
	// gateTokenFault says why that file cannot be used.
	gateTokenFault error
	// actsFor is the person for whom a server starts this process, or nil.
	actsFor *actions.Actor

	stateFlag string
	json      bool

	nodes nodeIndex
}

// shown shows the runs of one of the program's workflows.
type shown struct {
	*call
	def *flow.Definition
	// other says that def is not the run's workflow, and keys are those of the run's steps, if
	// they are known.
	other bool
	keys  stepkey.Keys
	// gates is the mode of the run's gates or, if no run is known, of those of the program.
	gates string
}

// runDisplay returns what shows the runs of a workflow. The program may lack the workflow of a run
// that another build started; then it's the program's own.
func (c *call) runDisplay(workflow string) *shown {
	for _, def := range flow.Reachable(c.program.Definition) {
		if def.Name == workflow {
			return &shown{call: c, def: def, gates: string(c.program.Defaults.Gates.Mode)}
		}
	}
	v := c.showOwn()
	v.other = true
	return v
}

// showRun is runDisplay for a run with its steps. So a node has one name in all programs.
func (s *session) showRun(r *local.RunStatus) *shown {
	v := s.runDisplay(r.Workflow)
	v.keys = stepkey.KeysOf(r.Steps)
	if len(r.Settings) > 0 {
		terms := actions.TermsOf(r.Settings, "")
		v.gates = terms.Gates
	}
	return v
}

// showOwn returns what shows the runs of the program's own workflow.
func (c *call) showOwn() *shown {
	return &shown{call: c, def: c.program.Definition, gates: string(c.program.Defaults.Gates.Mode)}
}

// A nodeIndex finds the nodes of definitions. It is safe for concurrent use, because a
// service answers several clients at once.
type nodeIndex struct {
	mu    sync.Mutex
	known map[*flow.Definition]stepkey.Nodes
}

// nodesOf returns the nodes of a definition.
func (x *nodeIndex) nodesOf(def *flow.Definition) stepkey.Nodes {
	x.mu.Lock()
	defer x.mu.Unlock()
	nodes, ok := x.known[def]
	if !ok {
		nodes = stepkey.NewNodes(def.Nodes)
		plain.PutEntry(&x.known, def, nodes)
	}
	return nodes
}

// A caller is how a person calls this program.
type caller struct {
	// name is the name of the program, typed the command that a user types.
	name, typed string
	// wfc says that the user types commands of wfc; file is then the workflow file or
	// name in the command, or "".
	wfc  bool
	file string
	// program is the path of wfc, or "".
	program string
	// current is the fingerprint of the workflow file as it is now, or "" if wfc did
	// not pass one; see currentVariable.
	current string
	// database is the URL of the database that the project names, as far as wfc says it.
	database string
}

// currentVariable is the environment variable by which wfc tells a program that continues a
// run the fingerprint of the workflow file as it is now, or currentInvalid if the file has
// errors. changedSettings follows the fingerprint if wfc.yaml has changed since. Package
// cmd/wfc/cli of wfc has the same names.
const (
	currentVariable = "WFC_CURRENT_FINGERPRINT"
	currentInvalid  = "invalid"
	changedSettings = " settings"
)

// whoCalls returns how this process was called, and takes the caller's variable
// out of its environment.
func whoCalls(p Program) caller {
	program := os.Getenv(state.ProgramVariable)
	database := os.Getenv(state.DatabaseVariable)
	os.Unsetenv(state.ProgramVariable)
	os.Unsetenv(state.DatabaseVariable)
	if file, ok := os.LookupEnv(state.CallerVariable); ok {
		current := os.Getenv(currentVariable)
		os.Unsetenv(state.CallerVariable)
		os.Unsetenv(currentVariable)
		return caller{name: "wfc", typed: "wfc", wfc: true, file: file, current: current, program: program, database: database}
	}
	c := caller{}
	c.name, c.typed = programNames(p)
	return c
}

// programNames returns the program's name and how it was called. One that was
// built only to be run is known by its workflow.
func programNames(p Program) (name, typed string) {
	if len(os.Args) == 0 || os.Args[0] == "" {
		return p.Definition.Name, p.Definition.Name
	}
	typed = os.Args[0]
	name = strings.TrimSuffix(typed[strings.LastIndexAny(typed, `/\`)+1:], ".exe")
	if name == "" || name == "workflow" {
		name = p.Definition.Name
	}
	return name, plain.ShellWord(typed)
}

// passOn adds to an environment what tells another build of this program how it
// is called.
func (c caller) passOn(environ []string) []string {
	if c.wfc {
		environ = append(environ, state.CallerVariable+"="+c.file, state.ProgramVariable+"="+c.program)
		if c.database != "" {
			environ = append(environ, state.DatabaseVariable+"="+c.database)
		}
		if c.current != "" {
			environ = append(environ, currentVariable+"="+c.current)
		}
	}
	return environ
}

// commandLine is the command line that a person types for a command on a run, without
// the flags that choose the state folder.
func (c caller) commandLine(verb, run string) string {
	words := []string{c.typed, verb}
	if c.wfc && c.file != "" {
		words = append(words, plain.ShellWord(c.file))
	}
	if run != "" {
		words = append(words, run)
	}
	return strings.Join(words, " ")
}

// usageLine is how a command's usage begins: with wfc, the workflow file follows the
// command.
func (c caller) usageLine(use string) string {
	if !c.wfc || c.file == "" {
		return use
	}
	verb, rest, _ := strings.Cut(use, " ")
	return strings.TrimRight(verb+" "+plain.ShellWord(c.file)+" "+rest, " ")
}

// gateTokenVariable is the variable that names a file with a token of the person's own choice.
// It reaches no process that a run starts. The token itself in a variable would be readable:
// programs of the same user can read the environment of the shell that starts a run.
const gateTokenVariable = "WFC_GATE_TOKEN_FILE"

// ownVariables are the variables with which this program, and nobody else, reaches what
// decides about its runs. Who has them can read and change runs, and answer gates. No process
// that a run starts gets them, whatever the settings say.
func (c *call) ownVariables() []string {
	names, _ := c.backend.ownVariables()
	names = append(append(names, gateTokenVariable), c.program.webhookVariables()...)
	if c.program.Telemetry != nil {
		names = append(names, serving.HeaderVariables...)
	}
	return names
}

// webhookVariables are those with the secrets of the program's webhooks. Who has one can forge
// deliveries.
func (p *Program) webhookVariables() []string {
	var names []string
	for _, t := range p.Triggers {
		if name := t.On.SecretVariable; name != "" {
			names = append(names, name)
		}
	}
	return names
}

// processEnviron is the environment of processes. Of two settings the later counts. Maskers know the
// secrets that are not in it.
func (c *call) processEnviron() []string {
	all := append(os.Environ(), c.program.Defaults.Environ...)
	others := envvar.Without(all, c.ownVariables()...)
	if c.program.Telemetry != nil {
		process.Conceal(serving.HeaderSecrets(os.Getenv))
	}
	if c.gateToken != "" {
		process.Conceal([]string{"GATE_TOKEN=" + c.gateToken})
	}
	process.Conceal(slices.DeleteFunc(process.Secrets(all, c.secretNames()), func(entry string) bool { return slices.Contains(others, entry) }))
	return others
}

// secretNames are the variables that are secrets because the program's settings
// say what is in them, whatever they are called.
func (c *call) secretNames() []string {
	_, names := c.backend.ownVariables()
	names = append(names, c.program.webhookVariables()...)
	if c.program.Telemetry != nil {
		names = append(names, serving.HeaderVariables...)
	}
	return append(names, envvar.SecretNames(c.program.Performers, c.program.Defaults.Agents)...)
}

// hiddenVariables is the part of the environment that nobody is to be shown.
func (c *call) hiddenVariables() []string {
	list := process.Secrets(append(os.Environ(), c.program.Defaults.Environ...), c.secretNames())
	if c.program.Telemetry != nil {
		list = append(list, serving.HeaderSecrets(os.Getenv)...)
	}
	for _, token := range []string{c.gateToken, c.shownToken} {
		if token != "" {
			list = append(list, "GATE_TOKEN="+token)
		}
	}
	return list
}

// maskSecrets replaces secrets in a text.
func (c *call) maskSecrets(text string) string { return process.Mask(c.hiddenVariables(), text) }

// stateFolder returns the state folder for this call.
func (c *call) stateFolder() (state.Folder, error) {
	dir, err := os.Getwd()
	if err != nil {
		return state.Folder{}, failedError(fmt.Errorf("the current folder: %w", err))
	}
	given := c.stateFlag
	if given == "" && os.Getenv("WFC_STATE") == "" {
		given = c.program.Defaults.State
	}
	f, err := state.Locate(given, dir)
	return f, failedError(err)
}

// placeNote is the end of a message about a missing run, if the run may be elsewhere: outside
// of git, each folder has its own runs.
func (c *call) placeNote() string {
	dir, err := os.Getwd()
	if err != nil || c.stateFlag != "" || os.Getenv("WFC_STATE") != "" || c.program.Defaults.State != "" || !c.backend.keepsRunsInFolder() {
		return ""
	}
	root, err := state.Root(dir)
	if err != nil {
		return ""
	}
	if _, err := os.Stat(filepath.Join(root, ".git")); err == nil {
		return ""
	}
	return fmt.Sprintf(" (these are the runs of %s: outside of git, a run belongs to the folder where it started)", dir)
}

// stateHint is the flags that make another call find the same runs, when this one was given
// them.
func (c *call) stateHint() string { return hintOf("state", c.stateFlag) + c.backend.connectionHint() }

// hintOf is a flag with its value, for another command line, or "" without a value and for the
// URL of a database with a password.
func hintOf(flag, value string) string {
	if value == "" || strings.Contains(value, "://") && shownURL(value) != value {
		return ""
	}
	return " --" + flag + " " + plain.ShellWord(value)
}

// nodeOf is the node that a step is a part of. When the workflow has no such node, because the run
// is of another one or of another build, it is the outermost step, or else the step's own key.
func (v *shown) nodeOf(key string) string {
	if n, ok := v.nodes.nodesOf(v.def).Of(key); ok && !v.other {
		return n.Key
	}
	return v.keys.Outermost(key)
}

// taskKeeper is what keeps the tasks of a state graph's runs, or nil.
func (v *shown) taskKeeper() graphstate.Keeper {
	for _, p := range v.program.Performers {
		if k, ok := p.(graphstate.Keeper); ok && v.def.Graph != nil {
			return k
		}
	}
	return nil
}

// newDeliverer is what performs the program's deliveries, or nil.
func (c *call) newDeliverer() engine.Deliverer {
	for _, p := range c.program.Performers {
		if d, ok := p.(engine.Deliverer); ok {
			return d
		}
	}
	return nil
}

// deliverTo is where the result of a run goes when its workflow does not say:
// back to the session that the run is started from, or where the project wants it.
func (c *call) deliverTo(session string) []string {
	return target.Resolve(c.program.Definition.DeliverTo, session, c.program.Defaults.DeliverTo)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// shownURL is the text of a database's URL without passwords.
func shownURL(text string) string {
	if text == "" {
		return ""
	}
	u, err := databaseurl.Parse(text)
	if err != nil {
		return "(a URL that cannot be read)"
	}
	return u.String()
}
