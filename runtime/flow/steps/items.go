package steps

import "github.com/wfc-lang/wfc/runtime/flow"

// ForEach is Each for the items of a list: body gets the item itself.
func ForEach[T any](c *flow.Context, items []T, join func(texts []string) (string, error), body func(c *flow.Context, item T) (string, error)) (string, error) {
	return Each(c, len(items), join, func(c *flow.Context, i int) (string, error) { return body(c, items[i]) })
}
