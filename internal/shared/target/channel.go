package target

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The kinds of channels that aren't chat services.
const (
	KindMail    = "mail"
	KindCommand = "command"
)

// FindChannel returns the channel of a target, with its kind and the usual variables, and the
// receiver that the target names.
func FindChannel(channels []settings.Channel, t Target) (settings.Channel, string, error) {
	named := func(name string) (settings.Channel, bool) {
		i := slices.IndexFunc(channels, func(c settings.Channel) bool { return c.Name == name })
		if i < 0 {
			return settings.Channel{}, false
		}
		return CompleteChannel(channels[i]), true
	}
	if c, ok := named(t.String()); ok {
		return c, t.ID, nil
	}
	if t.Channel == "webhook" {
		if c, ok := named(t.ID); ok && c.Kind == "webhook" {
			return c, "", nil
		}
		return UsualChannel("webhook", t.ID), "", nil
	}
	if c, ok := named(t.Channel); ok {
		return c, t.ID, nil
	}
	if slices.Contains(Kinds(), t.Channel) {
		return UsualChannel(t.Channel, ""), t.ID, nil
	}
	known := Kinds()
	for _, c := range channels {
		known = plain.AddNew(known, c.Name)
	}
	return settings.Channel{}, "", errors.New(plain.UnknownName("channel", t.Channel, known))
}

// CheckChannel returns what keeps messages from a channel: no variable with its address is set, or
// its program is missing. lookup returns the value of a variable. channels are those that
// are configured.
func CheckChannel(channels []settings.Channel, c settings.Channel, lookup func(name string) string) error {
	if c.Kind == KindCommand {
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
		return fmt.Errorf("missing address: set %s%s", ChannelVariables(c), hint)
	}
	return nil
}

// ChannelVariables names the variables that a channel needs, of which one is enough.
func ChannelVariables(c settings.Channel) string {
	return strings.Join(plain.AddNew([]string(nil), c.URLVariable, c.TokenVariable), " or ")
}

// CompleteChannel gives a channel the kind of its name, and the usual variables when it names none.
func CompleteChannel(c settings.Channel) settings.Channel {
	if c.Kind == "" {
		c.Kind, _, _ = strings.Cut(c.Name, ":")
		c.Kind = strings.Replace(c.Kind, "mailto", KindMail, 1)
	}
	if c.URLVariable == "" && c.TokenVariable == "" && c.Kind != KindCommand {
		usual := UsualChannel(c.Kind, "")
		if c.Kind == "webhook" {
			usual = UsualChannel(c.Kind, strings.TrimPrefix(c.Name, "webhook:"))
		}
		c.URLVariable, c.TokenVariable = usual.URLVariable, usual.TokenVariable
	}
	return c
}

// UsualChannel is the channel of a kind, and of webhooks of a name, that the environment alone
// configures.
func UsualChannel(kind, name string) settings.Channel {
	prefix := "WFC_" + strings.ToUpper(kind)
	c := settings.Channel{Name: kind, Kind: kind, URLVariable: prefix + "_URL", TokenVariable: prefix + "_TOKEN"}
	switch kind {
	case "webhook":
		c.Name, c.URLVariable, c.TokenVariable = name, prefix+"_"+variablePart(name)+"_URL", ""
	case KindMail:
		c.TokenVariable = ""
	}
	return c
}

// Check returns what keeps messages from a target; see CheckChannel.
func Check(channels []settings.Channel, text string, lookup func(name string) string) error {
	t, err := Parse(text)
	if err != nil {
		return err
	}
	c, _, err := FindChannel(channels, t)
	if err != nil {
		return err
	}
	return CheckChannel(channels, c, lookup)
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
