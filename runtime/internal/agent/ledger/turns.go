package ledger

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// The next reply must not depend on where a run was interrupted: a run that was killed
// and resumed has the outputs of one that was not. Counting turns does not achieve that:
// a turn that was under way at the crash is requested again, and so is one whose reply
// was never committed; both would count twice.
//
// So each turn that begins is noted in the run's folder with its step and attempt, and
// its number in the list of notes is the number of its reply. If a later process requests
// a step and attempt that is noted already, the earlier process did not commit its end,
// and it gets the same number again. There is one exception. A run that failed is resumed
// too, and its failed step begins anew with the first attempt; it must get the next reply
// and not the failure again. So a turn with a useless reply (it fails, is empty, or lacks
// the structured part) is noted as such when it ends, and its note no longer counts as
// begun.
//
// One process requests a turn twice only to get another reply.

// Turns are how far the turns of one list of replies have come in a run. Its
// methods must not be called concurrently.
type Turns struct {
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

// ReadTurns reads the notes of a run's earlier processes for a list. dir is the run's folder,
// which has a separate folder for the notes; if it is "", nothing is kept.
func ReadTurns(dir, folder, name string) (*Turns, error) {
	l := &Turns{}
	if dir == "" {
		return l, nil
	}
	l.path = filepath.Join(dir, folder, process.FileName(name))
	text, err := wholefile.Source.Read(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the state of the turns: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var number, attempt int
		var key string
		if n, _ := fmt.Sscanf(lines.Text(), "turn %d %q", &attempt, &key); n == 2 {
			l.turns = append(l.turns, turn{key: key, attempt: attempt})
		} else if n, _ := fmt.Sscanf(lines.Text(), "useless %d", &number); n == 1 && number >= 0 && number < len(l.turns) {
			l.turns[number].settled = true
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the state of the turns: %w", err)
	}
	return l, nil
}

// Begin returns the number of the reply for a turn, from 0.
func (l *Turns) Begin(key string, attempt int) (int, error) {
	for i, t := range l.turns {
		if t.key == key && t.attempt == attempt && !t.settled {
			l.turns[i].settled = true
			return i, nil
		}
	}
	l.turns = append(l.turns, turn{key: key, attempt: attempt, settled: true})
	return len(l.turns) - 1, l.appendEntry("turn %d %q\n", attempt, key)
}

// End notes how the turn ended that got the reply of a number.
func (l *Turns) End(number int, useless bool) error {
	if !useless {
		return nil
	}
	return l.appendEntry("useless %d\n", number)
}

func (l *Turns) appendEntry(format string, args ...any) error {
	if l.path == "" {
		return nil
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(l.path), 0o700); err == nil {
			f, err = os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		}
	}
	if err != nil {
		return fmt.Errorf("save the state of the turns: %w", err)
	}
	_, err = fmt.Fprintf(f, format, args...)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("save the state of the turns: %w", err)
	}
	return nil
}
