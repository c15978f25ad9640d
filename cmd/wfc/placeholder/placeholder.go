// Package placeholder invents the outputs of nodes that a fixture of archon need not stub.
package placeholder

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/types"
)

// unknownText is the placeholder of a string.
const unknownText = "TODO"

// Tolerated returns the outputs of the nodes that a fixture need not stub, by id: those
// that run however the nodes before them end. A loop that only its own words can end, but
// whose output has a schema, has none.
func Tolerated(p *ir.Program) map[string]string {
	texts := map[string]string{}
	ir.Walk(p.Workflow.Body, func(n *ir.Node) {
		if n.Rule != ir.AllDone {
			return
		}
		if loop, ok := n.Action.(*ir.Loop); ok && n.Schema != "" && loop.Field == "" && loop.Until == nil {
			return
		}
		if text, ok := Of(n); ok {
			texts[n.ID] = text
		}
	})
	return texts
}

// Of returns an output for a node with an agent or a program: the JSON of a value of its
// schema, or a string. The output of a loop ends the loop.
func Of(n *ir.Node) (text string, ok bool) {
	text, field := unknownText, ""
	switch a := n.Action.(type) {
	case *ir.Prompt, *ir.Bash, *ir.Script:
	case *ir.Loop:
		if _, isGroup := a.Body.(*ir.DAG); isGroup {
			return "", false // its nodes have stubs
		}
		if a.Signal != "" {
			text = a.Signal
		}
		field = a.Field
	default:
		return "", false
	}
	if n.Schema != "" {
		text = ofSchema(n.Schema, field)
	}
	return text, true
}

// ofSchema returns the JSON of a value of a schema, in which the bool field is true.
func ofSchema(schema, field string) string {
	var s map[string]any
	if json.Unmarshal([]byte(schema), &s) != nil {
		return unknownText
	}
	value := valueOf(s, 0)
	if object, ok := value.(map[string]any); ok && field != "" {
		object[field] = true
	}
	text, err := plain.EncodeJSON(value)
	if err != nil {
		return unknownText
	}
	return string(text)
}

// maxDepth bounds schemas inside schemas.
const maxDepth = 32

func valueOf(s map[string]any, depth int) any {
	if v, ok := s["const"]; ok {
		return v
	}
	if v, ok := s["default"]; ok {
		return v
	}
	if values, ok := s["enum"].([]any); ok && len(values) > 0 {
		return values[0]
	}
	if depth > maxDepth {
		return nil
	}
	number := func(key string) float64 {
		f, _ := s[key].(float64) // 0 if there is none
		return f
	}
	switch types.SchemaKind(s) {
	case "object":
		object := map[string]any{}
		properties, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		for name, property := range properties {
			if of, ok := property.(map[string]any); ok && slices.Contains(required, any(name)) {
				object[name] = valueOf(of, depth+1)
			}
		}
		return object
	case "array":
		items, _ := s["items"].(map[string]any)
		list := []any{}
		for range min(int(number("minItems")), 100) {
			list = append(list, valueOf(items, depth+1))
		}
		return list
	case "boolean":
		return false
	case "integer":
		return int64(math.Ceil(number("minimum")))
	case "number":
		return number("minimum")
	case "null":
		return nil
	}
	if n := int(number("minLength")); n > len(unknownText) {
		return strings.Repeat("T", min(n, 1<<16))
	}
	return unknownText
}
