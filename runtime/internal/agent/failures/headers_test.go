package failures_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
)

// Services say in several ways how long to wait. Their clock may differ from this machine's.
func TestWaitOf(t *testing.T) {
	now := time.Date(2026, 11, 26, 22, 30, 0, 0, time.UTC)
	const later = "Thu, 26 Nov 2026 22:32:00 GMT"
	for _, test := range []struct {
		name    string
		status  int
		headers map[string]string
		want    time.Duration
	}{
		{"nothing", 429, nil, 0},
		{"seconds", 503, map[string]string{"Retry-After": "20"}, 20 * time.Second},
		{"a fraction", 429, map[string]string{"Retry-After": "1.5"}, 1500 * time.Millisecond},
		{"milliseconds", 429, map[string]string{"Retry-After-Ms": "250", "Retry-After": "1"}, 250 * time.Millisecond},
		{"a date", 503, map[string]string{"Retry-After": later}, 2 * time.Minute},
		{"a date of a clock that is an hour ahead", 503, map[string]string{"Retry-After": later, "Date": "Thu, 26 Nov 2026 22:31:30 GMT"}, 30 * time.Second},
		{"a date that is over", 503, map[string]string{"Retry-After": "Thu, 26 Nov 2026 22:00:00 GMT"}, 0},
		{"below zero", 429, map[string]string{"Retry-After": "-3"}, 0},
		{"unreadable", 429, map[string]string{"Retry-After": "soon"}, 0},
		{"not a number", 429, map[string]string{"Retry-After": "NaN"}, 0},
		{"for ever", 429, map[string]string{"Retry-After": "1e300"}, 365 * 24 * time.Hour},
		{"anthropic, of several limits", 429, map[string]string{
			"anthropic-ratelimit-requests-remaining": "49", "anthropic-ratelimit-requests-reset": "2026-11-26T23:00:00Z",
			"anthropic-ratelimit-input-tokens-remaining": "0", "anthropic-ratelimit-input-tokens-reset": "2026-11-26T22:30:41Z"}, 41 * time.Second},
		{"anthropic, of a plan", 429, map[string]string{
			"anthropic-ratelimit-unified-status": "rejected", "anthropic-ratelimit-unified-reset": "1795735800",
			"anthropic-ratelimit-unified-7d-status": "allowed_warning", "anthropic-ratelimit-unified-7d-reset": "1796000000"}, time.Hour},
		{"openai", 429, map[string]string{
			"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s",
			"x-ratelimit-remaining-tokens": "9000", "x-ratelimit-reset-tokens": "20m"}, 6 * time.Minute},
		{"openrouter, in milliseconds since 1970", 429, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795732260000"}, time.Minute},
		{"the draft of the IETF", 429, map[string]string{"RateLimit-Remaining": "0", "RateLimit-Reset": "50"}, 50 * time.Second},
		{"the limits of a service that fails for another reason", 500, map[string]string{"x-ratelimit-reset-requests": "6m0s"}, 0},
	} {
		r := &http.Response{StatusCode: test.status, Header: http.Header{}}
		for name, value := range test.headers {
			r.Header.Set(name, value)
		}
		if got := failures.WaitOf(r, now); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
