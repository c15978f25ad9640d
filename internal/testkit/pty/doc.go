// Package pty makes terminals for tests, on Linux.
package pty
