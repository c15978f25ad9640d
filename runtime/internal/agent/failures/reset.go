package failures

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// ReasonQuota is the reason of a refusal because the account's plan, or its rate of requests, is
// used up for now: waiting helps.
const ReasonQuota = kernel.FailureQuota

// OutOfQuota returns f as the refusal of an agent whose quota is used up until reset, which is
// zero if it is unknown.
func OutOfQuota(f *flow.Failure, reset time.Time) *flow.Failure {
	f.Reason, f.Quota = ReasonQuota, &flow.Quota{Reset: reset}
	return f
}

// ReachesLimit reports whether a refusal says that a plan's limit is reached, which no retry
// within minutes passes.
func ReachesLimit(message string) bool {
	words := splitWords(strings.NewReplacer("'", "", "’", "").Replace(message))
	return hasPhrase(words, planPhrases)
}

// LimitsRate reports whether a refusal says that there are too many requests at a time.
func LimitsRate(message string) bool {
	return saysAny(message, ratePhrases, []string{"429"})
}

var (
	// noticePhrases say that a plan's limit is reached, also as the last line of a reply: no
	// answer has them. planPhrases say so in the error of a program or a service.
	noticePhrases = []string{"hit your session limit", "session limit reached"}
	planPhrases   = append([]string{"usage limit", "usage_limit_reached", "weekly limit", "hour limit reached", "daily limit", "daily quota", "per day",
		"hit your limit", "exhausted your capacity", "monthly limit", "premium requests", "premium request allowance", "plan limit", "no quota", "usage exceeded"}, noticePhrases...)
	ratePhrases = []string{"rate limit", "rate limited", "too many requests", "rate_limit_error", "rate_limit_exceeded", "resource_exhausted", "resource has been exhausted"}
)

// ResetOf returns when the quota is reset for whose lack an agent refused, or zero if the
// refusal doesn't say so. Structured data count before the message's words.
func ResetOf(f *flow.Failure, now time.Time) time.Time {
	switch {
	case f.Quota != nil && !f.Quota.Reset.IsZero():
		return f.Quota.Reset
	case f.RetryAfter > 0:
		return now.Add(f.RetryAfter)
	}
	return ParseReset(f.Message, now)
}

// ParseReset returns the time at which a message says that a limit is reset, or zero. It reads
// the forms that agents and services print (recorded in testdata/refusals.json): a time of day or
// a date with a zone in parentheses, a span of time, a number of seconds since 1970. A time of
// day without a date is the next one; without a zone it is in now's zone.
func ParseReset(message string, now time.Time) time.Time {
	message = strings.Join(strings.Fields(message), " ")
	for _, read := range []func(string, time.Time) time.Time{resetStamp, resetEpoch, resetClock, resetSpan} {
		if at := read(message, now); !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

// ResetFields returns the time at which a limit is reset, or how long to wait for it, by the fields of
// JSON in the texts of an error, at any depth: resets_at, resets_in_seconds, retry_after, retryDelay
// and their like. Both are zero without such fields.
func ResetFields(texts ...string) (reset time.Time, wait time.Duration) {
	for _, text := range texts {
		for _, m := range fieldPattern().FindAllStringSubmatch(text, -1) {
			name, value := strings.ToLower(strings.ReplaceAll(m[1], "_", "")), m[2]
			switch {
			case strings.HasSuffix(name, "at"):
				if at := fieldTime(value); at.After(reset) {
					reset = at
				}
			case strings.HasSuffix(name, "ms"):
				wait = max(wait, waitUntil(value+"ms", time.Time{}))
			default:
				wait = max(wait, waitUntil(value, time.Time{}))
			}
		}
	}
	return reset, wait
}

// fieldTime reads a time of RFC 3339, or seconds or milliseconds since 1970.
func fieldTime(value string) time.Time {
	if at, err := time.Parse(time.RFC3339Nano, value); err == nil {
		return at
	}
	return resetEpoch("|"+value, time.Time{})
}

// announced matches the words before the time of a reset.
const announced = `(?i)\b(?:resets?|reset at|resets at|reset on|resets on|reset in|resets in|reset after|retry after|retry-after|try again|available again|retry in|retry your request after|renews?)[\s:]*(?:at|on|in|after)?[\s:]*`

var (
	stampPattern = lazy(announced + `(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)`)
	fieldPattern = lazy(`(?i)\\?"(resets?_?at|resets?_?in_?seconds|retry_?after(?:_?seconds|_?ms)?|retry_?delay(?:_?ms)?)\\?"\s*:\s*\\?"?([0-9][0-9A-Za-z:.+-]*)`)
	epochPattern = lazy(`\|\s*(\d{10}|\d{13})\b`)
	clockPattern = lazy(announced + `(?:(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? ?(?:(\d{4}),? ?)?(?:at )?)?(\d{1,2}(?::\d\d)? ?[ap]\.?m\b\.?|\d{1,2}:\d\d\b)(?: ?\(([A-Za-z_]+(?:/[A-Za-z0-9_+-]+)*)\)| (UTC|GMT))?`)
	spanPattern  = lazy(announced + `(\d.*)`)
	spanPart     = lazy(`^(?i)[, ]*(?:and )?(\d+(?:\.\d+)?)\s*(days?|d|hours?|hrs?|h|minutes?|mins?|ms|m|seconds?|secs?|s)(?:[^a-zA-Z]|$)`)
)

func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// resetStamp reads a date with a time, as in RFC 3339.
func resetStamp(message string, now time.Time) time.Time {
	m := stampPattern().FindStringSubmatch(message)
	if m == nil {
		return time.Time{}
	}
	text := strings.Replace(m[1], " ", "T", 1)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at
		}
	}
	return time.Time{}
}

// resetEpoch reads seconds or milliseconds since 1970 after a vertical bar, as Claude Code adds
// them.
func resetEpoch(message string, _ time.Time) time.Time {
	m := epochPattern().FindStringSubmatch(message)
	if m == nil {
		return time.Time{}
	}
	n, _ := strconv.ParseFloat(m[1], 64)
	return epochTime(n)
}

// epochTime returns the time of a number of seconds or, if it is too large for that, of milliseconds
// since 1970.
func epochTime(n float64) time.Time {
	if n < 1e11 {
		return time.Unix(int64(n), 0)
	}
	return time.UnixMilli(int64(min(n, 1e15)))
}

// resetClock reads a time of day, with or without a day before it.
func resetClock(message string, now time.Time) time.Time {
	m := clockPattern().FindStringSubmatch(message)
	if m == nil {
		return time.Time{}
	}
	zone := now.Location()
	if name := m[5] + m[6]; name != "" {
		if name == "GMT" {
			name = "UTC"
		}
		loaded, err := time.LoadLocation(name)
		if err != nil {
			return time.Time{} // a guess of the zone may be hours off
		}
		zone = loaded
	}
	clock := parseClock(m[4])
	if clock.IsZero() {
		return time.Time{}
	}
	hour, minute := clock.Hour(), clock.Minute()
	now = now.In(zone)
	if m[1] == "" {
		at := time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, zone)
		if !at.After(now) {
			at = time.Date(now.Year(), now.Month(), now.Day()+1, hour, minute, 0, 0, zone)
		}
		return at
	}
	month, err := time.Parse("Jan", m[1][:1]+strings.ToLower(m[1][1:3]))
	day, _ := strconv.Atoi(m[2])
	if err != nil || day < 1 || day > 31 {
		return time.Time{}
	}
	if year, err := strconv.Atoi(m[3]); err == nil {
		return time.Date(year, month.Month(), day, hour, minute, 0, 0, zone)
	}
	at := time.Date(now.Year(), month.Month(), day, hour, minute, 0, 0, zone)
	if at.Before(now.AddDate(0, -1, 0)) {
		at = time.Date(now.Year()+1, month.Month(), day, hour, minute, 0, 0, zone) // January, said in December
	}
	return at
}

// parseClock reads a time of day, such as 3pm, 3:04 p.m. or 15:04.
func parseClock(text string) time.Time {
	text = strings.ToUpper(strings.NewReplacer(" ", "", ".", "").Replace(text))
	for _, layout := range []string{"3:04PM", "3PM", "15:04"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	return time.Time{}
}

// resetSpan reads a span of time from now.
func resetSpan(message string, now time.Time) time.Time {
	m := spanPattern().FindStringSubmatch(message)
	if m == nil {
		return time.Time{}
	}
	var span time.Duration
	for rest := m[1]; ; {
		part := spanPart().FindStringSubmatchIndex(rest)
		if part == nil {
			break
		}
		amount, err := strconv.ParseFloat(rest[part[2]:part[3]], 64)
		if err != nil || amount > 1e6 {
			return time.Time{}
		}
		span += time.Duration(amount * float64(unitOf(rest[part[4]:part[5]])))
		rest = rest[part[5]:]
	}
	if span <= 0 {
		return time.Time{}
	}
	return now.Add(span)
}

// unitOf returns the unit of a span of time by its name.
func unitOf(name string) time.Duration {
	if name = strings.ToLower(name); name == "ms" {
		return time.Millisecond
	}
	return map[byte]time.Duration{'d': 24 * time.Hour, 'h': time.Hour, 'm': time.Minute, 's': time.Second}[name[0]]
}
