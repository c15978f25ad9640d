package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// Code is generated in stages. A declarer finds the names, types and places of all that a
// package declares, and leaves them in a goPackage. Writers read it: a function is the body of
// one function while it is written, and the other writers make the declarations of the file.

// A goPackage is a package that is being written: all that its functions need to know of it.
type goPackage struct {
	style
	*coverage
	program  *ir.Program
	opt      Options
	family   *family
	fileName string
	source   string // the workflow file's name, without its folder
	names    *names
	types    *typeSet
	inputs   map[string]*input
	inputSeq []*input
	// inputTypes declare the types of the inputs.
	inputTypes []func(*jen.File)
	nodes      []*node // in definition order
	byID       map[string]*node
	graph      *graphCode // of a state graph, else nil
	// environment are the author's environment variables, or nil.
	environment *environment
	sequence    bool // steps one after the other
	// loopNames are the names of the variables of loops, which functions get as
	// parameters.
	loopNames map[string]bool
	locals    map[*expr.Declared]*local
	// fanned are the parameters that hold the items of workflows that run for each item.
	// fannedTexts are those of the items that are texts and not JSON.
	fanned      map[*expr.Declared]string
	fannedTexts map[*expr.Declared]bool
	// usesScriptEnv says that scripts get more variables than those of every workflow.
	usesScriptEnv bool
}

// A declarer finds what a package declares.
type declarer struct {
	*goPackage
	// bySchema are the nodes with each JSON Schema of the workflow.
	bySchema map[string][]*node
}

// The writers of declarations read the package and hold nothing else.
type (
	// A fileWriter puts the sections of a file together.
	fileWriter struct{ *goPackage }
	// A definitionWriter writes the definition of the workflow and its tables.
	definitionWriter struct{ *goPackage }
	// A flowWriter writes the function of the flow.
	flowWriter struct{ *goPackage }
	// A spawner writes the calls that begin nodes.
	spawner struct{ *goPackage }
	// A nodeWriter writes what belongs to a node.
	nodeWriter struct{ *goPackage }
	// A graphWriter writes a state graph.
	graphWriter struct{ *goPackage }
	// A programWriter writes main.go and engine.go.
	programWriter struct{ *goPackage }
)

// coverage are the terms that code counts.
type coverage struct {
	counts   bool
	workflow *source.File
	// terms are the places of the terms.
	terms []string
	// coversValues says that an evaluator computes some of them.
	coversValues bool
}

// A node is a node of the flow with its names and code.
type node struct {
	*ir.Node
	nodeNames
	nodeOutput
	// terminal says that no other node depends on it, unless another one has the result.
	terminal bool
	// doc is what comments call it, and part says that it is a part of that.
	doc, part string
	// index is its place in the flow.
	index int
	// before is the step before it in a sequence.
	before *node
	// inner are the nodes inside it: what a loop repeats, what a fork runs.
	inner []*node
	// whenCode is the function of its condition, and runCode that of its work.
	whenCode, runCode functionCode
	// idle says that it has no function: it does nothing.
	idle bool
	// inline says that the flow has the statement that its function would be.
	inline bool
	// unread says that nothing reads its output in the type of an iteration.
	unread bool
	// parts are functions that its function hands to the kernel.
	parts []*part
	// around is the node whose body has it, or nil, and last its variable in the next
	// iteration of that node. field is its field in the struct of the body's tasks.
	around      *node
	last, field string
	// tasks is the type of the struct that holds the tasks of its body.
	tasks string
	// answers says that a person answers after each iteration of the body.
	answers bool
	// more are declarations of further functions and types of the node.
	more []func(*jen.File)
}

// A functionCode is what a function of a node holds: what it is called with, its statements,
// and the notes of its comment. A sure one returns no error.
type functionCode struct {
	uses  *uses
	body  []jen.Code
	notes []string
	sure  bool
}

// A nodeOutput is the Go type of a node's output.
type nodeOutput struct {
	// value is the type; typed says that it is made of the text by decoding.
	value *jen.Statement
	typed bool
	// object says that the value is a pointer to a struct.
	object bool
	// json says that the output is of no such type, and its text JSON all the same.
	json bool
	// same is the node whose type and schema are this one's, too, or nil; all names
	// the nodes that share those of this one, if there are several.
	same *node
	all  string
	// types declare the types of its output and of those inside it.
	types []func(*jen.File)
	// shape is the type that its spec is made of, or nil, and asked says that the
	// schema of the reply is, too.
	shape *structType
	asked bool
}

// An input is one field of Inputs.
type input struct {
	*ir.Input
	field string
	code  *jen.Statement
	// fallback says that the field is nil for the default: a pointer, or a list.
	fallback bool
}

// isRaw reports whether an input is kept as JSON: one of any type whose keys must keep
// their order.
func (in *input) isRaw() bool {
	lit, ok := in.Default.(*expr.Literal)
	return ok && in.Type == types.Any && lit.Typ == types.Any
}

// readCode is the code that reads an input; one that has a default is set.
func (in *input) readCode() *jen.Statement { return in.readFrom(jen.Id("in")) }

// readFrom is the code that reads an input of the given Inputs.
func (in *input) readFrom(inputs *jen.Statement) *jen.Statement {
	if in.fallback && !hasNil(in.Type) {
		return jen.Op("*").Add(inputs).Dot(in.field)
	}
	return inputs.Dot(in.field)
}

// typeName names an input's type as flow.InputInfo does: what a command line
// has no flag type for is given as text.
func (in *input) typeName() string {
	if in.isRaw() {
		return "json"
	}
	return inputType(in.Type)
}

// A local is a Go variable that holds something declared outside of the function
// that reads it: the variable of a ForEach, the previous output of a Repeat.
type local struct {
	of   *expr.Declared
	name string
	form localForm
	// value is the form of a typed value, and item the type of one that is an
	// object, of which only fields are read.
	value form
	item  *types.Struct
	// typ is the Go type of an object.
	typ string
	// order is its place among the variables, as they are declared.
	order int
}

// A localForm says what the Go variable of something declared holds.
type localForm int

// localType is the variable's Go type.
func (l *local) localType() *jen.Statement {
	switch l.form {
	case textForm, outputForm:
		return jen.String()
	case typedForm:
		if l.item != nil {
			return jen.Id(l.typ)
		}
		return l.value.goType()
	case previousForm, textPreviousForm:
		return jen.Qual(stepsPath, "Previous")
	}
	return jen.Qual(pyPath, "Value")
}

// A graphCode is the graph that is being written.
type graphCode struct {
	*ir.Graph
	nodes []*graphNode
	byID  map[string]*graphNode
	// fields are the Go names of the variables, by their names, and own the inputs that
	// may differ from the variables that they initialise.
	fields map[string]string
	own    map[string]bool
	// tests are the methods that decide conditions.
	tests map[expr.Expr]string
	// methods are the names of the methods of a run.
	methods *names
}

// A graphNode is one of the graph's nodes.
type graphNode struct {
	*node
	// constant is the node's own; label is the type of its labels, nil for a single one.
	constant string
	label    *enumType
	labels   *types.Enum
	// run and done are the methods of its work and of its handlers, "" for none.
	run, done string
	// branch means that a parallel runs it.
	branch bool
	// before and later are the interrupts before and after it.
	before, later []interruptCode
}

// lastLabel is the code of the last label of a node.
func (m *graphNode) lastLabel() *jen.Statement { return jen.Id("r").Dot("Labels").Dot(m.exported) }

// labelText is a label as the kernel takes it, or nil for none.
func (m *graphNode) labelText(name string) *jen.Statement {
	switch {
	case name == "":
		return nil
	case m.label == nil:
		return jen.Lit(name)
	}
	return jen.String().Call(m.labelConstant(name))
}

// labelConstant is the constant of a label, which has a type.
func (m *graphNode) labelConstant(name string) *jen.Statement { return jen.Id(m.label.consts[name]) }

// labelConstants are the constants of the node's labels, by the labels.
func (m *graphNode) labelConstants() map[string]string {
	if m.label == nil {
		return nil
	}
	return m.label.consts
}

// An interruptCode is an interrupt with the method that composes its message, "" for none.
type interruptCode struct {
	*ir.Interrupt
	compose string
}

// An environment is the code of the author's environment variables.
type environment struct {
	name string
	*function
	list []jen.Code
	// fails says that the function returns an error, too.
	fails bool
}

// A family are the generators of a workflow and of those that it runs.
type family struct {
	// path is the import path of the package of the workflow.
	path string
	// folders are the names of the packages of the others, and of their folders.
	folders map[*ir.Program]string
	members map[*ir.Program]*goPackage
}

// A member is a field of a structured output that Go code can select.
type member struct {
	path []string // Go names
	typ  types.Type
	opt  bool
}

// selectFrom selects the member of the output of a task that completed.
func (m *member) selectFrom(task *jen.Statement) *jen.Statement {
	code := task.Dot("MustOutput").Call().Dot("Value")
	for _, name := range m.path {
		code.Dot(name)
	}
	return code
}

// A variable is a Go variable of something that the template declares.
type variable struct {
	name string
	form form
	// item is the type of an item of a typed list, of which only fields are read.
	item types.Type
}

// A form is the Go type of a value's code.
type form int

// goType is the form's Go type.
func (f form) goType() *jen.Statement {
	switch f {
	case stringForm:
		return jen.String()
	case intForm:
		return jen.Int64()
	case boolForm:
		return jen.Bool()
	}
	return jen.Qual(pyPath, "Value")
}

const (
	anyForm    form = iota // py.Value
	stringForm             // string
	intForm                // int64
	boolForm               // bool
)

const (
	// valueForm: a py.Value.
	valueForm localForm = iota
	// textForm: a string that is the text itself.
	textForm
	// outputForm: a string that is a step's output as it is recorded, JSON.
	outputForm
	// previousForm: a steps.Previous, whose text is as in outputForm, or undefined.
	previousForm
	// textPreviousForm: a steps.Previous of a step whose output is text.
	textPreviousForm
	// typedForm: a value of a Go type that the compiler knows.
	typedForm
)

// A function is one generated function while its body is written. What the
// body needs of the flow becomes its parameters.
type function struct {
	g     *goPackage
	uses  *uses
	block *block
	file  *source.File // which its place is in, or nil
	zero  jen.Code     // what it returns with an error
	home  home         // of variables that have a value here; nil for none
	parts []*part      // functions that it hands to the kernel
	// remade is the code that a prompt's text passes through after a review, or nil.
	remade *jen.Statement
	// tail is what is appended to the prompt, or nil.
	tail *jen.Statement
	// owned are the things declared that the function has without being given
	// them.
	owned map[*expr.Declared]bool
	// evaluates is the variable of the evaluator, or "" while there is none, and
	// unchecked says that the code has not checked its error since the last use.
	evaluates string
	unchecked bool
	// fails says that it returns an error of a value that cannot be read, and sure that the
	// condition that it decides cannot fail.
	fails, sure bool
	// declares says that the file of its prompt declares the output.
	declares bool
	// requires says that it notes files that must exist.
	requires bool
	// discards says that values are only evaluated, so that none gets a variable.
	discards bool
	// notes are sentences of its comment.
	notes []string
	// vars are the variables of what templates declare.
	vars map[*expr.Declared]variable
	// varReads counts how often the code reads each of them.
	varReads map[*expr.Declared]int
	// body is the node whose function it is and that holds the tasks of the nodes inside
	// it, or nil.
	body *node
	// holdsLast says that it also holds those of the previous iteration.
	holdsLast bool
	// answers says that the node is in a loop whose iterations get answers.
	answers bool
}

// A part is a function that a node's own function hands to the kernel: what an
// iteration does, what tests a loop, what follows a rejection.
type part struct {
	*function
	// name is its name, and doc says what it does; a condition is what it decides by.
	name, doc, condition string
	// own is the last parameter, which the kernel fills, and ownType its type.
	own     string
	ownType *jen.Statement
	// given are the values of locals that are in no variable of their own.
	given map[*expr.Declared]*jen.Statement
	// result is the type of what it returns besides the error.
	result *jen.Statement
	// pure says that it performs nothing, so that it gets no context.
	pure bool
	// tasks are its parameters for the tasks of a body, all of tasksType.
	tasks     []string
	tasksType string
}

// A home is the code of the variables that have a value in a part and nowhere
// else: nil for the others.
type home func(expr.Variable) *jen.Statement

// uses says what a function needs of the flow.
type uses struct {
	inputs bool
	nodes  []*node
	// previous are nodes in the previous iteration of the loop around them.
	previous []*node
	locals   []*local
	// iteration says that it reads the iteration of that loop.
	iteration bool
}

// A selection is a field of a step's typed output.
type selection struct {
	code *jen.Statement
	typ  types.Type
	// name is the field's own, and opt says that the code is a pointer, which is nil
	// when the field is not there.
	name string
	opt  bool
	// step is the step in whose output the field is, for messages, and path the names of
	// the fields that lead to it; nil for items of lists.
	step *node
	path []string
}
