package archon

import (
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"time"

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
	{Name: "max_attempts", Shape: decode.Integer.With("from 1 to 5"), Required: true,
		Doc:  "Number of retries after the first attempt.",
		Read: func(d *decoder, v value, r *retryDecl) { r.max, _ = d.Whole(v, 1, 5) }},
	{Name: "delay_ms", Shape: decode.Number.With("of milliseconds from 1000 to 60000"),
		Doc: "Wait before the first retry; it doubles with each. 3000 if absent.",
		Read: func(d *decoder, v value, r *retryDecl) {
			ms, ok := d.NumberIf(v, "a number of milliseconds from 1000 to 60000", func(f float64) bool { return f >= 1000 && f <= 60000 })
			if ok {
				r.delay = milliseconds(ms)
			}
		}},
	{Name: "on_error", Shape: decode.OneOf("transient", "all"),
		Doc: "Which failures are retried; `transient` if absent.",
		Read: func(d *decoder, v value, r *retryDecl) {
			on, _ := d.Choice(v, "transient", "all")
			r.all = on == "all"
		}},
}

// promptRetry applies to nodes that ask an agent and have no retry settings:
// transient failures are retried twice.
func promptRetry() *ir.Retry { return &ir.Retry{Max: 2, Delay: defaultRetryDelay} }

// readRetry decodes a retry; the result is nil when it is not a mapping.
func (d *decoder) readRetry(v value) *ir.Retry {
	r := retryDecl{delay: defaultRetryDelay}
	if !decode.Fields(d, retryLevel, v, retryFields, &r) {
		return nil
	}
	d.missing(v, retryLevel, decode.Required(retryFields)...)
	return &ir.Retry{Max: r.max, Delay: r.delay, All: r.all, Span: v.Key.Span}
}
