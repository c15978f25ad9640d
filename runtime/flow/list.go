package flow

import "encoding/json"

// PinList keeps a list stable over resumes: in the first process of the run it records
// text, if that is a JSON array, and returns it. Later processes get the recorded array,
// even if the node that makes the list ran again. PinList returns any other text unchanged.
func (c *Context) PinList(text string) string {
	n := c.Node()
	if n.LastUnknown() != nil {
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
	n.Begin(Running)
	c.engine.Settle(Record{Key: c.key + suffix, Kind: "part", Status: Completed, Text: text})
	return text
}
