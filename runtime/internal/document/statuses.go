package document

import (
	"errors"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
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

// SplitStatuses returns the statuses of a list with commas; "" has none.
func SplitStatuses(list string) (chosen []flow.Status, err error) {
	for name := range strings.SplitSeq(list, ",") {
		switch name = strings.TrimSpace(name); {
		case IsStatus(flow.Status(name)):
			chosen = append(chosen, flow.Status(name))
		case name != "" || list != "":
			return nil, errors.New(plain.UnknownName("status", name, StatusNames()))
		}
	}
	return chosen, nil
}

// IsStatus reports whether runs can have a status.
func IsStatus(s flow.Status) bool { return slices.Contains(statuses, s) }
