package deliver

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// address is where one target's messages are sent to, with the secrets at hand.
type address struct {
	kind, url, token, base, receiver string
	// command is the program of a channel that is one.
	command []string
	// server is that of mail.
	server *url.URL
}

// findAddress returns the address of a target. The error says what is missing.
func (p *performer) findAddress(t target.Target, environ []string) (address, error) {
	c, receiver, err := target.FindChannel(p.channels, t)
	if err != nil {
		return address{}, err
	}
	lookup := func(name string) string { return lookupVariable(environ, name) }
	a := address{
		kind: c.Kind, url: lookup(c.URLVariable), token: lookup(c.TokenVariable),
		base: strings.TrimRight(c.BaseURL, "/"), receiver: cmp.Or(receiver, c.Receiver), command: c.Command,
	}
	if err := target.CheckChannel(p.channels, c, lookup); err != nil || a.kind == target.KindCommand {
		return a, err
	}
	if err := a.expandParts(); err != nil {
		// The library's error about an address may hold its secrets.
		return a, fmt.Errorf("the value of %s is not the address of a %s channel", target.ChannelVariables(c), c.Kind)
	}
	switch {
	case a.kind == target.KindMail && p.mail == nil:
		return a, fmt.Errorf("this program was built without e-mail: build it again")
	case a.kind == target.KindMail && a.receiver == "":
		return a, fmt.Errorf("missing receiver: an e-mail needs one, as in `mailto:ann@example.com` or in wfc.yaml")
	case a.url == "" && a.receiver == "" && a.kind != "webhook":
		return a, fmt.Errorf("missing receiver: a bot needs one, as in `%s:ID` or in wfc.yaml", t.Channel)
	case a.url == "" && a.kind == "discord" && strings.Trim(a.receiver, "0123456789") != "":
		// It becomes a part of an address, where `..` leads elsewhere.
		return a, fmt.Errorf("`%s` is not the id of a channel: Discord's are numbers, as in `%s:987654`", a.receiver, t.Channel)
	}
	return a, nil
}

// Secrets are the names of the environment variables in which the performer looks
// for addresses and tokens: those of its channels, and the usual ones.
func (p *performer) Secrets() []string {
	var names []string
	channels := slices.Clone(p.channels)
	for _, kind := range target.Kinds() {
		if kind != "webhook" {
			channels = append(channels, target.UsualChannel(kind, ""))
		}
	}
	for _, c := range channels {
		c = target.CompleteChannel(c)
		names = plain.AddNew(names, c.URLVariable, c.TokenVariable)
	}
	return names
}

// lookupVariable returns a variable's value without surrounding spaces.
func lookupVariable(environ []string, name string) string {
	if name == "" {
		return ""
	}
	return strings.TrimSpace(process.Variable(environ, name))
}
