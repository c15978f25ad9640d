package failures

import "context"

// Asks are told of each request of a turn to its service.
type Asks interface {
	// Begin waits until the request may be made; an error is in place of it.
	Begin(ctx context.Context) error
	// End says that the request met an outage, and which, or "".
	End(problem string)
}

type asksKey struct{}

// WithAsks returns a context whose requests tell asks.
func WithAsks(ctx context.Context, asks Asks) context.Context {
	return context.WithValue(ctx, asksKey{}, asks)
}

// AsksOf returns those of a context, or some that need nothing.
func AsksOf(ctx context.Context) Asks {
	if a, ok := ctx.Value(asksKey{}).(Asks); ok {
		return a
	}
	return free{}
}

type free struct{}

func (free) Begin(context.Context) error { return nil }
func (free) End(string)                  {}
