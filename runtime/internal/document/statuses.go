package document

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// statuses are the statuses, in the order in which help shows them.
var statuses = []flow.Status{flow.Running, flow.Interrupted, flow.Paused, flow.Completed, flow.Failed, flow.Cancelled, flow.LimitReached}

// StatusNames returns the statuses as strings.
func StatusNames() []string {
	names := make([]string, len(statuses))
	for i, s := range statuses {
		names[i] = string(s)
	}
	return names
}

// StatusList returns the statuses for a message or a help text.
func StatusList() string { return strings.Join(StatusNames(), ", ") }

// IsStatus reports whether runs can have a status.
func IsStatus(s flow.Status) bool { return slices.Contains(statuses, s) }
