package commandline

import (
	"cmp"
	"errors"
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
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", time.DateTime, time.RFC3339} {
		if at, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("`--%s %s`: give an age such as 30d, 2w or 12h, or a date such as 2026-05-31", flag, text)
}

// PruneTime returns the time before which the runs that prune removes must have ended. chosen says
// that --keep or --status is given.
func PruneTime(olderThan, keep string, chosen bool) (time.Time, error) {
	switch n, err := strconv.Atoi(keep); {
	case olderThan == "" && !chosen:
		return time.Time{}, errors.New("say which runs: give --older-than, --keep or --status; add --dry-run to look first")
	case err != nil || n < 0:
		return time.Time{}, fmt.Errorf("`--keep %s`: give 0 or a positive number", keep)
	}
	return PastTime("older-than", cmp.Or(olderThan, "0s"))
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
