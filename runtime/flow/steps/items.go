package steps

import (
	"bytes"
	"encoding/json"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/excerpt"
)

// ForEach is Each for the items of a list: body gets the item itself.
func ForEach[T any](c *flow.Context, items []T, join func(texts []string) (string, error), body func(c *flow.Context, item T) (string, error)) (string, error) {
	return Each(c, len(items), join, func(c *flow.Context, i int) (string, error) { return body(c, items[i]) })
}

// OverTexts is Each for the items of a JSON array: strings as they are, other values as
// JSON. ref is the reference to the array in the workflow, for messages. In a plan that does
// not know the array, there is one item, a placeholder. The error is a *flow.Failure: array
// is not a JSON array.
func (f FanOut) OverTexts(c *flow.Context, array, ref string, body func(c *flow.Context, item string) (string, error)) (string, error) {
	items, err := itemTexts(c, array, ref)
	if err != nil {
		return "", err
	}
	return f.Each(c, items, body)
}

func itemTexts(c *flow.Context, array, ref string) ([]string, error) {
	if c.Node().LastUnknown() != nil {
		return []string{array}, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(array), &list); err != nil || list == nil {
		return nil, &flow.Failure{Reason: "reference", Message: "'" + ref + "' is not a JSON array: " + excerpt.Clip(array, 60)}
	}
	items := make([]string, len(list))
	for i, raw := range list {
		if json.Unmarshal(raw, &items[i]) != nil || string(raw) == "null" {
			var compact bytes.Buffer
			if err := json.Compact(&compact, raw); err != nil {
				return nil, &flow.Failure{Reason: "reference", Message: "'" + ref + "' is not a JSON array: " + err.Error()}
			}
			items[i] = compact.String()
		}
	}
	return items, nil
}
