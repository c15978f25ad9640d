package testfile

import "encoding/json"

// The shapes of plain values.
var (
	anyShape    = shape{}
	textShape   = shape{"type": []string{"string", "number", "boolean"}}
	flagShape   = shape{"type": "boolean"}
	numberShape = shape{"type": "number", "minimum": 0}
)

func refShape(name string) shape { return shape{"$ref": "#/$defs/" + name} }

func mapShape(of shape) shape { return shape{"type": "object", "additionalProperties": of} }

func enumShape(values ...string) shape { return shape{"enum": values} }

// manyShape is one value or a list of such values.
func manyShape(of shape) shape {
	return shape{"anyOf": []any{of, shape{"type": "array", "items": of, "minItems": 1}}}
}

// shapeOf is the shape of a mapping with the keys of a table.
func shapeOf[T any](fields []field[T]) shape {
	properties, required := shape{}, []string{}
	for _, f := range fields {
		property := shape{"description": f.doc}
		for key, value := range f.shape {
			property[key] = value
		}
		properties[f.name] = property
		if f.required {
			required = append(required, f.name)
		}
	}
	s := shape{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// or is a shape or a plain value in its place.
func or(s shape, plain ...shape) shape {
	all := []any{s}
	for _, p := range plain {
		all = append(all, p)
	}
	return shape{"anyOf": all}
}

// Schema returns the JSON Schema of test files.
func Schema() []byte {
	s := shapeOf(fileKeys())
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "Tests of a wfc workflow"
	notObject := shape{"not": shape{"type": "object"}}
	s["$defs"] = shape{
		"test":    shapeOf(testKeys()),
		"reply":   or(shapeOf(replyKeys()), textShape),
		"program": or(shapeOf(programKeys()), textShape),
		"command": or(shapeOf(commandKeys()), textShape),
		"answer":  or(shapeOf(answerKeys()), textShape),
		"expect":  shapeOf(expectKeys()),
		"node":    or(shapeOf(nodeKeys()), refShape("matcher")),
		"matcher": or(shapeOf(matcherKeys()), notObject),
		"number":  or(shapeOf(rangeKeys()), numberShape),
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // shapes are plain data
	}
	return append(text, '\n')
}
