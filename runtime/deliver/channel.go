package deliver

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// address is where one target's messages are sent to, with the secrets at hand.
type address struct {
	kind, url, token, base, receiver string
}

// findAddress returns the address of a target. The error says what is missing.
func (p *performer) findAddress(t target.Target, environ []string) (address, error) {
	c, receiver, err := p.findChannel(t)
	if err != nil {
		return address{}, err
	}
	a := address{
		kind: c.Kind, url: lookupVariable(environ, c.URLVariable), token: lookupVariable(environ, c.TokenVariable),
		base: strings.TrimRight(c.BaseURL, "/"), receiver: receiver,
	}
	a.receiver = cmp.Or(a.receiver, c.Receiver)
	if a.url == "" && a.token == "" {
		return a, fmt.Errorf("missing address: set %s%s", addressVariables(c), p.configHint(c))
	}
	if err := a.expandParts(); err != nil {
		// The library's error about an address may hold its secrets.
		return a, fmt.Errorf("the value of %s is not the address of a %s channel", addressVariables(c), c.Kind)
	}
	if a.url == "" && a.receiver == "" && a.kind != "webhook" {
		return a, fmt.Errorf("missing receiver: a bot needs one, as in `%s:ID` or in wfc.yaml", t.Channel)
	}
	if a.url == "" && a.kind == "discord" && strings.Trim(a.receiver, "0123456789") != "" {
		// It becomes a part of an address, where `..` leads elsewhere.
		return a, fmt.Errorf("`%s` is not the id of a channel: Discord's are numbers, as in `%s:987654`", a.receiver, t.Channel)
	}
	return a, nil
}

// addressVariables names the variables that a channel needs, of which one is enough.
func addressVariables(c settings.Channel) string {
	var names []string
	for _, name := range []string{c.URLVariable, c.TokenVariable} {
		if name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// configHint says how else a channel is configured.
func (p *performer) configHint(c settings.Channel) string {
	if slices.ContainsFunc(p.channels, func(k settings.Channel) bool { return k.Name == c.Name }) {
		return ""
	}
	return fmt.Sprintf(", or `delivery.channels.%s` in wfc.yaml", c.Name)
}

// findChannel returns the channel of a target, and the receiver that the target names.
func (p *performer) findChannel(t target.Target) (settings.Channel, string, error) {
	named := func(name string) (settings.Channel, bool) {
		i := slices.IndexFunc(p.channels, func(c settings.Channel) bool { return c.Name == name })
		if i < 0 {
			return settings.Channel{}, false
		}
		return p.channels[i], true
	}
	if c, ok := named(t.String()); ok {
		return completeChannel(c), t.ID, nil
	}
	if t.Channel == "webhook" {
		if c, ok := named(t.ID); ok && completeChannel(c).Kind == "webhook" {
			return completeChannel(c), "", nil
		}
		return fromEnvironment("webhook", t.ID), "", nil
	}
	if c, ok := named(t.Channel); ok {
		return completeChannel(c), t.ID, nil
	}
	if slices.Contains(target.Kinds(), t.Channel) {
		return fromEnvironment(t.Channel, ""), t.ID, nil
	}
	known := target.Kinds()
	for _, c := range p.channels {
		if !slices.Contains(known, c.Name) {
			known = append(known, c.Name)
		}
	}
	return settings.Channel{}, "", errors.New(plain.UnknownName("channel", t.Channel, known))
}

// completeChannel gives a channel the kind of its name, and the usual variables when it
// names none.
func completeChannel(c settings.Channel) settings.Channel {
	if c.Kind == "" {
		c.Kind, _, _ = strings.Cut(c.Name, ":")
	}
	if c.URLVariable == "" && c.TokenVariable == "" {
		usual := fromEnvironment(c.Kind, "")
		if c.Kind == "webhook" {
			usual = fromEnvironment(c.Kind, strings.TrimPrefix(c.Name, "webhook:"))
		}
		c.URLVariable, c.TokenVariable = usual.URLVariable, usual.TokenVariable
	}
	return c
}

// Secrets are the names of the environment variables in which the performer looks
// for addresses and tokens: those of its channels, and the usual ones.
func (p *performer) Secrets() []string {
	var names []string
	add := func(c settings.Channel) {
		for _, name := range []string{c.URLVariable, c.TokenVariable} {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, c := range p.channels {
		add(completeChannel(c))
	}
	for _, kind := range target.Kinds() {
		if kind != "webhook" {
			add(fromEnvironment(kind, ""))
		}
	}
	return names
}

// fromEnvironment is the channel of a kind, and of webhooks of a name, that the
// environment alone configures.
func fromEnvironment(kind, name string) settings.Channel {
	prefix := "WFC_" + strings.ToUpper(kind)
	c := settings.Channel{Name: kind, Kind: kind, URLVariable: prefix + "_URL", TokenVariable: prefix + "_TOKEN"}
	if kind == "webhook" {
		c.Name, c.URLVariable, c.TokenVariable = name, prefix+"_"+variablePart(name)+"_URL", ""
	}
	return c
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

// lookupVariable returns a variable's value without surrounding spaces.
func lookupVariable(environ []string, name string) string {
	if name == "" {
		return ""
	}
	return strings.TrimSpace(process.Variable(environ, name))
}
