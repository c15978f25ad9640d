package scripted

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
)

// A reply is one scripted answer.
type reply struct {
	Text         string          `json:"text"`
	Chunks       []string        `json:"chunks"`
	Structured   json.RawMessage `json:"structured"`
	JSON         json.RawMessage `json:"json"` // as test files call Structured
	Throw        string          `json:"throw"`
	Fail         string          `json:"fail"` // as test files call Throw
	Class        flow.Class      `json:"class"`
	IsError      bool            `json:"isError"`
	ErrorSubtype string          `json:"errorSubtype"`
	Errors       []string        `json:"errors"`
	Cost         float64         `json:"cost"`
	// DelayMs is in milliseconds.
	DelayMs float64 `json:"delayMs"`
	Session string  `json:"session"`
	// QuotaMs makes the failure that of an agent whose quota is reset after so many
	// milliseconds; 0 leaves the time open.
	QuotaMs *float64 `json:"quotaMs"`
}

// UnmarshalJSON reads a string or an object.
func (r *reply) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &r.Text)
	}
	type fields reply
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode((*fields)(r)); err != nil {
		return plain.JSONError(err, "")
	}
	switch r.Class {
	case flow.ClassUnknown, flow.ClassTransient, flow.ClassFatal:
	default:
		return fmt.Errorf("unknown class `%s` of a reply: use `transient` or `fatal`, or leave it out", r.Class)
	}
	if r.Text != "" && r.Chunks != nil {
		return fmt.Errorf("a reply has both text and chunks; give one")
	}
	if r.Structured == nil {
		r.Structured = r.JSON
	}
	if string(r.Structured) == "null" {
		r.Structured = nil
	}
	r.Throw = cmp.Or(r.Throw, r.Fail)
	return nil
}

// fullText returns the whole text of the reply.
func (r *reply) fullText() string { return r.Text + strings.Join(r.Chunks, "") }

// textPieces returns the text as it comes.
func (r *reply) textPieces() []string {
	if r.Chunks != nil || r.Text == "" {
		return r.Chunks
	}
	return []string{r.Text}
}

// parseReplies reads replies by step.
func parseReplies(text []byte) (map[string][]reply, error) {
	text = wholefile.TrimBOM(text)
	d := json.NewDecoder(bytes.NewReader(text))
	var replies map[string][]reply
	if err := d.Decode(&replies); err != nil {
		return nil, plain.JSONError(err, string(text))
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the JSON object")
	}
	for step, list := range replies {
		if len(list) == 0 {
			return nil, fmt.Errorf("the list of `%s` is empty; give it a reply or leave it out", step)
		}
	}
	return replies, nil
}

// describedFailure returns the failure that the reply describes, or nil.
func (r *reply) describedFailure(q *agent.Request) *flow.Failure {
	var message string
	reason := failures.ReasonAgent
	switch {
	case r.Throw != "":
		message = r.Throw
	case !r.IsError:
		return nil
	case r.ErrorSubtype == "error_max_budget_usd":
		reason = failures.ReasonBudget
		message = fmt.Sprintf("Node '%s' exceeded cost cap%s.", q.Key, budgetText(q.Options))
	default:
		kind := cmp.Or(r.ErrorSubtype, "an error")
		message = fmt.Sprintf("Node '%s' failed: SDK returned %s", q.Key, kind)
		if len(r.Errors) > 0 {
			message += " — " + strings.Join(r.Errors, "; ")
		}
	}
	f := failures.New(r.Class, reason, "%s", message)
	if r.QuotaMs != nil {
		failures.OutOfQuota(f, time.Time{})
		if *r.QuotaMs > 0 {
			f.Quota.Reset = time.Now().Add(time.Duration(*r.QuotaMs * float64(time.Millisecond)))
		}
	}
	return f
}

// budgetText returns the cap that the node set, as messages show it.
func budgetText(options []flow.Option) string {
	for _, o := range options {
		if o.Name != "maxBudgetUsd" && o.Name != "max_budget_usd" {
			continue
		}
		if amount, err := strconv.ParseFloat(string(o.Value), 64); err == nil {
			return " of " + plain.Dollars(amount)
		}
	}
	return ""
}
