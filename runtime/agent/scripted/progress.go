package scripted

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/runtime/process"
)

// Which reply comes next must not depend on where a run was interrupted: a run
// that was killed and resumed has the outputs of one that was not. Counting
// turns does not give that. A turn that was under way at the crash is asked for
// again, and so is one whose reply was given but never committed; both would
// count twice.
//
// So each turn that begins is noted in the run's folder with its step and
// attempt, and its number in the list of notes is the number of its reply. When
// a later process asks for a step and attempt that is noted already, the
// earlier process did not bring it to a committed end, and it gets the same
// number again. There is one exception. A run that failed is resumed too, and
// its failed step begins anew with the first attempt; it must get the next
// reply and not the failure again. So a turn whose reply is of no use (it fails,
// is empty, or lacks the structured part) is noted as such when it ends, and
// its note no longer counts as begun.
//
// Within one process a turn is never asked for twice but to get another reply.

// progress is how far the turns of one list have come in a run.
type progress struct {
	path  string // "" keeps it in memory only
	turns []turn
}

type turn struct {
	key     string
	attempt int
	// settled turns are not given again: they failed, or this process began
	// them.
	settled bool
}

// readProgress reads what earlier processes of the run noted for a list.
func readProgress(dir, name string) (*progress, error) {
	p := &progress{}
	if dir == "" {
		return p, nil
	}
	p.path = filepath.Join(dir, "scripted", process.FileName(name))
	text, err := os.ReadFile(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read how far the scripted replies are: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var number, attempt int
		var key string
		if n, _ := fmt.Sscanf(lines.Text(), "turn %d %q", &attempt, &key); n == 2 {
			p.turns = append(p.turns, turn{key: key, attempt: attempt})
		} else if n, _ := fmt.Sscanf(lines.Text(), "useless %d", &number); n == 1 && number >= 0 && number < len(p.turns) {
			p.turns[number].settled = true
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read how far the scripted replies are: %w", err)
	}
	return p, nil
}

// begin returns the number of the reply for a turn.
func (p *progress) begin(key string, attempt int) (int, error) {
	for i, t := range p.turns {
		if t.key == key && t.attempt == attempt && !t.settled {
			p.turns[i].settled = true
			return i, nil
		}
	}
	p.turns = append(p.turns, turn{key: key, attempt: attempt, settled: true})
	return len(p.turns) - 1, p.note("turn %d %q\n", attempt, key)
}

// end notes how a turn ended.
func (p *progress) end(number int, useless bool) error {
	if !useless {
		return nil
	}
	return p.note("useless %d\n", number)
}

func (p *progress) note(format string, args ...any) error {
	if p.path == "" {
		return nil
	}
	f, err := os.OpenFile(p.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(p.path), 0o700); err == nil {
			f, err = os.OpenFile(p.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		}
	}
	if err != nil {
		return fmt.Errorf("note how far the scripted replies are: %w", err)
	}
	_, err = fmt.Fprintf(f, format, args...)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("note how far the scripted replies are: %w", err)
	}
	return nil
}
