// Package statuses lists the statuses by which commands select runs.
package statuses

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// all are the statuses, in the order in which help shows them.
var all = []flow.Status{flow.Running, flow.Interrupted, flow.Paused, flow.Completed, flow.Failed, flow.Cancelled, flow.LimitReached}

// Names returns the statuses as strings.
func Names() []string {
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = string(s)
	}
	return names
}

// List returns the statuses for a message or a help text.
func List() string { return strings.Join(Names(), ", ") }

// Has reports whether runs can have a status.
func Has(s flow.Status) bool { return slices.Contains(all, s) }
