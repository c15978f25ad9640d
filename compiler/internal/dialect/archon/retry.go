package archon

import (
	"strconv"
	"time"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/ir"
)

// retryDecl holds the keys under `retry:`.
type retryDecl struct {
	max   int
	delay time.Duration
	all   bool
}

// defaultRetryDelay is the wait before the second attempt when retry does not
// say.
const defaultRetryDelay = 3 * time.Second

var retryLevel = level{Where: "under `retry:`", Name: "`retry`", Prefix: "retry."}

var retryFields = []field[retryDecl]{
	{Name: "max_attempts", Shape: decode.Integer.From(1, 5), Required: true,
		Doc:  "Number of retries after the first attempt.",
		Read: func(d *decoder, v value, r *retryDecl) { r.max, _ = d.Whole(v) }},
	{Name: "delay_ms", Shape: decode.Number.From(1000, 60000).In("milliseconds"), Default: strconv.FormatInt(defaultRetryDelay.Milliseconds(), 10),
		Doc: "Wait before the first retry; it doubles with each.",
		Read: func(d *decoder, v value, r *retryDecl) {
			ms, ok := d.NumberIn(v, "")
			if ok {
				r.delay = milliseconds(ms)
			}
		}},
	{Name: "on_error", Shape: decode.OneOf("transient", "all"), Default: `"transient"`,
		Doc: "Which failures are retried.",
		Read: func(d *decoder, v value, r *retryDecl) {
			on, _ := d.Choice(v)
			r.all = on == "all"
		}},
}

// promptRetry applies to nodes that ask an agent and have no retry settings:
// transient failures are retried twice.
func promptRetry() *ir.Retry { return &ir.Retry{Max: 2, Delay: defaultRetryDelay} }

// readRetry decodes a retry; the result is nil when it is not a mapping.
func (d *decoder) readRetry(v value) *ir.Retry {
	r := retryDecl{delay: defaultRetryDelay}
	if !readLevel(d, v, retryLevel, retryFields, &r) {
		return nil
	}
	return &ir.Retry{Max: r.max, Delay: r.delay, All: r.all, Span: v.Key.Span}
}
