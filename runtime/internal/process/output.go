package process

import (
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"
)

// buffers are what drain reads into. A program that prints little would
// otherwise cost more memory for its buffers than for all else.
var buffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// drainOutput reads to the end and hands every piece to the takers; each may be nil
// and may keep nothing of it. A read error is an end too: the pipe was closed
// under the reader because somebody else held its other end.
func drainOutput(r io.Reader, take func([]byte), show *maskStream) {
	space := buffers.Get().(*[32 << 10]byte)
	defer buffers.Put(space)
	buffer := space[:]
	for {
		n, err := r.Read(buffer)
		if n > 0 {
			if take != nil {
				take(buffer[:n])
			}
			show.write(buffer[:n])
		}
		if err != nil {
			show.flush()
			return
		}
	}
}

// capture keeps an output whole, up to a limit.
type capture struct {
	bytes []byte
	limit int
	over  bool
	// overflow is called when more than the limit has come.
	overflow func()
}

func (c *capture) addPiece(piece []byte) {
	if room := c.limit - len(c.bytes); len(piece) > room {
		piece, c.over = piece[:room], true
		c.overflow()
	}
	c.bytes = append(c.bytes, piece...)
}

// consumer hands an output on as it comes, until it is refused.
type consumer struct {
	sink    *sink
	consume func(piece []byte) error
	err     error
	// refused is called at the first error.
	refused func()
}

func (c *consumer) takePiece(piece []byte) {
	if c.err != nil {
		return
	}
	c.sink.mu.Lock()
	defer c.sink.mu.Unlock()
	if c.err = c.consume(piece); c.err != nil {
		c.refused()
	}
}

// tailLength is the number of characters of standard error in messages.
const tailLength = 2000

// tail keeps the end of an output.
type tail struct{ bytes []byte }

func (t *tail) appendPiece(piece []byte) {
	t.bytes = append(t.bytes, piece...)
	// White space at the end is cut later, so keep more than the length, and
	// copy seldom.
	if keep := 2 * utf8.UTFMax * tailLength; len(t.bytes) > 2*keep {
		t.bytes = append(t.bytes[:0], t.bytes[len(t.bytes)-keep:]...)
	}
}

// String returns the last characters without surrounding white space.
func (t *tail) String() string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.bytes), "\uFFFD"))
	start := len(text)
	for n := 0; n < tailLength && start > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	return text[start:]
}

// sink calls a function for pieces of both outputs, one at a time.
type sink struct {
	mu     sync.Mutex
	output func(stream string, piece []byte)
}

func (s *sink) streamWriter(stream string) func([]byte) {
	if s.output == nil {
		return func([]byte) {}
	}
	return func(piece []byte) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.output(stream, piece)
	}
}

// A feeder writes a program's input while it runs.
type feeder struct {
	cancel context.CancelFunc
	done   chan struct{}
}

func startFeeder(w *os.File, write func(ctx context.Context, w io.Writer)) *feeder {
	ctx, cancel := context.WithCancel(context.Background())
	f := &feeder{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		// Only the writing is offered: closing is what returning is for.
		write(ctx, struct{ io.Writer }{w})
		w.Close()
	}()
	return f
}

// stopAndWait notifies the writer that nobody reads any more and waits for it.
func (f *feeder) stopAndWait() {
	if f != nil {
		f.cancel()
		<-f.done
	}
}
