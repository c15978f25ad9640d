package deliver

import (
	"fmt"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
)

// Limits of Slack's blocks, in characters of UTF-16 and in buttons. Values have bytes.
const (
	slackSection = 3000
	slackLabel   = 75
	slackButtons = 25
	slackValue   = 2000
)

// A slackText is a text object. Slack formats nothing in plain text, and mentions nobody.
type slackText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// A slackBlock is a block of a message, or a button in it.
type slackBlock struct {
	Type     string       `json:"type"`
	Text     *slackText   `json:"text,omitempty"`
	Elements []slackBlock `json:"elements,omitempty"`
	ActionID string       `json:"action_id,omitempty"`
	Value    string       `json:"value,omitempty"`
	Style    string       `json:"style,omitempty"`
}

// slackBlocks is a notice with its buttons. A choice that is too long for a button has none.
func slackBlocks(n *outbox.Note) []slackBlock {
	var blocks []slackBlock
	for _, text := range splitMessages(n.Text, slackSection, utf16Length) {
		blocks = append(blocks, slackBlock{Type: "section", Text: &slackText{"plain_text", text}})
	}
	buttons := slackBlock{Type: "actions"}
	for i, b := range n.Buttons {
		if len(b.Value) > slackValue || len(buttons.Elements) == slackButtons {
			continue
		}
		button := slackBlock{
			Type: "button", Text: &slackText{"plain_text", plain.Clip(plain.Line(b.Choice), slackLabel)}, ActionID: fmt.Sprint(outbox.ButtonAction, i), Value: b.Value,
		}
		switch b.Choice {
		case "approve":
			button.Style = "primary"
		case "reject":
			button.Style = "danger"
		}
		buttons.Elements = append(buttons.Elements, button)
	}
	return append(blocks, buttons)
}
