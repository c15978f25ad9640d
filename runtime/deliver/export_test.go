package deliver

import (
	"context"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Performer is the performer of deliveries.
type Performer = performer

// NewPerformer returns the performer itself.
func NewPerformer(channels ...settings.Channel) *Performer { return New(channels...).(*performer) }

// Quick makes a performer wait for nobody: waits are handed to slept, and a
// request may take no longer than limit.
func (p *performer) Quick(limit time.Duration, slept func(time.Duration)) {
	p.limit = limit
	p.sleep = func(ctx context.Context, d time.Duration) error {
		slept(d)
		return context.Cause(ctx)
	}
}

// Expand reads an address of a kind and says whether it is one.
func Expand(kind, text string) error {
	a := address{kind: kind, url: text}
	if err := a.expandParts(); err != nil {
		return err
	}
	a.secretMask().Replace(text)
	_, err := a.webRequests(outbox.Note{Text: text})
	return err
}

// Find looks an address up.
func (p *performer) Find(text string, environ ...string) (kind, url, token, base, receiver string, err error) {
	t, err := target.Parse(text)
	if err != nil {
		return "", "", "", "", "", err
	}
	a, err := p.findAddress(t, environ)
	return a.kind, a.url, a.token, a.base, a.receiver, err
}

// Split parts a text, counting as UTF-16 does.
func Split(text string, limit int) []string { return splitMessages(text, limit, utf16Length) }
