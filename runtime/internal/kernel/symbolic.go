package kernel

import "strings"

// A Symbolic engine executes flow code symbolically: it performs no action, puts symbols in place
// of outputs, and chooses the results of conditions that depend on them. An engine is one if
// its flow.Scheduler has these methods; the keys are those of nodes and of their parts.
type Symbolic interface {
	// Decide returns the result of a condition of a step. chosen means that the engine has
	// chosen it, because the condition depends on a symbol.
	Decide(key string, condition func() (bool, error)) (holds, chosen bool, err error)
	// Output is called at the end of a node with the text of its output, a pointer to the zero
	// value of its type, and its error. If replaced is true, the node completes with symbol
	// and the value that Output has set; otherwise Output has changed nothing.
	Output(key, text string, value any, err error) (symbol string, replaced bool)
	// Read is called before a node's output is read by another one. ref is the reference, or ""
	// if only the presence of the output matters; presence means that it matters, too.
	Read(key, ref string, presence bool)
	// HasRead reports whether the running task has read a symbol.
	HasRead() bool
	// Note takes a remark about a node, and Repeats the possible numbers of repetitions of a part
	// of it: most is 0 for the items of a list.
	Note(key, message string)
	Repeats(key string, least, most int)
}

// Symbols are text, so that flow code can put them into other text. People read them in
// other brackets, so that no agent or program repeats one that it has read.
const (
	symbolStart = "⟪"
	symbolEnd   = "⟫"
	wholeOutput = "output of "
)

// Symbol returns the symbol with a name, and OutputSymbol that of the output of a node.
func Symbol(name string) string { return symbolStart + name + symbolEnd }

// OutputSymbol returns the symbol of the output of a node.
func OutputSymbol(node string) string { return Symbol(wholeOutput + node) }

// symbolName returns the name of the symbol that a text is.
func symbolName(text string) (name string, ok bool) {
	inside, ok := strings.CutPrefix(text, symbolStart)
	name, rest, closed := strings.Cut(inside, symbolEnd)
	return name, ok && closed && rest == ""
}

// IsSymbol reports whether a text is one symbol.
func IsSymbol(text string) bool {
	_, ok := symbolName(text)
	return ok
}

// SymbolField returns the symbol of a field if text is the symbol of an output, or of an object
// in one. Without a path that is text itself.
func SymbolField(text string, path ...string) (symbol string, ok bool) {
	name, ok := symbolName(text)
	if !ok || len(path) == 0 {
		return text, ok
	}
	if node, whole := strings.CutPrefix(name, wholeOutput); whole {
		name = node + ".output"
	}
	return Symbol(name + "." + strings.Join(path, ".")), true
}

// Symbols returns the symbols in a text.
func Symbols(text string) (list []string) {
	for {
		_, after, ok := strings.Cut(text, symbolStart)
		name, rest, closed := strings.Cut(after, symbolEnd)
		if !ok || !closed {
			return list
		}
		list, text = append(list, Symbol(name)), rest
	}
}

// ShowSymbols returns a text with its symbols as people read them.
func ShowSymbols(text string) string {
	return strings.NewReplacer(symbolStart, "‹", symbolEnd, "›").Replace(text)
}
