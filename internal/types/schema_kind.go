package types

// SchemaKind returns the first type of a JSON Schema that is not null, or "" for a schema that
// has none. Without a `type`, fields make it an object and elements an array.
func SchemaKind(s map[string]any) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		for _, name := range t {
			if text, ok := name.(string); ok && text != "null" {
				return text
			}
		}
	}
	switch {
	case s["properties"] != nil:
		return "object"
	case s["items"] != nil:
		return "array"
	}
	return ""
}
