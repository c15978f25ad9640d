//go:build race && unix

package fakeagent

import (
	"os"
	"syscall"
)

// variable holds the settings of the race detector.
const variable = "GORACE"

// hurry begins the fake program anew if it would wait a second before it ends, as
// programs do that search for races: agents' programs get an environment of their
// own, without the test's setting.
func hurry() {
	if os.Getenv(variable) != "" {
		return
	}
	self, err := os.Executable()
	if err != nil {
		return // it is only slower
	}
	// It only returns when it failed.
	_ = syscall.Exec(self, os.Args, append(os.Environ(), variable+"=atexit_sleep_ms=0"))
}
