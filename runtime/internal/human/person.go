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
	"os"
	"os/user"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// The variables with the run and the step for which a process works.
const (
	runVariable  = "WFC_RUN_ID"
	stepVariable = "WFC_STEP_KEY"
)

// A Run describes a run whose question somebody wants to answer.
type Run struct {
	ID string
	// Holder is the number of the process that works on the run; 0 is unknown.
	Holder int
	// Name is what that process says of itself, for people; "" means that nobody
	// works on the run.
	Name string
	// Mark is the mark of that process, or of the last one that worked on the run,
	// or "" when it is not known; see process.Mark.
	Mark string
	// Dir is the run's own folder, or "".
	Dir string
	// Proven says that an answer needs a secret that no program of the run can know, so
	// that wfc need not know the ancestors of the process.
	Proven bool
}

// Refuse returns an error if this process may not answer a run's question: the run
// started it, another run did, or nobody can know because it is in another PID namespace
// than the process that works on the run. The message says what a person can do instead.
//
// The ancestors of this process are known on Linux only.
func Refuse(r Run) error {
	if StartedBy(r.ID, r.Holder) || process.Below(r.Mark) || r.Dir != "" && process.Kin(r.Dir) {
		return fmt.Errorf("refused: this process was started by run %s, and a run does not answer its own questions; a person has to, from a shell that the run did not start", r.ID)
	}
	if other := AnyRun(); other != "" {
		return fmt.Errorf("refused: this process was started by run %s, and only a person answers the questions of run %s: answer from a shell that no run started", other, r.ID)
	}
	if r.Proven {
		return nil
	}
	if process.Elsewhere(r.Mark) {
		const way = "so nobody can tell whether the run started this process: answer where the run was started, for example by `docker exec -it CONTAINER …`, or begin runs with `gates: token`"
		switch {
		case r.Name != "":
			return fmt.Errorf("refused: %s works on run %s in another PID namespace (another container, or what `unshare` makes), %s", r.Name, r.ID, way)
		case r.Dir != "" && process.LeftBehind(r.Dir):
			return fmt.Errorf("refused: run %s left programs running in another PID namespace (another container, or what `unshare` makes), %s", r.ID, way)
		}
	}
	if known, expected := process.LineageKnown(); expected && !known {
		return fmt.Errorf("refused: /proc does not show this process, so nobody can tell whether run %s started it: answer from a shell that sees /proc", r.ID)
	}
	return nil
}

// StartedBy reports whether this process was started by a run, so that no person
// speaks through it: its environment says so, or one of the processes that it
// descends from does, or is the one that works on the run, whose number is
// holder (0 is unknown). The processes before this one are known on Linux only,
// and as long as none of them has ended.
func StartedBy(run string, holder int) bool {
	if os.Getenv(runVariable) == run {
		return true
	}
	for i, p := range process.Lineage() {
		if i > 0 && p.PID == holder || p.Has(runVariable, run) {
			return true
		}
	}
	return false
}

// AnyRun returns the run whose step this process, or one of its ancestors, performs, or
// "".
func AnyRun() string {
	if run := os.Getenv(runVariable); run != "" && os.Getenv(stepVariable) != "" {
		return run
	}
	for _, p := range process.Lineage() {
		run, _ := p.Value(runVariable)
		if step, ok := p.Value(stepVariable); ok && step != "" && run != "" {
			return run
		}
	}
	return ""
}

// User is the name of the person at the command line.
func User() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	if name := os.Getenv("USER"); name != "" {
		return name
	}
	return "someone"
}

// Place says from where a person answers whose input is in: the machine, and
// the terminal or "command line".
func Place(in io.Reader) string {
	where := "command line"
	if file, ok := in.(*os.File); ok && isTerminal(file) {
		where = terminalName(file)
	}
	host, err := os.Hostname()
	if err != nil {
		return where
	}
	return host + ", " + where
}

// A TokenHash is the stored form of a gate token: enough to verify it, but not enough to
// answer with.
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

// HashToken returns the hash of a token. The error says why a token that a person chose
// is too weak.
func HashToken(token string) (*TokenHash, error) {
	if token = strings.TrimSpace(token); len(token) < shortestToken {
		return nil, fmt.Errorf("a gate token needs at least %d characters", shortestToken)
	}
	h := &TokenHash{Salt: make([]byte, saltBytes), Rounds: tokenRounds}
	_, _ = rand.Read(h.Salt) // never fails
	var err error
	h.Hash, err = h.hashToken(token)
	return h, err
}

func (h *TokenHash) hashToken(token string) ([]byte, error) {
	return pbkdf2.Key(sha256.New, strings.TrimSpace(token), h.Salt, h.Rounds, hashBytes)
}

// Is reports whether a text is the token, in a time that does not depend on how
// much of it is right. Space around it does not matter.
func (h *TokenHash) Is(token string) bool {
	if h == nil || h.Rounds < 1 || len(h.Hash) != hashBytes {
		return false
	}
	got, err := h.hashToken(token)
	return err == nil && subtle.ConstantTimeCompare(got, h.Hash) == 1
}

// ErrNoScreen says that this process has no terminal to show something at.
var ErrNoScreen = errors.New("no terminal")

// ErrUnconfirmed says that the person left without confirming.
var ErrUnconfirmed = errors.New("not confirmed: the question stays open")

// Confirm shows a question and has the person type a word, so that no command line
// alone answers it.
func Confirm(ctx context.Context, t Terminal, q engine.Question, v View, word string) error {
	Show(t, q, v)
	return promptUntilRight(ctx, t, answerPrompt(q)+fmt.Sprintf("type `%s` to confirm (Ctrl-D leaves the question open): ", word), func(line string) bool {
		return strings.EqualFold(line, word)
	})
}

// AskToken has the person type the token of a run, until is says that it is right.
func AskToken(ctx context.Context, t Terminal, is func(token string) bool) error {
	return promptUntilRight(ctx, t, "the gate token of this run (Ctrl-D leaves the question open): ", func(line string) bool {
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

// promptUntilRight asks until the typed line is right.
func promptUntilRight(ctx context.Context, t Terminal, prompt string, right func(line string) bool) error {
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
