package postgres

import "time"

// A clock is what leases are timed by. Tests have one of their own.
type clock interface {
	Now() time.Time
	// AfterFunc calls do on a goroutine of its own once a time has passed.
	AfterFunc(d time.Duration, do func()) timer
}

// A timer is a call that is to come.
type timer interface {
	// Stop reports whether the call will not come any more because of it.
	Stop() bool
}

// realClock is the clock of this machine.
type realClock struct{}

// Now implements clock.
func (realClock) Now() time.Time { return time.Now() }

// AfterFunc implements clock.
func (realClock) AfterFunc(d time.Duration, do func()) timer { return time.AfterFunc(d, do) }
