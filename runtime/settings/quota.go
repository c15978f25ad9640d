package settings

import (
	"cmp"
	"time"
)

// A Quota says what happens to a prompt whose agent refuses it because the account's plan, or
// its rate of requests, is used up for now. The zero Quota is QuotaFail.
type Quota struct {
	Policy QuotaPolicy
	// MaxWait limits the sum of the waits of one prompt. 0 means a day for QuotaWait, and for
	// QuotaUse no wait: with a limit, the run waits once the quotas of both agents are used up.
	MaxWait time.Duration
	// FirstWait is the first wait if the agent doesn't say when its quota is reset; each further
	// one is twice as long, up to an hour. 0 means 5 minutes.
	FirstWait time.Duration
	// MaxWaits limits the number of waits of one prompt. 0 means no limit.
	MaxWaits int
	// Use is, for QuotaUse, the agent that answers instead. Its own policy counts if its quota
	// is used up, too.
	Use string
}

// A QuotaPolicy is the kind of a Quota.
type QuotaPolicy string

// The policies.
const (
	// QuotaFail fails the prompt. The zero QuotaPolicy is the same.
	QuotaFail QuotaPolicy = "fail"
	// QuotaWait lets the run wait until the quota is reset.
	QuotaWait QuotaPolicy = "wait"
	// QuotaUse has another agent answer the prompt.
	QuotaUse QuotaPolicy = "use"
)

// LongestWait returns the limit of the waits of one prompt, or 0 if it doesn't wait.
func (q Quota) LongestWait() time.Duration {
	if q.Policy == QuotaWait {
		return cmp.Or(q.MaxWait, 24*time.Hour)
	}
	return q.MaxWait
}

// Or returns q, or other if q sets no policy.
func (q Quota) Or(other Quota) Quota { return cmp.Or(q, other) }
