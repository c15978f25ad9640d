//go:build race && unix

package fakeagent

import (
	"os"
	"syscall"
)

// variable holds the settings of the race detector.
const variable = "GORACE"

// skipExitDelay restarts the fake program if it would wait a second before it ends, as
// programs under the race detector do: agents' programs get their own environment,
// without the test's setting.
func skipExitDelay() {
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
