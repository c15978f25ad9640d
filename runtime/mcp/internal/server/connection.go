package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// longestLine is how many bytes a message may have.
const longestLine = 16 << 20

// A transport is newline-delimited JSON over any two streams. That of the SDK
// ends the session at the first line that is no message; this one answers with
// an error, as JSON-RPC wants it, and continues.
type transport struct {
	in  io.Reader
	out io.Writer
	log *slog.Logger
}

// Connect implements sdk.Transport.
func (t *transport) Connect(context.Context) (sdk.Connection, error) {
	c := &connection{transport: t, incoming: make(chan jsonrpc.Message), closed: make(chan struct{})}
	go c.receiveMessages()
	return c, nil
}

// A connection is a session's streams.
type connection struct {
	*transport
	incoming chan jsonrpc.Message // closed at the end of in
	end      error                // why, once incoming is closed

	once   sync.Once
	closed chan struct{}
	write  sync.Mutex
}

// receiveMessages passes on the messages among what comes in. When the connection is
// closed it may stay behind in a read, which nothing can end.
func (c *connection) receiveMessages() {
	defer close(c.incoming)
	for lines := bufio.NewReaderSize(c.in, 1<<16); ; {
		line, whole, err := readLine(lines)
		if !whole {
			c.sendRefusal(jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is longer than %d bytes", longestLine))
		} else if len(line) > 0 && !c.passMessage(line) {
			return
		}
		if err != nil {
			c.end = err
			return
		}
	}
}

// passMessage passes a line on when it is a message; false means that nobody listens
// any more.
func (c *connection) passMessage(line []byte) bool {
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		c.sendRefusal(codeOf(line), "this line is not a JSON-RPC message: "+err.Error())
		return true
	}
	select {
	case c.incoming <- m:
		return true
	case <-c.closed:
		return false
	}
}

// sendRefusal answers what is no message, of which nobody knows an id.
func (c *connection) sendRefusal(code int64, why string) {
	c.log.Warn("a message was refused", "why", why)
	if err := c.sendLine(refusalMessage(code, why)); err != nil {
		c.log.Warn("the client cannot be written to", "error", err)
	}
}

// Read implements sdk.Connection.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.closed:
		return nil, io.EOF
	case m, ok := <-c.incoming:
		if !ok {
			return nil, c.end
		}
		return m, nil
	}
}

// Write implements sdk.Connection.
func (c *connection) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	select {
	case <-c.closed:
		return errors.New("the connection is closed")
	default:
	}
	return c.sendLine(text)
}

func (c *connection) sendLine(text []byte) error {
	c.write.Lock()
	defer c.write.Unlock()
	_, err := c.out.Write(append(text[:len(text):len(text)], '\n'))
	return err
}

// Close implements sdk.Connection. The streams are not the connection's.
func (c *connection) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// SessionID implements sdk.Connection: streams have one session.
func (c *connection) SessionID() string { return "" }

// readLine reads a line without its end and the spaces around it. Of one that is too
// long it reads everything and returns nothing, with whole false. The last line
// comes with an error.
func readLine(r *bufio.Reader) (line []byte, whole bool, err error) {
	whole = true
	for {
		piece, err := r.ReadSlice('\n')
		if len(line)+len(piece) > longestLine {
			line, whole = nil, false
		}
		if whole {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), whole, err
		}
	}
}

// codeOf is the error code for a line that is no message.
func codeOf(line []byte) int64 {
	if json.Valid(line) {
		return jsonrpc.CodeInvalidRequest
	}
	return jsonrpc.CodeParseError
}

// refusalMessage is an error that answers no request in particular.
func refusalMessage(code int64, why string) []byte {
	text, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": why},
	})
	if err != nil {
		panic(err) // texts and numbers encode
	}
	return text
}
