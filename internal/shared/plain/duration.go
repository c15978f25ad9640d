package plain

import (
	"strings"
	"time"
)

// Duration returns a duration with the digits that matter to a person.
func Duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// ShortSpan returns a span of time without parts that are 0: 3h, not 3h0m0s.
func ShortSpan(d time.Duration) string {
	text := d.String()
	if rest, ok := strings.CutSuffix(text, "m0s"); ok {
		text = rest + "m"
	}
	if rest, ok := strings.CutSuffix(text, "h0m"); ok {
		text = rest + "h"
	}
	return text
}

// TimeTaken returns how long something took, or "" if it has not ended.
func TimeTaken(begin, end time.Time) string {
	if end.IsZero() {
		return ""
	}
	return Duration(end.Sub(begin))
}
