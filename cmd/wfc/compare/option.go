package compare

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// Options that limit an agent: lists of what it may use, lists of what it may not use,
// and others whose removal removes a safeguard.
var (
	grantOptions = []string{"allowed_tools", "skills", "mcp", "plugins", "settingSources"}
	denyOptions  = []string{"denied_tools"}
	guardOptions = []string{"sandbox", "hooks", "permission"}
)

// addOptions adds settings of agents and workflows, each by its name.
func (c *collector) addOptions(what string, list []ir.Option, at source.Span) {
	for _, o := range list {
		f := fact{class: Prompts, what: what + " `" + o.Name + "`", value: sortedJSON(o.JSON), at: o.Span}
		if o.Text != nil {
			f.of = o.Text
		}
		if !f.at.IsValid() {
			f.at = at
		}
		entries, listed := textList(o.JSON)
		slices.Sort(entries)
		switch {
		case slices.Contains(denyOptions, o.Name) && listed:
			f.class, f.kind, f.value = Tools, denyFact, strings.Join(entries, "\n")
		case slices.Contains(grantOptions, o.Name) && listed:
			f.class, f.kind, f.value = Tools, grantFact, strings.Join(entries, "\n")
		case slices.Contains(grantOptions, o.Name), slices.Contains(denyOptions, o.Name):
			f.class = Tools
		case slices.Contains(guardOptions, o.Name):
			f.class, f.guards = Tools, true
		case o.Name == "maxBudgetUsd":
			f.class, f.kind = Limits, limitFact
			_ = json.Unmarshal([]byte(o.JSON), &f.number) // a number, by the front end
		case o.Name == "systemPrompt":
			f.kind, f.value = textFact, unquoteJSON(o.JSON)
		}
		f.value = cmp.Or(f.value, "none")
		c.add(f)
	}
}

// sortedJSON is a JSON value with the keys of objects in order.
func sortedJSON(text string) string {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return text
	}
	sorted, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return string(sorted)
}

// textList returns the strings of a JSON array, and whether it is one of strings.
func textList(list string) ([]string, bool) {
	var entries []string
	err := json.Unmarshal([]byte(list), &entries)
	return entries, err == nil
}

// unquoteJSON is a JSON string without quotes, and any other JSON as it is.
func unquoteJSON(value string) string {
	var s string
	if json.Unmarshal([]byte(value), &s) == nil {
		return s
	}
	return value
}

// exprText is an expression for messages: its source, or its constant.
func exprText(e expr.Expr) string {
	if lit, ok := e.(*expr.Literal); ok {
		if types.IsText(lit.Typ) {
			return "`" + lit.Text + "`"
		}
		return lit.Text
	}
	if e != nil && e.Span().IsValid() {
		return e.Span().Text()
	}
	return "a value of the run"
}

// typeText describes a type with the fields of objects.
func typeText(t types.Type) string {
	switch t := t.(type) {
	case nil:
		return ""
	case *types.Struct:
		var fields []string
		for _, f := range t.Fields {
			name := f.Name
			if !f.Required {
				name += "?"
			}
			fields = append(fields, name+": "+typeText(f.Type))
		}
		slices.Sort(fields)
		return "{" + strings.Join(fields, ", ") + "}"
	case *types.List:
		return "list of " + typeText(t.Elem)
	case *types.Optional:
		return typeText(t.Elem) + " or null"
	}
	return t.String()
}
