package plain

import "time"

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

// TimeTaken returns how long something took, or "" if it has not ended.
func TimeTaken(begin, end time.Time) string {
	if end.IsZero() {
		return ""
	}
	return Duration(end.Sub(begin))
}
