package py

import "errors"

// A guard keeps the first error of an evaluation, after which it does nothing.
type guard struct {
	err error
	// cause is the error as Python would raise it, while no place is known.
	cause error
	// symbol is not nil once a symbol was read.
	symbol *symbol
	// atPlace gets the next place; it is nil in programs that need none, which do not link it.
	atPlace func(at string)
}

// Fail notes an error, unless there was one; nil is none.
func (g *guard) Fail(err error) {
	if err != nil && !g.Failed() && g.symbol == nil {
		g.cause = err
	}
}

// Failed reports whether there was an error.
func (g *guard) Failed() bool { return g.err != nil || g.cause != nil }

// AtPlace calls f with the place of the current expression when it ends.
func (g *guard) AtPlace(f func(at string)) { g.atPlace = f }

// addPlace adds the place to the error that was noted since the last call.
func (g *guard) addPlace(at string) {
	if f := g.atPlace; f != nil && at != "" {
		g.atPlace = nil
		f(at)
	}
	if g.cause == nil {
		return
	}
	message := g.cause.Error()
	if at != "" {
		message += " in " + at
	}
	if raised := (*exception)(nil); errors.As(g.cause, &raised) {
		message += raised.Detail
	}
	g.err, g.cause = errors.New(message), nil
}

// evalGuarded returns what f computes. After an error, and when f raises one, ok is
// false.
func evalGuarded[T any](g *guard, f func() T) (v T, ok bool) {
	if g.Failed() {
		return v, false
	}
	if err := tryCatch(func() { v = f() }); err != nil {
		g.Fail(err)
		return v, false
	}
	return v, !g.Failed()
}

// evalValue is guarded for operations that give a value, which is None after an error.
func (g *guard) evalValue(f func() Value) Value {
	v, ok := evalGuarded(g, f)
	switch {
	case ok:
		return v
	case g.symbol != nil:
		return g.symbol
	}
	return None{}
}

// evalText is guarded for operations that give a string.
func (g *guard) evalText(f func() string) string {
	s, ok := evalGuarded(g, f)
	if !ok && g.symbol != nil {
		return g.symbol.text
	}
	return s
}

// Err returns the error, with its place, or nil.
func (g *guard) Err() error {
	g.addPlace("")
	return g.err
}

// Checked returns the text of a function that may fail, such as gotext.Slice.
func (g *guard) Checked(s string, err error) string {
	g.Fail(err)
	if g.Failed() {
		return ""
	}
	return s
}
