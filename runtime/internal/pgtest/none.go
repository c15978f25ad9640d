//go:build !linux

package pgtest

import (
	"errors"
	"testing"
)

// Password is that of the server's user.
const Password = ""

// ErrNone says that there is no PostgreSQL on this machine.
var ErrNone = errors.New("the tests run PostgreSQL on Linux alone")

// A Server is a running server; there is none.
type Server struct{}

// Start returns ErrNone.
func Start(...string) (*Server, error) { return nil, ErrNone }

// Run does nothing.
func (*Server) Run() error { return ErrNone }

// URL is "".
func (*Server) URL() string { return "" }

// Schema is "".
func (*Server) Schema(testing.TB) string { return "" }

// Exec does nothing.
func (*Server) Exec(testing.TB, string, ...any) {}

// Count is 0.
func (*Server) Count(testing.TB, string) int { return 0 }

// Kill does nothing.
func (*Server) Kill() {}

// Stop does nothing.
func (*Server) Stop() {}
