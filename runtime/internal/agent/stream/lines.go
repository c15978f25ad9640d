package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// reader makes lines of what the program prints.
type reader struct {
	turn  *Turn
	stop  func()
	lines Lines
	// begun says that there was an event, and last that the last one has come.
	begun, last bool
	// strange is the first line that is not a JSON object, and bad the one that Event
	// refused.
	strange, bad string
	err          error
	timer        *time.Timer
}

func (r *reader) consumePiece(piece []byte) error {
	err := r.lines.Write(piece)
	if errors.Is(err, ErrTooLong) {
		r.bad = r.lines.Rest(mostQuoted)
	}
	return err
}

func (r *reader) handleLine(line []byte) error {
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
	r.armLingerTimer()
	return nil
}

// armLingerTimer ends the program when nothing more comes of it after the last event.
func (r *reader) armLingerTimer() {
	if !r.last {
		return
	}
	if r.timer == nil {
		r.timer = time.AfterFunc(r.turn.Linger, r.stop)
		return
	}
	r.timer.Reset(r.turn.Linger)
}

func (r *reader) stopTimer() {
	if r.timer != nil {
		r.timer.Stop()
	}
}

// handleLastLine takes the last line, which may lack its newline. A torn event there does not count
// as garbled: the program ended in the middle of it.
func (r *reader) handleLastLine() {
	line := bytes.TrimSpace(r.lines.rest)
	if len(line) > 0 && (line[0] != '{' || json.Valid(line)) {
		r.err = r.handleLine(line)
		r.stopTimer()
	}
	r.lines.rest = nil
}

// Lines cuts pieces into lines.
type Lines struct {
	// Take takes a line without its end. It must not keep the line.
	Take func(line []byte) error
	rest []byte
}

// ErrTooLong says that a line is longer than 64 MiB.
var ErrTooLong = fmt.Errorf("it is longer than %d MiB", LongestLine>>20)

// Write takes the next piece. Its error is that of Take, or ErrTooLong.
func (l *Lines) Write(piece []byte) error {
	for {
		line, after, found := bytes.Cut(piece, []byte{'\n'})
		if len(l.rest)+len(line) > LongestLine {
			return ErrTooLong
		}
		if !found {
			l.rest = append(l.rest, piece...)
			return nil
		}
		if len(l.rest) > 0 {
			l.rest = append(l.rest, line...)
			line = l.rest
		}
		if err := l.Take(line); err != nil {
			return err
		}
		if l.rest, piece = l.rest[:0], after; cap(l.rest) > 1<<20 {
			l.rest = nil // one long line must not cost memory for the whole turn
		}
	}
}

// Rest returns at most so many bytes of the unfinished line.
func (l *Lines) Rest(most int) string {
	rest := bytes.TrimSpace(l.rest)
	return string(rest[:min(len(rest), most)])
}
