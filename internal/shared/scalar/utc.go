package scalar

import (
	"strings"
	"time"
)

// UTC reads a time in UTC as archon workflows write it: 2027-01-31T09:00:00Z, with or
// without seconds and their fraction.
func UTC(text string) (t time.Time, ok bool) {
	whole, utc := strings.CutSuffix(text, "Z")
	if !utc {
		return t, false
	}
	for _, form := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if t, err := time.Parse(form, whole); err == nil {
			return t, !strings.Contains(whole, ",")
		}
	}
	return t, false
}
