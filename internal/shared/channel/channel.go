// Package channel finds the channels that targets name, and what they lack to be used. It
// sends nothing, so the compiler and every command line can use it.
//
//	c, receiver, err := channel.Find(project.Channels, target.Target{Channel: "slack", ID: "C123"})
package channel

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The kinds of channels that are no services of chats.
const (
	Mail    = "mail"
	Command = "command"
)

// Find returns the channel of a target, with its kind and the usual variables, and the
// receiver that the target names.
func Find(channels []settings.Channel, t target.Target) (settings.Channel, string, error) {
	named := func(name string) (settings.Channel, bool) {
		i := slices.IndexFunc(channels, func(c settings.Channel) bool { return c.Name == name })
		if i < 0 {
			return settings.Channel{}, false
		}
		return channels[i], true
	}
	if c, ok := named(t.String()); ok {
		return Complete(c), t.ID, nil
	}
	if t.Channel == "webhook" {
		if c, ok := named(t.ID); ok && Complete(c).Kind == "webhook" {
			return Complete(c), "", nil
		}
		return Usual("webhook", t.ID), "", nil
	}
	if c, ok := named(t.Channel); ok {
		return Complete(c), t.ID, nil
	}
	if slices.Contains(target.Kinds(), t.Channel) {
		return Usual(t.Channel, ""), t.ID, nil
	}
	known := target.Kinds()
	for _, c := range channels {
		if !slices.Contains(known, c.Name) {
			known = append(known, c.Name)
		}
	}
	return settings.Channel{}, "", errors.New(plain.UnknownName("channel", t.Channel, known))
}

// Check returns what keeps messages from a channel: no variable with its address is set, or
// its program is missing. lookup returns the value of a variable. channels are those that
// are configured.
func Check(channels []settings.Channel, c settings.Channel, lookup func(name string) string) error {
	if c.Kind == Command {
		if len(c.Command) == 0 {
			return errors.New("missing command: name a program in wfc.yaml, under `delivery.channels`")
		}
		if _, err := exec.LookPath(c.Command[0]); err != nil {
			return fmt.Errorf("its program cannot be started: %w", err)
		}
		return nil
	}
	if lookup(c.URLVariable) == "" && lookup(c.TokenVariable) == "" {
		hint := fmt.Sprintf(", or `delivery.channels.%s` in wfc.yaml", c.Name)
		if slices.ContainsFunc(channels, func(k settings.Channel) bool { return k.Name == c.Name }) {
			hint = ""
		}
		return fmt.Errorf("missing address: set %s%s", Variables(c), hint)
	}
	return nil
}

// Variables names the variables that a channel needs, of which one is enough.
func Variables(c settings.Channel) string {
	var names []string
	for _, name := range []string{c.URLVariable, c.TokenVariable} {
		if name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// Complete gives a channel the kind of its name, and the usual variables when it names none.
func Complete(c settings.Channel) settings.Channel {
	if c.Kind == "" {
		c.Kind, _, _ = strings.Cut(c.Name, ":")
		c.Kind = strings.Replace(c.Kind, "mailto", Mail, 1)
	}
	if c.URLVariable == "" && c.TokenVariable == "" && c.Kind != Command {
		usual := Usual(c.Kind, "")
		if c.Kind == "webhook" {
			usual = Usual(c.Kind, strings.TrimPrefix(c.Name, "webhook:"))
		}
		c.URLVariable, c.TokenVariable = usual.URLVariable, usual.TokenVariable
	}
	return c
}

// Usual is the channel of a kind, and of webhooks of a name, that the environment alone
// configures.
func Usual(kind, name string) settings.Channel {
	prefix := "WFC_" + strings.ToUpper(kind)
	c := settings.Channel{Name: kind, Kind: kind, URLVariable: prefix + "_URL", TokenVariable: prefix + "_TOKEN"}
	switch kind {
	case "webhook":
		c.Name, c.URLVariable, c.TokenVariable = name, prefix+"_"+variablePart(name)+"_URL", ""
	case Mail:
		c.TokenVariable = ""
	}
	return c
}

// Unready returns what keeps messages from targets, one error for each target.
func Unready(channels []settings.Channel, targets []string, lookup func(name string) string) []error {
	var list []error
	for _, text := range targets {
		t, err := target.Parse(text)
		if err == nil {
			var c settings.Channel
			if c, _, err = Find(channels, t); err == nil {
				err = Check(channels, c, lookup)
			}
		}
		if err != nil {
			list = append(list, fmt.Errorf("%s: %w", cmp.Or(text, "(no target)"), err))
		}
	}
	return list
}

// variablePart returns a name in a form for the name of an environment variable.
func variablePart(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
}
