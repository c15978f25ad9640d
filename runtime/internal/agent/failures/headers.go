package failures

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// WaitOf returns how long the headers of a service's refusal ask to wait before the next request,
// or 0. The header Retry-After counts before those of rate limits. Dates count from the
// response's own date: the service's clock may differ from now, this machine's.
func WaitOf(r *http.Response, now time.Time) time.Duration {
	if date, err := http.ParseTime(r.Header.Get("Date")); err == nil {
		now = date
	}
	if ms, err := strconv.ParseFloat(r.Header.Get("Retry-After-Ms"), 64); err == nil {
		return spanOf(ms, time.Millisecond)
	}
	if text := strings.TrimSpace(r.Header.Get("Retry-After")); text != "" {
		if wait := waitUntil(text, now); wait > 0 {
			return wait
		}
	}
	if r.StatusCode != http.StatusTooManyRequests {
		return 0 // the others have these headers, too, and refuse for another reason
	}
	return limitWait(r.Header, now)
}

// limitWait returns how long the longest of the limits that are used up lasts. Each limit has a
// header with its reset: anthropic-ratelimit-tokens-reset, x-ratelimit-reset-requests. A header
// beside it may say that something of it is left.
func limitWait(h http.Header, now time.Time) (longest time.Duration) {
	for name := range h {
		lower := strings.ToLower(name)
		if !strings.Contains(lower, "ratelimit") || !strings.Contains(lower, "reset") {
			continue
		}
		left, err := strconv.ParseFloat(h.Get(strings.Replace(lower, "reset", "remaining", 1)), 64)
		status := h.Get(strings.Replace(lower, "reset", "status", 1))
		if err == nil && left > 0 || strings.HasPrefix(status, "allowed") {
			continue
		}
		longest = max(longest, waitUntil(h.Get(name), now))
	}
	return longest
}

// longestWait is the longest wait that a header is believed to mean.
const longestWait = 365 * 24 * time.Hour

// waitUntil reads a header's time as the wait until then: an HTTP date, a time of RFC 3339, a span
// such as 6m0s, or a number: of seconds, or of seconds or milliseconds since 1970. It returns 0 if
// the time is over or unreadable.
func waitUntil(text string, now time.Time) time.Duration {
	return max(0, min(parseWait(text, now), longestWait))
}

func parseWait(text string, now time.Time) time.Duration {
	const thisCentury = 1e9 // in seconds since 1970
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		if n >= thisCentury {
			return epochTime(n).Sub(now)
		}
		return spanOf(n, time.Second)
	}
	if span, err := time.ParseDuration(text); err == nil {
		return span
	}
	for _, parse := range []func(string) (time.Time, error){
		http.ParseTime,
		func(text string) (time.Time, error) { return time.Parse(time.RFC3339Nano, text) },
	} {
		if at, err := parse(text); err == nil {
			return at.Sub(now)
		}
	}
	return 0
}

// spanOf returns a number of units. What is not a positive number is 0.
func spanOf(n float64, unit time.Duration) time.Duration {
	if !(n > 0) {
		return 0
	}
	return time.Duration(min(n*float64(unit), float64(longestWait)))
}
