package flow

import "encoding/json"

// FirstList returns the JSON array that the node got in the first process of the run that
// called FirstList with one: a later process continues with the same items, although the
// node that makes the list may have run again. It returns any other text as it is.
func (c *Context) FirstList(text string) string {
	k := c.Kernel()
	if k.LastUnknown() != nil {
		return text
	}
	const suffix = "/items"
	if r, ok := c.engine.Recorded(c.key + suffix); ok {
		return r.Text
	}
	var list []json.RawMessage
	if json.Unmarshal([]byte(text), &list) != nil || list == nil {
		return text
	}
	k.Begin(Running)
	c.engine.Settle(Record{Key: c.key + suffix, Kind: "part", Status: Completed, Text: text})
	return text
}
