package deliver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
)

const (
	// tries is how often one message is sent at most.
	tries = 5
	// answerLimit is how long one request may take.
	answerLimit = 20 * time.Second
	// longestWait is the longest wait that a service may ask for.
	longestWait = 5 * time.Minute
)

// deliverRequest sends a message until it has arrived, will not, or ctx ends. It calls
// report before each wait.
func (p *performer) deliverRequest(ctx context.Context, r *request, report func(problem string, wait time.Duration)) error {
	for try := 1; ; try++ {
		refused := p.postOnce(ctx, r)
		if refused == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		wait := max(refused.Wait, time.Second<<(try-1))
		switch {
		case refused.Final:
			return refused
		case try == tries:
			refused.Problem += fmt.Sprintf(" (tried %d times)", tries)
			return refused
		case wait > longestWait:
			refused.Problem += fmt.Sprintf(" (it asks for a retry after %s, which is too long to wait)", wait)
			return refused
		}
		report(refused.Problem, wait)
		if p.sleep(ctx, wait) != nil {
			return context.Cause(ctx)
		}
	}
}

// postOnce sends a request once. Its refusal does not show the address.
func (p *performer) postOnce(ctx context.Context, r *request) *outbox.RefusedError {
	ctx, cancel := context.WithTimeoutCause(ctx, p.limit, errSlow)
	defer cancel()
	if r.send != nil {
		return r.send(ctx)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, bytes.NewReader(r.body))
	if err != nil {
		return &outbox.RefusedError{Problem: "its address cannot be used", Final: true}
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "wfc")
	maps.Copy(req.Header, r.header)
	answer, err := p.client.Do(req)
	if err != nil {
		return &outbox.RefusedError{Problem: describeWithoutAddress(ctx, err, r.mask)}
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil && answer.StatusCode < 300 {
		return &outbox.RefusedError{Problem: describeWithoutAddress(ctx, err, r.mask)}
	}
	problem := r.judge(answer.StatusCode, body)
	switch status := answer.StatusCode; {
	case problem == "" && status < 300:
		return nil
	case status >= 300 && status < 400:
		return &outbox.RefusedError{Problem: fmt.Sprintf("it answers with %d and another address; give that one", status), Final: true}
	default:
		text := fmt.Sprintf("it answers with %d", status)
		if status < 300 {
			text = "it refuses the message"
		}
		if said := oneLine(problem, r.mask); said != "" {
			text += ": " + said
		}
		return &outbox.RefusedError{Problem: text, Final: !isTransient(status, problem), Wait: retryAfter(answer, body)}
	}
}

var errSlow = errors.New("it does not answer in time")

// describeWithoutAddress describes the error of a request without its address, which is secret.
func describeWithoutAddress(ctx context.Context, err error, mask *strings.Replacer) string {
	if errors.Is(context.Cause(ctx), errSlow) {
		return errSlow.Error()
	}
	if in, ok := errors.AsType[*url.Error](err); ok {
		err = in.Err
	}
	return oneLine(err.Error(), mask)
}

// isTransient reports whether a failure may pass by itself.
func isTransient(status int, problem string) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	// Slack's API also says so with the status of success.
	return status >= 500 || status < 300 && (problem == "ratelimited" || problem == "rate_limited" || problem == "internal_error" || problem == "service_unavailable")
}

// retryAfter returns the wait that a service asks for: by its headers, or by the answers of
// Discord and Telegram.
func retryAfter(answer *http.Response, body []byte) time.Duration {
	wait := failures.WaitOf(answer, time.Now())
	if wait == 0 {
		_, wait = failures.ResetFields(string(body))
	}
	return wait
}

// oneLine is the first line of a text, shortened for people, without secrets.
func oneLine(text string, mask *strings.Replacer) string {
	return plain.Clip(format.FirstLine(mask.Replace(text)), 200) // masked first, or half a secret may be left
}
