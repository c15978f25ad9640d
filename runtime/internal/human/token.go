package human

import (
	"context"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
)

// A TokenHash is what is kept of a gate token: enough to recognise it, and not
// enough to answer with.
type TokenHash struct {
	Salt   []byte `json:"salt"`
	Hash   []byte `json:"hash"`
	Rounds int    `json:"rounds"`
}

const (
	// tokenLetters are the characters of tokens: none that looks like another.
	tokenLetters = "abcdefghjkmnpqrstuvwxyz123456789"
	// tokenLength is their number: 5 bits each.
	tokenLength = 20
	// shortestToken is the length of the shortest token that a person may choose.
	shortestToken = 12
	// tokenRounds make each guess at a token cost some hundredths of a second.
	tokenRounds = 100_000
	hashBytes   = 32
	saltBytes   = 16
)

// NewToken returns a token that nobody can guess, such as
// k7pq3-mxz9d-2at4w-fh8rn.
func NewToken() string {
	var random [tokenLength]byte
	_, _ = rand.Read(random[:]) // never fails
	var b strings.Builder
	for i, r := range random {
		if i > 0 && i%5 == 0 {
			b.WriteByte('-')
		}
		b.WriteByte(tokenLetters[int(r)%len(tokenLetters)])
	}
	return b.String()
}

// HashToken returns what is to be kept of a token. The error says why a token that
// a person chose is too weak.
func HashToken(token string) (*TokenHash, error) {
	if token = strings.TrimSpace(token); len(token) < shortestToken {
		return nil, fmt.Errorf("a gate token needs at least %d characters", shortestToken)
	}
	h := &TokenHash{Salt: make([]byte, saltBytes), Rounds: tokenRounds}
	_, _ = rand.Read(h.Salt) // never fails
	var err error
	h.Hash, err = h.of(token)
	return h, err
}

func (h *TokenHash) of(token string) ([]byte, error) {
	return pbkdf2.Key(sha256.New, strings.TrimSpace(token), h.Salt, h.Rounds, hashBytes)
}

// Is reports whether a text is the token, in a time that does not depend on how
// much of it is right. Space around it does not matter.
func (h *TokenHash) Is(token string) bool {
	if h == nil || h.Rounds < 1 || len(h.Hash) != hashBytes {
		return false
	}
	got, err := h.of(token)
	return err == nil && subtle.ConstantTimeCompare(got, h.Hash) == 1
}

// ErrNoScreen says that this process has no terminal to show something at.
var ErrNoScreen = errors.New("no terminal")

// ErrUnconfirmed says that the person left without confirming.
var ErrUnconfirmed = errors.New("not confirmed: the question stays open")

// Confirm shows a question and has the person type a word, so that no command line
// alone answers it.
func Confirm(ctx context.Context, t Terminal, q engine.Question, word string) error {
	_, _ = fmt.Fprintf(t, "\n%s", heading(q, time.Now(), 0))
	return typed(ctx, t, fmt.Sprintf("type `%s` to confirm (Ctrl-D leaves the question open): ", word), func(line string) bool {
		return strings.EqualFold(line, word)
	})
}

// AskToken has the person type the token of a run, until is says that it is right.
func AskToken(ctx context.Context, t Terminal, is func(token string) bool) error {
	return typed(ctx, t, "the gate token of this run (Ctrl-D leaves the question open): ", func(line string) bool {
		if line == "" {
			return false
		}
		ok := is(line)
		if !ok {
			_, _ = io.WriteString(t, "that is not the token\n") // a terminal that is gone ends the next read
		}
		return ok
	})
}

// typed asks until what is typed is right.
func typed(ctx context.Context, t Terminal, prompt string, right func(line string) bool) error {
	for {
		t.Discard()
		_, _ = io.WriteString(t, prompt)
		line, err := t.ReadLine(ctx)
		switch {
		case errors.Is(err, io.EOF):
			_, _ = io.WriteString(t, "\n")
			return ErrUnconfirmed
		case err != nil:
			return err
		case right(strings.TrimSpace(line)):
			return nil
		}
	}
}
