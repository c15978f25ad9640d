package graphloop

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/markdown"
	"github.com/wfc-lang/wfc/compiler/internal/program"
	"github.com/wfc-lang/wfc/compiler/internal/shell"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// textKind is the use of a text.
type textKind int

const (
	promptText textKind = iota
	messageText
	commandText
)

// A text is one in which the state can be referred to: as
// `(reference state.NAME)`, or as `(user provides via state.NAME)`, which makes
// an input of it. A template's prompt_prefix goes before it.
type text struct {
	kind textKind
	// reader says in words whose text it is.
	reader       string
	prefix, text source.Text
	setTemplate  func(*template.Template)
	setBash      func(*ir.Bash)
}

// texts are the texts of a file, which can refer to the variables of its state.
type texts struct {
	bag   *diag.Bag
	state *variables
	all   []*text
	shell *shell.Rewriter
}

// An idiom is a reference to the state in a text.
type idiom struct {
	start, end int
	// name is the variable's; nameStart is where `state.` before it begins.
	name      string
	nameStart int
	// provides says that the user provides it.
	provides bool
}

// idiomForm is a reference of either form.
var idiomForm = lazyregexp.New(`\([ \t\r\n]*(?i:reference|(user[ \t\r\n]+provides[ \t\r\n]+via))[ \t\r\n]+state\.([A-Za-z_][A-Za-z0-9_]*)[ \t\r\n]*\)`)

// findIdioms finds the references of a text, in order.
func findIdioms(s string) []idiom {
	var list []idiom
	for _, m := range idiomForm().FindAllStringSubmatchIndex(s, -1) {
		list = append(list, idiom{start: m[0], end: m[1], name: s[m[4]:m[5]], nameStart: m[4] - len("state."), provides: m[2] >= 0})
	}
	return list
}

// addText notes a text and makes variables of the values that it asks the user for,
// unless it only shows the syntax.
func (x *texts) addText(t *text) {
	x.all = append(x.all, t)
	for _, part := range []source.Text{t.prefix, t.text} {
		shown := visibleIdioms(t, part)
		for _, i := range findIdioms(part.Value) {
			if i.provides && (!shown(i) || x.state.byName[i.name] != nil) {
				x.askFor(i, part.Span(i.nameStart, i.nameStart+len("state.")+len(i.name)), t.reader)
			}
		}
	}
}

func (x *texts) askFor(i idiom, at source.Span, reader string) {
	if _, taken := automatic[i.name]; taken {
		x.bag.Add(finding.ReservedName(at, "an input", i.name, keptByRun))
		return
	}
	if v := x.state.ensureVariable(i.name, at); !v.askedAt.IsValid() {
		v.askedAt, v.askedBy = at, reader
	}
}

// visibleIdioms returns which idioms of a text are there to be read: those in code of a
// prompt or a message, and those in comments of a command.
func visibleIdioms(t *text, part source.Text) func(idiom) bool {
	if t.kind != commandText {
		if !strings.ContainsAny(part.Value, "`~") {
			return func(idiom) bool { return false }
		}
		code := markdown.FindCode(part.Value)
		return func(i idiom) bool { return code.Contains(i.start) }
	}
	idioms := findIdioms(part.Value)
	if len(idioms) == 0 || !strings.ContainsAny(part.Value, `#\`) {
		return func(idiom) bool { return false }
	}
	holes := make([]shell.Hole, len(idioms))
	for k, i := range idioms {
		holes[k] = shell.Hole{Start: i.start, End: i.end, Name: i.name, Label: part.Value[i.start:i.end], Type: types.Text}
	}
	unread := shell.Unread(part, holes)
	return func(i idiom) bool {
		for k := range idioms {
			if idioms[k].start == i.start {
				return unread[k]
			}
		}
		return false
	}
}

// buildTexts makes the templates and programs.
func (x *texts) buildTexts() {
	for _, t := range x.all {
		tmpl := x.parseTemplate(t, t.text)
		if t.kind == commandText {
			t.setBash(program.Bash(x.shell, tmpl, holeName, x.bag))
			continue
		}
		if t.prefix.Value != "" {
			tmpl = x.withPrefix(t, tmpl)
		}
		t.setTemplate(tmpl)
	}
}

// bareIdiom is a reference that lacks `state.`.
var bareIdiom = lazyregexp.New(`\((?i:reference|user\s+provides\s+via)\s+([A-Za-z_]\w*)\s*\)`)

// findBareIdioms reports references to variables that lack `state.`, which would stay text.
func (x *texts) findBareIdioms(part source.Text) {
	code := markdown.FindCode(part.Value)
	for _, m := range bareIdiom().FindAllStringSubmatchIndex(part.Value, -1) {
		if name := part.Value[m[2]:m[3]]; x.state.byName[name] != nil && !code.Contains(m[0]) {
			x.bag.Add(finding.BareReference(part.Span(m[2], m[3]), part.Value[m[0]:m[1]], name))
		}
	}
}

// parseTemplate cuts a text into literal text and holes.
func (x *texts) parseTemplate(t *text, part source.Text) *template.Template {
	s := part.Value
	tmpl := &template.Template{Source: part}
	shown := visibleIdioms(t, part)
	done := 0
	literal := func(end int) {
		if end > done {
			tmpl.Parts = append(tmpl.Parts, &template.Text{Value: s[done:end], Start: done})
		}
	}
	for _, i := range findIdioms(s) {
		at := part.Span(i.nameStart, i.nameStart+len("state.")+len(i.name))
		v, m, ok := x.state.lookUp(i.name, at, shown(i))
		if !ok && shown(i) || i.provides && m.known {
			continue
		}
		literal(i.start)
		done = i.end
		tmpl.Parts = append(tmpl.Parts, &template.Hole{Expr: referenceExpr(i, at, v, m), Start: i.start, End: i.end})
	}
	literal(len(s))
	x.findBareIdioms(part)
	if len(tmpl.Parts) == 0 {
		tmpl.Parts = []template.Part{&template.Text{}}
	}
	return tmpl
}

// referenceExpr is the variable that an idiom refers to.
func referenceExpr(i idiom, at source.Span, v *variable, m measure) expr.Expr {
	switch {
	case m.known:
		return &expr.Progress{At: at, Measure: m.of}
	case v == nil || v.bad:
		return &expr.Bad{At: at}
	case i.provides:
		in := v.field.Initial.(*expr.Input)
		return &expr.Input{At: at, Name: in.Name, Typ: in.Typ}
	}
	return &expr.State{At: at, Name: v.field.Name, Typ: v.field.Type}
}

// withPrefix puts the prefix of a node's template before the node's own prompt. The
// two are in different files, so only the whole has a place.
func (x *texts) withPrefix(t *text, own *template.Template) *template.Template {
	before := x.parseTemplate(t, t.prefix)
	gap := ""
	if !strings.HasSuffix(t.prefix.Value, "\n") {
		gap = "\n\n"
	}
	whole := &template.Template{
		Source: source.CoarseText(t.prefix.Value+gap+t.text.Value, t.text.Whole()),
		Parts:  slices.Clip(before.Parts),
	}
	shift := len(t.prefix.Value)
	if gap != "" {
		whole.Parts = append(whole.Parts, &template.Text{Value: gap, Start: shift})
		shift += len(gap)
	}
	for _, p := range own.Parts {
		switch p := p.(type) {
		case *template.Text:
			p.Start += shift
		case *template.Hole:
			p.Start, p.End = p.Start+shift, p.End+shift
		}
		whole.Parts = append(whole.Parts, p)
	}
	return whole
}

// tellOutputs adds to a prompt how to end, unless there is nothing to choose or
// the prompt says it itself.
func tellOutputs(t *template.Template, labels []string) {
	var markers []string
	told := true
	for _, l := range labels {
		marker := "[OUTPUT:" + l + "]"
		markers = append(markers, marker)
		told = told && strings.Contains(t.Source.Value, marker)
	}
	if len(labels) < 2 || told {
		return
	}
	t.Parts = append(t.Parts, &template.Text{
		Value: "\n\nEnd your answer with one line that says how it went. That line is one of: " + strings.Join(markers, " "),
		Start: len(t.Source.Value),
	})
}

// holeName suggests a name for the variable of a script that holds a variable of
// the state: `state_tries`.
func holeName(label string) string {
	i := strings.LastIndex(label, "state.")
	return "state_" + strings.TrimRight(label[i+len("state."):], ") \t\r\n")
}
