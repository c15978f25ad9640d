package config

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/deliver/target"
)

// Delivery says where results go.
type Delivery struct {
	// Default are the targets of results for which neither the workflow nor the
	// session names any.
	Default []string
	// Channels are what targets name, in file order.
	Channels []Channel
}

// A Channel is a place that targets name; see runtime/deliver.
type Channel struct {
	// Name is what targets call it, and Kind how messages get there; "" means that
	// the name is a kind.
	Name, Kind string
	// URLVariable and TokenVariable are the environment variables with what is
	// secret about it.
	URLVariable, TokenVariable string
	// Receiver is the room or chat of targets that name none.
	Receiver string
	// BaseURL is where the service is, or "" for the vendor's own.
	BaseURL string
}

func (d *decoder) delivery(setting string, n *yamlsrc.Node) {
	d.section(setting, n, []key{
		{"default", func(d *decoder, setting string, n *yamlsrc.Node) {
			for _, text := range d.texts(setting, n) {
				if _, err := target.Parse(text); err != nil {
					d.wrong(setting, n, "a list of targets, but "+err.Error())
					continue
				}
				d.config.Delivery.Default = append(d.config.Delivery.Default, text)
			}
		}},
		{"channels", func(d *decoder, setting string, n *yamlsrc.Node) {
			for pair := range d.pairs(setting, n) {
				d.channel(join(setting, pair.Key.Value), pair)
			}
		}},
	})
}

// channel reads one channel.
func (d *decoder) channel(setting string, pair yamlsrc.Pair) {
	c := Channel{Name: pair.Key.Value}
	into := func(field *string) func(*decoder, string, *yamlsrc.Node) {
		return func(d *decoder, setting string, n *yamlsrc.Node) { *field = d.text(setting, n) }
	}
	variable := func(field *string) func(*decoder, string, *yamlsrc.Node) {
		return func(d *decoder, setting string, n *yamlsrc.Node) {
			name := d.text(setting, n)
			if strings.ContainsAny(name, "=:/$ \t\n") {
				d.wrong(setting, n, "the name of an environment variable that holds it, since it is secret")
				return
			}
			*field = name
		}
	}
	d.section(setting, pair.Value, []key{
		{"kind", func(d *decoder, setting string, n *yamlsrc.Node) { c.Kind = d.choice(setting, n, target.Kinds()) }},
		{"url_variable", variable(&c.URLVariable)},
		{"token_variable", variable(&c.TokenVariable)},
		{"receiver", into(&c.Receiver)},
		{"base_url", into(&c.BaseURL)},
	})
	t, err := target.Parse(c.Name)
	switch {
	case err != nil:
		d.wrong(setting, pair.Key, "called by a name that targets can have: "+err.Error())
	case c.Kind == "" && !slices.Contains(target.Kinds(), t.Channel):
		d.wrong(setting, pair.Key, "given a `kind`, one of "+strings.Join(target.Kinds(), ", ")+", unless it is called like one")
	default:
		d.config.Delivery.Channels = append(d.config.Delivery.Channels, c)
	}
}
