// Package target knows where messages can go: what `deliver_to` may say, and
// which of several sayings counts. It sends nothing, so that the compiler and
// every command line can use it.
package target

import (
	"fmt"
	"strings"
)

// A Target is where a message goes.
type Target struct {
	// Channel is a kind of channel, such as "slack", or the name of one that
	// wfc.yaml configures.
	Channel string
	// ID is what the channel calls the receiver, such as a room or a chat; "" is
	// the channel's own.
	ID string
}

// String is the target as `deliver_to` writes it.
func (t Target) String() string {
	if t.ID == "" {
		return t.Channel
	}
	return t.Channel + ":" + t.ID
}

// Kinds are the kinds of channels, in order.
func Kinds() []string { return []string{"discord", "slack", "telegram", "webhook"} }

// Parse reads a target.
func Parse(text string) (Target, error) {
	channel, id, colon := strings.Cut(strings.TrimSpace(text), ":")
	channel, id = strings.TrimSpace(channel), strings.TrimSpace(id)
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
	}
	return Target{channel, id}, nil
}

// A Tier says where targets come from.
type Tier int

// The tiers, the first that has targets counts.
const (
	// Nowhere: there are none.
	Nowhere Tier = iota
	// Workflow: the workflow names them.
	Workflow
	// Session: the session that the run was started from is one of a channel.
	Session
	// Default: the configuration names them.
	Default
)

// Resolve returns where a workflow's result goes. session is the key of the
// session that the run was started from, such as `slack:C123:U456`, or "".
func Resolve(workflow []string, session string, defaults []string) ([]Target, Tier) {
	if list := parseAll(workflow); len(list) > 0 {
		return list, Workflow
	}
	if t, ok := OfSession(session); ok {
		return []Target{t}, Session
	}
	if list := parseAll(defaults); len(list) > 0 {
		return list, Default
	}
	return nil, Nowhere
}

// OfSession returns the channel that a session belongs to. Its key is a channel,
// the receiver there and, maybe, a user, parted by colons. Other keys belong to
// none.
func OfSession(key string) (t Target, ok bool) {
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

// Channels returns the channels of targets without their receivers, each once.
func Channels(list []Target) []string {
	var names []string
	seen := map[string]bool{}
	for _, t := range list {
		if !seen[t.Channel] {
			seen[t.Channel] = true
			names = append(names, t.Channel)
		}
	}
	return names
}

// Strings returns targets as `deliver_to` writes them.
func Strings(list []Target) []string {
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.String()
	}
	return names
}

// parseAll reads targets and leaves out those that cannot be read; they were told
// of when the workflow and the configuration were.
func parseAll(texts []string) []Target {
	var list []Target
	for _, text := range texts {
		if t, err := Parse(text); err == nil {
			list = append(list, t)
		}
	}
	return list
}
