package google

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"google.golang.org/genai"

	"github.com/wfc-lang/wfc/runtime/agent"
)

const (
	// attempts is how often a request is made that is refused for reasons that
	// pass.
	attempts = 5
	// firstWait is the wait after the first attempt when the service says nothing
	// of it; each further one is twice as long.
	firstWait = time.Second
	// longestWait bounds what the service may ask for: a limit that takes longer
	// to pass is for the workflow's own retries, and for people.
	longestWait = time.Minute
)

// passing are the statuses of refusals that pass by themselves.
var passing = []int{http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
	http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// patient waits for the next attempt at a request that was refused, and reports
// whether there is one.
func patient(ctx context.Context, attempt int, err error) bool {
	var e *refusal
	if !errors.As(err, &e) || e.begun || !slices.Contains(passing, e.Code) || attempt >= attempts {
		return false
	}
	wait, told := advice(e.Details)
	if !told {
		wait = firstWait << (attempt - 1)
	}
	if wait > longestWait {
		return false
	}
	return agent.Wait(ctx, wait) == nil
}

// advice returns the wait that the details of a refusal ask for.
func advice(details []map[string]any) (wait time.Duration, told bool) {
	for _, d := range details {
		kind, _ := d["@type"].(string)
		text, _ := d["retryDelay"].(string)
		if !strings.HasSuffix(kind, "google.rpc.RetryInfo") {
			continue
		}
		if wait, err := time.ParseDuration(text); err == nil && wait >= 0 {
			return wait, true
		}
	}
	return 0, false
}

// A refusal is what the service says instead of an answer.
type refusal struct {
	genai.APIError
	// begun says that an answer had begun.
	begun bool
}

// Error implements error.
func (r *refusal) Error() string {
	if r.Status != "" {
		return r.Status + ": " + r.Message
	}
	return r.Message
}

// reason returns the reason in the details of the refusal, or "".
func (r *refusal) reason() string {
	for _, d := range r.Details {
		if reason, _ := d["reason"].(string); reason != "" {
			return reason
		}
	}
	return ""
}
