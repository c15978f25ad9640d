package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
)

// A refusal is a failure with the status of a service's response. Code that knows the
// settings adds advice for the user.
type refusal struct {
	flow.Failure
	status int
}

// Error implements error.
func (r *refusal) Error() string { return r.Message }

// Unwrap returns the failure, so that errors.As finds it.
func (r *refusal) Unwrap() error { return &r.Failure }

// statusOverloaded is what services answer that have too much to do in general.
const statusOverloaded = 529

// mostMessage is how many bytes of a service's message are quoted.
const mostMessage = 2000

// Failure returns the failure for a service's answer with an HTTP status. service is a
// name like "the Anthropic API"; message is the service's, best with its own name for the
// kind of error and the id of the request. A status of 0 is unknown: the message alone
// decides. wait is how long the service asks to wait, or 0.
func Failure(service string, status int, message string, wait time.Duration) error {
	r := &refusal{status: status}
	r.Reason, r.ExitCode, r.RetryAfter = failures.ReasonAgent, -1, wait
	r.Class = failures.ClassifyStatus(status)
	code := ""
	if status != 0 {
		code = fmt.Sprintf(" [%d]", status)
	}
	message = cmp.Or(briefMessage(message), strings.ToLower(http.StatusText(status)), "it does not say why")
	switch {
	case isCreditless(status, message):
		r.Class, r.Reason = flow.ClassFatal, failures.ReasonCredit
	case status == http.StatusTooManyRequests:
		failures.OutOfQuota(&r.Failure, time.Time{})
	case status == 0:
		r.Class = failures.ClassifyText(message)
	}
	r.Message = fmt.Sprintf("%s refused the request%s: %s", service, code, message)
	return r
}

// isCreditless reports whether a service refuses because nobody has paid. It does
// so under statuses that otherwise mean something else.
func isCreditless(status int, message string) bool {
	if status == http.StatusPaymentRequired {
		return true
	}
	message = strings.ToLower(message)
	phrases := []string{"insufficient_quota", "credit balance", "billing_hard_limit", "billing_error", "insufficient credit", "insufficient balance"}
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(message, phrase) })
}

// briefMessage returns a message on one line and of bearable length: an error may be a
// proxy's whole page.
func briefMessage(message string) string {
	message = strings.Join(strings.Fields(strings.ToValidUTF8(message, "\uFFFD")), " ")
	if len(message) > mostMessage {
		message = strings.ToValidUTF8(message[:mostMessage], "") + " …"
	}
	return message
}

// Broken returns the failure for an error of a request or of its response: a lost
// connection, a truncated answer, an unreadable one. It returns the error of a context
// unchanged.
func Broken(service string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	f := failures.New(failures.Classify(err), failures.ReasonAgent, "the connection to %s failed: %s", service, briefMessage(err.Error()))
	var network net.Error
	switch {
	case isUntrusted(err):
		f.Class = flow.ClassFatal
	case f.Class == flow.ClassUnknown && (errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)):
		f.Class = flow.ClassTransient
	}
	return f
}

// Truncated returns the failure of an answer that ended before it was whole.
func Truncated(service string) error {
	return failures.New(flow.ClassTransient, failures.ReasonOutput, "%s ended its answer in the middle", service)
}

// Garbled returns the failure of an answer that is not in the service's format.
// It passes by itself as far as one can know: what garbles is most often
// something on the way.
func Garbled(service string, err error) error {
	return failures.New(flow.ClassTransient, failures.ReasonOutput, "%s sent an answer that cannot be read: %s", service, briefMessage(err.Error()))
}

// anotherMayAnswer reports whether another model may answer where this one did not.
func anotherMayAnswer(err error) (why string, ok bool) {
	var r *refusal
	if !errors.As(err, &r) {
		return "", false
	}
	switch r.status {
	case http.StatusNotFound:
		return "does not exist", true
	case statusOverloaded, http.StatusServiceUnavailable:
		return "is overloaded", true
	}
	return "", false
}

// signedOut reports whether a service does not take the key.
func signedOut(err error) bool {
	var r *refusal
	return errors.As(err, &r) && (r.status == http.StatusUnauthorized || r.status == http.StatusForbidden)
}

// isUnknownRequest reports whether a server does not know the request.
func isUnknownRequest(err error) bool {
	var r *refusal
	return errors.As(err, &r) && (r.status == http.StatusNotFound || r.status == http.StatusMethodNotAllowed || r.status == http.StatusNotImplemented)
}
