// Package target reads the targets of deliveries, as workflows write them in
// `deliver_to`, and decides which targets a run has. It sends nothing, so the
// compiler and every command line can use it.
//
//	t, err := target.Parse("slack:C123") // {Channel: "slack", ID: "C123"}
package target

import (
	"fmt"
	"strings"
)

// A Target is the destination of a message.
type Target struct {
	// Channel is a kind of channel, such as "slack", or the name of one that
	// wfc.yaml configures.
	Channel string
	// ID is the channel's name for the receiver, such as a room or a chat; "" is the
	// channel's default.
	ID string
}

// String returns the target as `deliver_to` writes it.
func (t Target) String() string {
	if t.ID == "" {
		return t.Channel
	}
	return t.Channel + ":" + t.ID
}

// Kinds returns the kinds of channels in order.
func Kinds() []string { return []string{"discord", "mail", "slack", "telegram", "webhook"} }

// Parse reads a target. The error says what is wrong with it.
func Parse(text string) (Target, error) {
	channel, id, colon := strings.Cut(strings.TrimSpace(text), ":")
	channel, id = strings.TrimSpace(channel), strings.TrimSpace(id)
	if channel == "mailto" && id != "" {
		channel = "mail"
	}
	switch {
	case channel == "":
		return Target{}, fmt.Errorf("missing channel in `%s`: write one such as `slack` or `telegram:42`", text)
	case strings.ContainsAny(channel, " \t\r\n/"):
		return Target{}, fmt.Errorf("invalid channel `%s`: write one such as `slack` or `telegram:42`", channel)
	case strings.HasPrefix(id, "//"):
		return Target{}, fmt.Errorf("an address may be secret: configure a channel in wfc.yaml, and use its name")
	case colon && id == "":
		return Target{}, fmt.Errorf("missing receiver after the colon of `%s`: write it, or remove the colon", text)
	case channel == "webhook" && id == "":
		return Target{}, fmt.Errorf("`webhook` needs a name, as in `webhook:ci`")
	case channel == "mail" && colon && !isMailAddress(id):
		return Target{}, fmt.Errorf("invalid e-mail address `%s`: write one such as `mailto:ops@example.com`", id)
	}
	return Target{channel, id}, nil
}

// isMailAddress reports whether a string may be an e-mail address, alone and without a name.
func isMailAddress(text string) bool {
	name, host, ok := strings.Cut(text, "@")
	return ok && name != "" && host != "" && !strings.ContainsAny(text, " \t\r\n,;:<>\"()") && !strings.Contains(host, "@")
}

// Resolve returns the targets of a workflow's result, as `deliver_to` writes them: the
// targets in named, which the workflow names; else the channel of the chat from which the
// run was started; else the defaults. chat is the key of this chat, such as
// `slack:C123:U456`, or "". Resolve ignores targets that Parse rejects.
func Resolve(named []string, chat string, defaults []string) []string {
	if list := validTargets(named); len(list) > 0 {
		return list
	}
	if t, ok := ofSession(chat); ok {
		return []string{t.String()}
	}
	return validTargets(defaults)
}

// ofSession returns the channel of a session. Its key is a channel, the receiver
// there and optionally a user, separated by colons. Other keys have no channel.
func ofSession(key string) (t Target, ok bool) {
	channel, rest, colon := strings.Cut(key, ":")
	if !colon {
		return Target{}, false
	}
	switch channel {
	case "slack", "discord", "telegram":
		id, _, _ := strings.Cut(rest, ":")
		return Target{channel, id}, true
	}
	return Target{}, false
}

// validTargets returns the targets that Parse accepts, as `deliver_to` writes them.
func validTargets(texts []string) []string {
	var list []string
	for _, text := range texts {
		if t, err := Parse(text); err == nil {
			list = append(list, t.String())
		}
	}
	return list
}
