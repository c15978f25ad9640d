package gen

import (
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/wfc-lang/wfc/internal/ir"
)

// names hands out the package's identifiers, each once.
//
// The names of functions and types and those of the variables that hold tasks
// share one space, although Go would let a variable hide a function: the flow
// calls the functions from where the variables are in scope.
type names struct {
	taken map[string]bool
}

// reserved are the identifiers that generated code uses for its own ends:
// packages, predeclared names, parameters and local variables.
var reserved = strings.Fields(`
	context flow local value time strconv fmt cli os engine shell script agent store entstore postgres memory scripted command structured mcp temporal main init _
	any append bool byte cap clear close comparable complex complex64 complex128 copy delete error false float32 float64 imag int int8
	int16 int32 int64 iota len make max min new nil panic print println real recover rune string true uint uint8 uint16 uint32 uint64 uintptr
	c ctx i in opts err settings signal workflow deliverTo scriptEnv
	Inputs Outputs Workflow Run`)

func newNames(p *ir.Program, opt Options) *names {
	n := &names{taken: make(map[string]bool, 256)}
	for _, r := range slices.Concat(reserved, localNames(p)) {
		n.taken[r] = true
	}
	if opt.Cover {
		for _, r := range coverNames {
			n.taken[r] = true
		}
	}
	if opt.Engine && !opt.Main {
		for _, r := range engineNames {
			n.taken[r] = true
		}
	}
	return n
}

// The names of variables in functions of nodes. A node may have such a name if no node of
// the workflow has a function with the variable.
const (
	promptID    = "prompt"
	messageID   = "message"
	reasonID    = "reason"
	doneID      = "done"
	untilID     = "until"
	attentionID = "attention"
	iterationID = "iter"
	resultID    = "result"
)

// localNames are the names of variables in the code of a program.
func localNames(p *ir.Program) []string {
	if _, graph := p.Workflow.Body.(*ir.Graph); graph {
		return []string{promptID, messageID, "run"}
	}
	list := []string{"json", "slices", "steps", "structured", "py", "jinja", "gotext"} // packages
	if hasVerdict(p) {
		list = append(list, endID)
	}
	ir.Walk(p.Workflow.Body, func(n *ir.Node) {
		if n.Parsing == ir.Strict {
			list = append(list, "output")
		}
		for _, a := range n.AllActions() {
			switch a.(type) {
			case *ir.Prompt:
				list = append(list, promptID)
			case *ir.Cancel:
				list = append(list, reasonID)
			case *ir.Approval:
				list = append(list, messageID, reasonID)
			case *ir.Loop:
				list = append(list, messageID, doneID, iterationID)
			case *ir.Wait:
				list = append(list, untilID, attentionID)
			}
		}
	})
	if len(p.Workflow.Body.All()) > chunkSize {
		list = append(list, "t", "tasks")
	}
	return list
}

// isFree reports whether an identifier can be had.
func (n *names) isFree(name string) bool { return !n.taken[name] && !token.IsKeyword(name) }

// takeName reserves name, or name with the lowest number that makes it new.
func (n *names) takeName(name string) string {
	for i, try := 2, name; ; i++ {
		if n.isFree(try) {
			n.taken[try] = true
			return try
		}
		try = name + strconv.Itoa(i)
	}
}

// nodeNames are the identifiers that belong to one node.
type nodeNames struct {
	// Exported is the stem: also the field in Outputs.
	exported string
	// task is the variable, run and when are the functions, output is the type
	// and schema the constant.
	task, run, when, output, schema string
	// iterate and until are the functions of a loop, rework is one of an
	// approval; iterate is also that of an item of a fan-out; "" where there are none.
	iterate, until, rework string
	// spec is the variable that says how a step's output is made, makes the
	// function that makes what a person reviews; "" where there are none.
	spec, makes string
}

// nameNode returns the identifiers of a node. Numbers in the order of the calls distinguish
// ids with the same stem. If the names of its functions are taken, all of them get the node's
// kind.
func (n *names) nameNode(id string, action ir.Action) nodeNames {
	stem := exportedName(id, "Node")
	next := 2
	if n.isFree("." + stem) {
		next = 1
	}
	for i, try := next, stem; ; i++ {
		names := nodeNames{exported: try, task: unexportedName(try), run: "run" + try, when: "when" + try, output: try + "Output", schema: unexportedName(try) + "Schema"}
		if !n.isFree(names.task) && try == stem {
			names.task += "Task"
		}
		all := []string{names.exported, names.task, names.run, names.when, names.output, names.schema}
		switch action.(type) {
		case *ir.Call:
			names.iterate = "run" + try + "Item"
			all = append(all, names.iterate)
		case *ir.Loop:
			names.iterate, names.until = "iterate"+try, "until"+try
			all = append(all, names.iterate, names.until)
		case *ir.Block:
			names.iterate = "iterate" + try
			all = append(all, names.iterate)
		case *ir.Approval:
			names.rework = "rework" + try
			all = append(all, names.rework)
		}
		if n.takeAll(all...) {
			return names
		}
		if try = stem + exportedName(action.Kind(), ""); i > 1 {
			try = stem + strconv.Itoa(i)
		}
	}
}

func (n *names) takeAll(all ...string) bool {
	// The stem itself is only a field's name, so reserved words are no
	// hindrance; but two nodes must not share it.
	all[0] = "." + all[0]
	if slices.ContainsFunc(all, func(name string) bool { return !n.isFree(name) }) {
		return false
	}
	for _, name := range all {
		n.taken[name] = true
	}
	return true
}

// exportedName makes an exported identifier of any text. prefix begins those that
// could not be exported otherwise.
func exportedName(text, prefix string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		b.WriteString(capitalizeWord(word))
	}
	name := b.String()
	if !token.IsExported(name) {
		name = prefix + name
	}
	return name
}

// initialisms are the words that Go writes in capitals.
var initialisms = strings.Fields("API CPU CSS CSV DB DNS HTML HTTP HTTPS ID IP JSON MCP OK PDF PR QA RAM SDK SHA SQL SSH UI URI URL UTF8 UUID XML YAML")

// capitalizeWord makes a word begin with a capital; a word all in capitals keeps only
// that one, unless it is an initialism.
func capitalizeWord(word string) string {
	if upper := strings.ToUpper(word); slices.Contains(initialisms, upper) {
		return upper
	}
	runes := []rune(word)
	if len(runes) > 1 && word == strings.ToUpper(word) {
		runes = []rune(strings.ToLower(word))
	}
	runes[0] = unicode.ToUpper(runes[0])
	return string(runes)
}

// unexportedName makes the first letter small, and all of an initialism.
func unexportedName(name string) string {
	for _, word := range initialisms {
		if rest, ok := strings.CutPrefix(name, word); ok && (rest == "" || unicode.IsUpper([]rune(rest)[0])) {
			return strings.ToLower(word) + rest
		}
	}
	runes := []rune(name)
	runes[0] = unicode.ToLower(runes[0])
	return string(runes)
}

// PackageName returns the name of the package for a workflow: the ASCII letters and digits
// of its name, in lower case. A name without any gives "workflow". A result that cannot
// name a library, such as "go", "main" or "2fa", gets the prefix "wf".
func PackageName(workflow string) string {
	name := strings.Map(func(r rune) rune {
		if r = unicode.ToLower(r); r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return -1
	}, workflow)
	switch {
	case name == "":
		return "workflow"
	case token.IsKeyword(name), name == "main", name == "init", '0' <= name[0] && name[0] <= '9':
		return "wf" + name
	}
	return name
}

// ValidPackage reports whether name can be a package's name.
func ValidPackage(name string) bool { return token.IsIdentifier(name) && name != "_" }

// releaseName gives a reserved identifier back, for the declaration it was
// reserved for.
func (n *names) releaseName(name string) { delete(n.taken, name) }

// contextInput is the input that prompts get appended.
const contextInput = "context"

// coverNames are the identifiers of that file.
var coverNames = []string{"covered", "coveredIn", "coveredValue", "termPlaces", "termCounts", "Terms", "atomic"}

// coverFile is the name of the file with the counters.
const coverFile = "cover.go"

// engineNames are the identifiers of engine.go.
var engineNames = []string{"Options", "Open", "embed"}

// endID is the variable of the end of a flow that is not just an error.
const endID = "end"

// chunkSize is the number of nodes from which on the flow is cut into several
// functions: the Go compiler's time grows faster than a function's length. (At
// 3,000 nodes one function took it twice as long as many.)
const chunkSize = 100

// scriptEnv is the function that makes the environment variables of scripts of a workflow
// that has further ones, such as those of its inputs.
const scriptEnv = "scriptEnv"

// The names of the tables that a definition is made of.
const (
	inputTableID = "inputs"
	nodeTableID  = "nodes"
	deliverToID  = "deliverTo"
	graphTableID = "table"
)

// The variables of these functions.
const (
	tasksID = "tasks"
	lastID  = "previous"
)

// lastPrefix begins the names of parameters for nodes of the previous iteration.
const lastPrefix = "prev"

const (
	defaultTimeoutID  = "defaultTimeout"
	humanTimeoutID    = "defaultHumanTimeout"
	defaultParallelID = "defaultParallel"
)

// defaultIDs are the constants that a file may declare.
var defaultIDs = []string{defaultTimeoutID, humanTimeoutID, defaultParallelID}

// graphReserved are identifiers of the code of graphs.
var graphReserved = []string{
	"graph", "node", inputTableID, graphTableID, "r", resultID, "s", "prompt", "json", "reply", "graphfiles",
	"State", "Labels", "outputs", "sourceText",
}

// sequenceReserved are the identifiers that the code of sequences uses for its own
// ends.
var sequenceReserved = []string{inputTableID, nodeTableID, "output", "py", "jinja", "attempt", "previous", "text", "json"}

// sourceTextFile is the name of the file with the text of the workflow file.
const sourceTextFile = "source_text.go"

func itoa(n int) string { return strconv.Itoa(n) }

// evaluatorName is the variable of the evaluator.
const evaluatorName = "e"
