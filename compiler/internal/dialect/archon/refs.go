package archon

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/types"
)

// The engine's references: `$`, an id of letters, digits, `_` and `-` that starts
// with a letter or `_`, `.output`, and possibly one `.field`. Ids are read
// greedily, and no boundary is required: `$a.outputs` is `$a.output` and an s,
// `\$a.output` is a backslash and a reference, and `${a.output}` is not a
// reference.

// A nodeRef is one reference in a text; offsets are bytes of that text.
type nodeRef struct {
	start, end int
	node       string
	// field is the name behind `.output.`, or "".
	field string
	// short says that `.output` is not written, as conditions may have it.
	short bool
	// input says that field is the name of an input.
	input bool
	// previous says that the reference is to the previous iteration of a loop_group.
	previous bool
}

const outputSuffix = ".output"

// previousScope is the name by which references read the previous iteration of a
// loop_group: `$LOOP_PREV.node.output`.
const previousScope = "LOOP_PREV"

// nameAt is the offset of the node's id.
func (r nodeRef) nameAt() int {
	if r.previous {
		return r.start + len("$"+previousScope+".")
	}
	return r.start + len("$")
}

// refForm is a reference; see the rules above.
var refForm = lazyregexp.New(`^\$(` + previousScope + `\.)?([A-Za-z_][A-Za-z0-9_-]*)\` + outputSuffix + `(?:\.([A-Za-z_][A-Za-z0-9_]*))?`)

// scanRef reads the reference that starts with the `$` at offset.
func scanRef(text string, at int) (nodeRef, bool) {
	m := refForm().FindStringSubmatch(text[at:])
	if m == nil {
		return nodeRef{}, false
	}
	return nodeRef{start: at, end: at + len(m[0]), node: m[2], field: m[3], previous: m[1] != ""}, true
}

// nextReference returns the place of the first reference to an input or a node that starts at
// an offset or after it; start is -1 if there is none.
func nextReference(text string, from int) (start, end int) {
	for at := from; at < len(text); at++ {
		if text[at] != '$' {
			continue
		}
		if name, end := scanInput(text, at); name != "" {
			return at, end
		}
		if ref, ok := scanRef(text, at); ok {
			return at, ref.end
		}
	}
	return -1, -1
}

// identEnd returns the end of the identifier that starts at offset, or the
// offset itself when none does.
func identEnd(text string, at int, hyphens bool) int {
	if at >= len(text) || !isIdentStart(text[at]) {
		return at
	}
	i := at + 1
	for i < len(text) && (isIdentPart(text[i]) || hyphens && text[i] == '-') {
		i++
	}
	return i
}

func isIdentStart(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isIdentPart(c byte) bool { return isIdentStart(c) || isDigit(c) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isReferable reports whether a node of this id can be named by a reference.
func isReferable(id string) bool { return id != "" && identEnd(id, 0, true) == len(id) }

// A variable is one of the names that the engine replaces in prompts and scripts.
type variable struct {
	name string
	// input is the workflow input that the variable reads, or "" for a value
	// that the run supplies.
	input string
	value expr.Variable
	// bash says that the engine replaces the name in bash as well. The other
	// names are variables of the shell there.
	bash bool
	// whole says that the name must not run on into a longer word.
	whole bool
	// outsider says that users or agents choose the value.
	outsider bool
	// home lists the surfaces where a variable has a value that is empty
	// everywhere else; nil means that it has one everywhere.
	home []surfaceKind
	// place says where home is, in words.
	place string
	// rule is the rule that replaces the name, or "" for all versions.
	rule formats.Rule
}

var variables = []variable{
	{name: "WORKFLOW_ID", value: expr.RunID, bash: true},
	{name: "ARTIFACTS_DIR", value: expr.ArtifactsDir, bash: true},
	{name: "STATE_DIR", value: expr.StateDir, bash: true, rule: formats.RunFolders},
	{name: "TYPED_ARTIFACTS_FILE", value: expr.ArtifactList, bash: true, rule: formats.ArtifactList},
	{name: "BASE_BRANCH", value: expr.BaseBranch, bash: true},
	{name: "DOCS_DIR", value: expr.DocsDir, bash: true},
	{name: "USER_MESSAGE", input: argumentsInput, outsider: true},
	{name: "ARGUMENTS", input: argumentsInput, outsider: true},
	{name: "LOOP_USER_INPUT", value: expr.LoopUserInput, outsider: true, home: []surfaceKind{loopPromptSurface},
		place: "`loop.prompt` and in interactive groups"},
	{name: "REJECTION_REASON", value: expr.RejectionReason, outsider: true, home: []surfaceKind{reworkSurface}, place: "`approval.on_reject.prompt`"},
	{name: "LOOP_PREV_OUTPUT", value: expr.LoopPrevOutput, outsider: true, home: []surfaceKind{loopPromptSurface}, place: "`loop.prompt`"},
	{name: "CONTEXT", input: contextInput, whole: true, outsider: true},
	{name: "EXTERNAL_CONTEXT", input: contextInput, whole: true, outsider: true},
	{name: "ISSUE_CONTEXT", input: contextInput, whole: true, outsider: true},
}

// scanVariable reads the variable whose `$` is at offset, if the surface replaces
// it.
func (r *resolver) scanVariable(text string, at int, kind surfaceKind) (v *variable, end int) {
	if !kind.hasVariables() {
		return nil, at
	}
	return r.scanAnyVariable(text, at, kind.isShell())
}

// scanAnyVariable reads the variable at offset; shell limits it to those that
// are replaced in bash.
func (r *resolver) scanAnyVariable(text string, at int, shell bool) (v *variable, end int) {
	for i := range variables {
		v := &variables[i]
		if shell && !v.bash || !r.replaces(v) || !strings.HasPrefix(text[at+1:], v.name) {
			continue
		}
		end := at + 1 + len(v.name)
		if v.whole && end < len(text) && isIdentPart(text[end]) {
			continue
		}
		return v, end
	}
	return nil, at
}

// replaces reports whether the rules of the file replace a variable's name.
func (r *resolver) replaces(v *variable) bool { return v.rule == "" || r.rules.Holds(v.rule) }

// variableNames are the names that the rules replace.
func (r *resolver) variableNames() []string {
	var names []string
	for _, v := range variables {
		if r.replaces(&v) {
			names = append(names, v.name)
		}
	}
	return names
}

// atHome reports whether the variable can have a value on the surface.
func (v *variable) atHome(s *surface) bool {
	return v.home == nil || slices.Contains(v.home, s.kind) || s.scope.answers && v.input == "" && v.value == expr.LoopUserInput
}

// exprAt is the value of the variable, read at a place.
func (v *variable) exprAt(at source.Span, s *surface) expr.Expr {
	switch {
	case !v.atHome(s):
		return emptyText(at)
	case v.input != "":
		return &expr.Input{At: at, Name: v.input, Typ: types.Text}
	}
	return &expr.Var{At: at, Var: v.value}
}

func emptyText(at source.Span) expr.Expr {
	return &expr.Literal{At: at, Typ: types.Text}
}

// hasVariables reports whether the engine replaces variables on the surface.
func (k surfaceKind) hasVariables() bool { return k != whenSurface && k != messageSurface }

// isShell reports whether the surface is a bash script.
func (k surfaceKind) isShell() bool { return k == bashSurface || k == untilBashSurface }

// isProse reports whether the surface is text that an agent reads, in which
// code spans are code.
func (k surfaceKind) isProse() bool {
	return k == promptSurface || k == commandSurface || k == loopPromptSurface || k == reworkSurface
}
