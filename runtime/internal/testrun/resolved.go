package testrun

import (
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A resolved is a prompt, script or question with its values. Each part has several
// forms; the first one has the unchanged value.
//
// archon writes values into the text of a script: outputs as quoted words of a shell, and
// variables of the run not at all, since a script has them in its environment. wfc binds
// them to variables and quotes them differently. So a value in a script has all these
// forms.
type resolved [][]string

// resolvedOf returns the text of an entry with its values.
func resolvedOf(e *Entry) resolved {
	if e.Question != nil {
		return resolved{{e.Question.Message}}
	}
	if p, ok := e.Action.Payload.(flow.Prompt); ok {
		return resolved{{p.Text}}
	}
	if source, bindings, env, ok := scriptOf(e.Action.Payload); ok {
		return resolvedScript(source, bindings, env)
	}
	return nil
}

// resolvedScript returns the parts of a script.
func resolvedScript(text string, bindings []flow.Binding, env []flow.Variable) (parts resolved) {
	if len(bindings) == 0 {
		return resolved{{text}}
	}
	var names []string
	values := map[string]string{}
	for _, b := range bindings {
		names = append(names, regexp.QuoteMeta(b.Name))
		values[b.Name] = b.Value
	}
	// The longest name first: one may be the beginning of another.
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	name := "(" + strings.Join(names, "|") + ")"
	place := regexp.MustCompile(`"\$\{` + name + `\}"|\$\{` + name + `\}|\{` + name + `\}|\b` + name + `\b`)
	at := 0
	for _, m := range place.FindAllStringSubmatchIndex(text, -1) {
		parts = append(parts, []string{text[at:m[0]]})
		at = m[1]
		for group := 2; group < len(m); group += 2 {
			if m[group] >= 0 {
				quote := ""
				if group == 2 {
					quote = `"`
				}
				parts = append(parts, valueForms(text[m[group]:m[group+1]], quote, values, env))
			}
		}
	}
	return append(parts, []string{text[at:]})
}

// valueForms returns the forms of a value in a script, inside quotes or not.
func valueForms(name, quote string, values map[string]string, env []flow.Variable) (forms []string) {
	value := values[name]
	for _, form := range []string{value, plain.ShellQuote(value), variableOf(name, value, env)} {
		if form == "" && value != "" {
			continue
		}
		forms = append(forms, quote+form+quote)
		for _, other := range []string{"", `'`, `"`} {
			if other != quote {
				forms = append(forms, other+form+other)
			}
		}
	}
	return forms
}

// variableOf returns the reference to the environment variable that has a bound value,
// such as $ARGUMENTS for arguments, or "".
func variableOf(name, value string, env []flow.Variable) string {
	name = strings.ToUpper(strings.TrimPrefix(name, "wfc_"))
	if slices.Contains(env, flow.Variable{Name: name, Value: value}) {
		return "$" + name
	}
	return ""
}

// String returns the text with its values as they are.
func (r resolved) String() string {
	var b strings.Builder
	for _, forms := range r {
		b.WriteString(forms[0])
	}
	return b.String()
}

// mapForms returns the text with each form changed by a function.
func (r resolved) mapForms(change func(string) string) resolved {
	all := make(resolved, len(r))
	for i, forms := range r {
		for _, form := range forms {
			all[i] = append(all[i], change(form))
		}
	}
	return all
}

// containsText reports whether a text with any form of each part contains a string. Line ends
// of Windows count as others.
func (r resolved) containsText(s string) bool {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var begun []int // how much of s the end of the parts so far has, in ascending order
	for _, forms := range r {
		var next []int
		for _, form := range forms {
			form = strings.ReplaceAll(form, "\r\n", "\n")
			if strings.Contains(form, s) {
				return true
			}
			for _, n := range begun {
				if strings.HasPrefix(form, s[n:]) {
					return true
				}
				if strings.HasPrefix(s[n:], form) {
					next = append(next, n+len(form))
				}
			}
			for i := max(0, len(form)-len(s)+1); i < len(form); i++ {
				if strings.HasPrefix(s, form[i:]) {
					next = append(next, len(form)-i)
				}
			}
		}
		slices.Sort(next)
		begun = slices.Compact(next)
	}
	return false
}
