package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"
)

// reader makes lines of what the program prints.
type reader struct {
	turn *Turn
	stop func()
	held []byte
	// begun says that there was an event, and last that the last one has come.
	begun, last bool
	// strange is the first line that is no JSON object, and bad the one that Event
	// refused.
	strange, bad string
	err          error
	timer        *time.Timer
}

func (r *reader) consume(piece []byte) error {
	for {
		line, rest, whole := bytes.Cut(piece, []byte("\n"))
		if !whole {
			break
		}
		if len(r.held) > 0 {
			r.held = append(r.held, line...)
			line = r.held
		}
		if err := r.line(line); err != nil {
			return err
		}
		if r.held, piece = r.held[:0], rest; cap(r.held) > 1<<20 {
			r.held = nil // one long line must not cost memory for the whole turn
		}
	}
	if len(r.held)+len(piece) > longestLine {
		r.bad = string(r.held[:min(len(r.held), mostQuoted)])
		return errTooLong
	}
	r.held = append(r.held, piece...)
	return nil
}

func (r *reader) line(line []byte) error {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return nil
	case line[0] != '{':
		if r.strange == "" {
			r.strange = string(line[:min(len(line), mostQuoted)])
		}
		if r.turn.Request.Notes != nil {
			r.turn.Request.Notes([]byte(Line(r.turn.Environ, string(line), longestNote) + "\n"))
		}
		return nil
	case !json.Valid(line):
		r.bad = string(line[:min(len(line), mostQuoted)])
		return errors.New("it is not valid JSON")
	}
	r.begun = true
	last, err := r.turn.Event(line)
	if err != nil {
		r.bad = string(line[:min(len(line), mostQuoted)])
		return err
	}
	if last {
		r.last = true
	}
	r.linger()
	return nil
}

// linger ends the program when nothing more comes of it after the last event.
func (r *reader) linger() {
	if !r.last {
		return
	}
	if r.timer == nil {
		r.timer = time.AfterFunc(r.turn.Linger, r.stop)
		return
	}
	r.timer.Reset(r.turn.Linger)
}

func (r *reader) ended() {
	if r.timer != nil {
		r.timer.Stop()
	}
}

// rest takes the last line, which may lack its newline. A torn event there is no
// garbled one: the program ended in the middle of it.
func (r *reader) rest() {
	line := bytes.TrimSpace(r.held)
	if len(line) > 0 && (line[0] != '{' || json.Valid(line)) {
		r.err = r.line(line)
		r.ended()
	}
	r.held = nil
}
