package sandbox

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/settings"
)

// A Missing is a layer of the sandbox that this machine lacks.
type Missing struct {
	// Layer names the layer, Why says what is wrong with it, and Remedy how to get it, or is "".
	Layer, Why, Remedy string
}

// String describes the layer in one line.
func (m Missing) String() string {
	if m.Remedy == "" {
		return m.Layer + ": " + m.Why
	}
	return m.Layer + ": " + m.Why + " (" + m.Remedy + ")"
}

// Check returns an error with the missing layers if the settings put a step into the sandbox and
// this system cannot have one. Whether it has one shows when a box is opened.
func Check(s *settings.Sandbox) error {
	var missing []Missing
	if s.Has(settings.SandboxOn) {
		missing = unsupportedLayers()
	}
	if s.Has(settings.SandboxReport) && missing == nil {
		missing = missingForObserving()
	}
	var lines []string
	for _, m := range missing {
		lines = append(lines, m.String())
	}
	if lines == nil {
		return nil
	}
	return fmt.Errorf("this machine has no sandbox, and the settings put steps into it: %s; `--sandbox=off` runs them without one", strings.Join(lines, "; "))
}
