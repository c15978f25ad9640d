package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// A connection reads in the one goroutine that receives the program's output. It handles
// notifications and answers in that goroutine: so they keep the program's order, all
// answers are known when the program ends, and a program that writes too fast has to
// wait. Only requests of the program, which may take long, have separate goroutines, and
// only those write anything beside the conversation itself.

// A message is any message of JSON-RPC.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// rpcError is why a request was refused.
type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// The codes of errors that have a meaning here.
const (
	codeAuthRequired   = -32000
	codeNotFound       = -32002
	codeInvalidParams  = -32602
	codeMethodNotFound = -32601
	codeInternal       = -32603
)

func (e *rpcError) Error() string { return e.fullMessage() }

// errGone says that the program ended before it answered. The end of its process
// says why.
var errGone = errors.New("the program has ended")

// mostRequests is how many requests of a program may be open at once.
const mostRequests = 256

// connection is our side of a connection.
type connection struct {
	// notified takes notifications; an error ends the turn.
	notified func(method string, params json.RawMessage) error
	// requested performs requests of the program; it is called concurrently.
	requested func(ctx context.Context, method string, params json.RawMessage) (any, *rpcError)
	// noise takes lines that are not messages; an error ends the turn.
	noise func(line []byte) error

	lines stream.Lines
	// environ has the secrets that are masked in what errors quote.
	environ []string
	// ready is closed when gone and w are set.
	ready chan struct{}
	// gone ends when the program says nothing more.
	gone context.Context
	// work ends the work for the program's requests.
	work     context.Context
	stopWork context.CancelFunc
	requests sync.WaitGroup

	writing sync.Mutex
	w       io.Writer

	mu      sync.Mutex
	last    int64
	waiting map[string]chan *message
	open    int
}

func newConnection(environ []string) *connection {
	c := &connection{environ: environ, waiting: map[string]chan *message{}, ready: make(chan struct{})}
	c.work, c.stopWork = context.WithCancel(context.Background())
	c.lines.Take = c.handleLine
	return c
}

// setWriter says where to write, until gone ends.
func (c *connection) setWriter(gone context.Context, w io.Writer) {
	c.gone, c.w = gone, w
	close(c.ready)
}

// stopAndWait ends the current work for the program, and waits for it.
func (c *connection) stopAndWait() {
	c.stopWork()
	c.requests.Wait()
}

// callMethod makes a request and waits for its answer. The error is an *rpcError
// when the program refuses, errGone when it ends before, or the context's.
func callMethod[T any](ctx context.Context, c *connection, method string, params any) (T, error) {
	var result T
	answer, err := c.sendRequest(ctx, method, params)
	switch {
	case err != nil:
		return result, err
	case answer.Error != nil:
		return result, answer.Error
	case len(answer.Result) == 0:
		return result, nil
	}
	if err := json.Unmarshal(answer.Result, &result); err != nil {
		return result, newGarbledError("gave an invalid answer to `%s`: %s", method, c.maskedExcerpt(answer.Result))
	}
	return result, nil
}

func (c *connection) sendRequest(ctx context.Context, method string, params any) (*message, error) {
	id, answers := c.expectAnswer()
	defer c.forgetAnswer(id)
	if err := c.sendMessage(message{ID: json.RawMessage(id), Method: method}, params); err != nil {
		return nil, err
	}
	select {
	case m := <-answers:
		return m, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.gone.Done():
	}
	return c.finalAnswer(answers)
}

// finalAnswer returns the answer that came before the program's end.
func (c *connection) finalAnswer(answers <-chan *message) (*message, error) {
	select {
	case m := <-answers:
		return m, nil
	default:
		return nil, errGone
	}
}

func (c *connection) expectAnswer() (id string, answers chan *message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	id, answers = strconv.FormatInt(c.last, 10), make(chan *message, 1)
	c.waiting[id] = answers
	return id, answers
}

func (c *connection) forgetAnswer(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}

// sendNotification sends a notification. If that fails, the next request fails, too.
func (c *connection) sendNotification(method string, params any) {
	_ = c.sendMessage(message{Method: method}, params)
}

// pauseFor waits, or until there is nothing to wait for.
func (c *connection) pauseFor(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	case <-c.gone.Done():
	}
}

func (c *connection) sendMessage(m message, params any) error {
	if params != nil {
		text, err := json.Marshal(params)
		if err != nil {
			return err
		}
		m.Params = text
	}
	return c.writeMessage(m)
}

func (c *connection) writeMessage(m message) error {
	m.Version = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err = c.w.Write(append(text, '\n')); err != nil {
		return errGone // nobody reads it: the program has ended or is about to
	}
	return nil
}

// consumeOutput takes a piece of the program's output.
func (c *connection) consumeOutput(piece []byte) error {
	err := c.lines.Write(piece)
	if errors.Is(err, stream.ErrTooLong) {
		return newGarbledError("printed a line of more than %d MiB", stream.LongestLine>>20)
	}
	return err
}

// handleLine takes a line of the program's output.
func (c *connection) handleLine(line []byte) error {
	<-c.ready // a program may speak first
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return nil
	case line[0] != '{':
		return c.noise(line)
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return newGarbledError("printed a line that is not a message: %s", c.maskedExcerpt(line))
	}
	hasID := len(m.ID) > 0 && string(m.ID) != "null"
	switch {
	case m.Method != "" && hasID:
		return c.serveRequest(m)
	case m.Method != "":
		return c.notified(m.Method, m.Params)
	case hasID && (m.Error != nil || m.Result != nil):
		c.deliverAnswer(&m)
		return nil
	case m.Version == "":
		return c.noise(line) // a log in JSON
	case m.Error != nil:
		return newGarbledError("could not read a message from wfc: %s", m.Error.fullMessage())
	}
	return newGarbledError("printed a message that is not a request, a notification or an answer: %s", c.maskedExcerpt(line))
}

// deliverAnswer hands an answer to who waits for it; of answers to the same request
// the first counts.
func (c *connection) deliverAnswer(m *message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := string(m.ID)
	if text, err := strconv.Unquote(id); err == nil {
		id = text // a number that came back as a text
	}
	if answers, ok := c.waiting[id]; ok {
		delete(c.waiting, id)
		answers <- m
	}
}

// serveRequest performs a request of the program.
func (c *connection) serveRequest(m message) error {
	c.mu.Lock()
	c.open++
	tooMany := c.open > mostRequests
	c.mu.Unlock()
	if tooMany {
		return newGarbledError("makes more than %d requests at once", mostRequests)
	}
	c.requests.Go(func() {
		result, refusal := c.performRequest(m)
		answer := message{ID: m.ID, Error: refusal}
		if refusal == nil {
			text, err := json.Marshal(result)
			if err != nil {
				answer.Error = newRefusal(codeInternal, "the result cannot be written: %v", err)
			}
			answer.Result = text
		}
		_ = c.writeMessage(answer) // a program that has ended needs none
		c.mu.Lock()
		c.open--
		c.mu.Unlock()
	})
	return nil
}

func (c *connection) performRequest(m message) (result any, refusal *rpcError) {
	// The params come from a program, and a fault of ours in dealing with them
	// must not take all other branches of the run along.
	defer func() {
		if p := recover(); p != nil {
			result, refusal = nil, newRefusal(codeInternal, "wfc failed: %v", p)
		}
	}()
	return c.requested(c.work, m.Method, m.Params)
}

// newRefusal returns the refusal of a request.
func newRefusal(code int, format string, args ...any) *rpcError {
	return &rpcError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// longestExcerpt is how many characters of a program's output a message quotes.
const longestExcerpt = 200

// quotedExcerpt returns the beginning of a text on one line, in backquotes.
func quotedExcerpt[T ~string | ~[]byte](text T) string {
	return "`" + shortenLine(string(text), longestExcerpt) + "`"
}

// maskedExcerpt is the beginning of what the program said. Secrets are masked before the text is
// cut: half a secret would not be found any more.
func (c *connection) maskedExcerpt(text []byte) string {
	return quotedExcerpt(process.Mask(c.environ, string(text)))
}

// shortenLine returns the beginning of a text on one line, without characters that
// a terminal would obey.
func shortenLine(text string, most int) string {
	var out strings.Builder
	n := 0
	for _, r := range strings.TrimSpace(text) {
		if n == most {
			out.WriteString("…")
			break
		}
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			r = ' '
		case r == utf8.RuneError:
			r = '\uFFFD'
		case r < ' ' || r == 0x7F:
			fmt.Fprintf(&out, `\x%02x`, r)
			n++
			continue
		}
		out.WriteRune(r)
		n++
	}
	return out.String()
}
