package suite

import (
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/runtime/reply"
)

// baseGive returns the give of a producer in the first scenario.
func (m *model) baseGive(p *producer) give {
	name := displayKey(p.slot.key)
	switch {
	case p.slot.kind == "inputs":
		in := m.inputs[p.slot.key]
		if p.form.isShaped() && in.Default == nil && in.Replaces == "" && !isOptional(in.Type) {
			return give{data: encodeJSON(p.form.sampleValue(in.Name))} // a text that is read as JSON
		}
		if def, ok := in.Default.(*expr.Literal); ok && def.Text == "" && types.IsText(in.Type) && in.Replaces == "" {
			return give{data: m.inputValue(in)} // most workflows need their input, although it has a default
		}
		if in.Default != nil || in.Replaces != "" || isOptional(in.Type) {
			return give{absent: true}
		}
		return give{data: m.inputValue(in)}
	case p.test:
		return give{data: "", exit: 0}
	case len(p.labels) > 0:
		return labelGive(p, p.labels[0], "")
	}
	var v any
	if p.shape != nil {
		v = sampleSchema(p.shape, name, 0)
	} else if p.form.isShaped() && p.signal == "" {
		v = p.form.sampleValue(name)
	}
	for _, c := range p.candidates {
		if len(c.path) > 0 && schemaAt(p.shape, c.path) == nil && !c.to.absent && !hasPart(v, c.path) {
			v = withPart(v, c.path, c.to)
		}
	}
	if p.shape == nil && v == nil {
		return m.textGive(p, p.defaultWord())
	}
	if p.field != "" {
		v = withPart(v, []string{p.field}, give{data: true})
	}
	return give{data: v, structured: true}
}

// defaultWord is the string that the producer gives unless a test needs another one.
func (p *producer) defaultWord() string {
	if p.slot.kind == "agents" {
		return "Reply of " + displayKey(p.slot.key) + "."
	}
	return "Output of " + displayKey(p.slot.key) + "."
}

// textGive returns a give with a text, which ends the loop around.
func (m *model) textGive(p *producer, text string) give {
	if p.signal != "" {
		text += "\n" + p.signal
	}
	return give{data: text}
}

// hasPart reports whether a value has a part at a path.
func hasPart(v any, path []string) bool {
	for _, name := range path {
		if name == element {
			list, ok := v.([]any)
			if !ok || len(list) == 0 {
				return false
			}
			v = list[0]
			continue
		}
		object, ok := v.(map[string]any)
		if !ok {
			return false
		}
		if v, ok = object[name]; !ok {
			return false
		}
	}
	return true
}

// inputValue returns a value for an input.
func (m *model) inputValue(in *ir.Input) any {
	s := m.inputShape(in)
	switch in.Type.String() {
	case "path":
		file := in.Name + ".txt"
		m.files[file] = "Content of " + in.Name + ".\n"
		return file
	case "word":
		return in.Name
	}
	return sampleSchema(s, "value of "+in.Name, 0)
}

// labelGive returns a give with which a node of a state graph ends with a label.
func labelGive(p *producer, label, text string) give {
	if text == "" {
		text = p.defaultWord()
	}
	marked := text + "\n[OUTPUT:" + label + "]"
	if p.slot.kind == "agents" {
		if got, err := reply.Label(text, p.labels); err == nil && got == label {
			return give{data: text}
		}
		return give{data: marked}
	}
	for _, printed := range []string{text, marked} {
		for exit := range 2 {
			if got, err := reply.ScriptLabel(printed, exit, p.labels); err == nil && got == label {
				return give{data: printed, exit: exit}
			}
		}
	}
	return give{data: text, delay: "240h"}
}
