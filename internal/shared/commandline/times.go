package commandline

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// PastTime reads the value of a flag that means a time in the past: an age, or a date with or
// without a time. It is the zero time for "".
func PastTime(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if age, ok := ParseAge(text); ok {
		return time.Now().Add(-age), nil
	}
	for _, layout := range []string{time.DateOnly, time.DateTime, time.RFC3339} {
		if at, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("`--%s %s`: give an age such as 30d, 2w or 12h, or a date such as 2026-05-31", flag, text)
}

// ParseAge reads an age: weeks, days, or what time.ParseDuration reads.
func ParseAge(text string) (time.Duration, bool) {
	const day = 24 * time.Hour
	for _, unit := range []struct {
		suffix string
		length time.Duration
	}{{"w", 7 * day}, {"d", day}} {
		if number, ok := strings.CutSuffix(text, unit.suffix); ok {
			n, err := strconv.ParseUint(number, 10, 16)
			return time.Duration(n) * unit.length, err == nil
		}
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d >= 0
}
