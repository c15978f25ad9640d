package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// The terminal's commands: the other screen without a cursor, and back.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l"
	leaveScreen = "\x1b[?25h\x1b[?1049l"
)

// A topScreen is the part of the table that a terminal shows.
type topScreen struct {
	view *topView
	// chosen is the id of the chosen run; place is its place in the list, which counts when the
	// run is gone. first is the first run shown.
	chosen       string
	place, first int
}

// A topKey is what somebody typed.
type topKey int

const (
	keyNone topKey = iota
	keyUp
	keyDown
	keyPageUp
	keyPageDown
	keyHome
	keyEnd
	keyQuit
)

var topKeys = map[string]topKey{
	"q": keyQuit, "Q": keyQuit, "\x03": keyQuit, "\x04": keyQuit, "k": keyUp, "\x1b[A": keyUp, "\x1bOA": keyUp, "j": keyDown, "\x1b[B": keyDown, "\x1bOB": keyDown,
	"\x1b[5~": keyPageUp, "\x1b[6~": keyPageDown, " ": keyPageDown, "g": keyHome, "\x1b[H": keyHome, "\x1b[1~": keyHome, "G": keyEnd, "\x1b[F": keyEnd, "\x1b[4~": keyEnd,
}

// parseKeys returns the keys of a piece of input. A terminal sends the bytes of a key together.
func parseKeys(piece string) (keys []topKey) {
	for piece != "" {
		n := 1
		if strings.HasPrefix(piece, "\x1b") {
			if n = strings.IndexByte(piece[1:], '\x1b') + 1; n == 0 {
				n = len(piece)
			}
		}
		if key := topKeys[piece[:n]]; key != keyNone {
			keys = append(keys, key)
		}
		piece = piece[n:]
	}
	return keys
}

// handle moves the choice. It reports false for the end.
func (s *topScreen) handle(key topKey, height int) bool {
	page := max(1, s.tableHeight(height)-1)
	switch key {
	case keyQuit:
		return false
	case keyUp:
		s.place--
	case keyDown:
		s.place++
	case keyPageUp:
		s.place -= page
	case keyPageDown:
		s.place += page
	case keyHome:
		s.place = 0
	case keyEnd:
		s.place = len(s.view.runs) - 1
	}
	s.place = min(max(s.place, 0), max(0, len(s.view.runs)-1))
	if len(s.view.runs) > 0 {
		s.chosen = s.view.runs[s.place].ID
	}
	return true
}

// follow finds the chosen run again after the runs were read.
func (s *topScreen) follow() {
	for i := range s.view.runs {
		if s.view.runs[i].ID == s.chosen {
			s.place = i
			return
		}
	}
	s.handle(keyNone, 0)
}

// detailLines is how many lines below the table are about the chosen run.
const detailLines = 6

func (s *topScreen) tableHeight(height int) int { return max(1, height-3-detailLines) }

// draw returns the lines of a screen, at most height of at most width columns.
func (s *topScreen) draw(width, height int, now time.Time) []string {
	lines := s.view.table(0, now) // no row takes two lines
	head, rows := lines[:min(3, len(lines))], lines[min(3, len(lines)):]
	room := s.tableHeight(height)
	s.first = min(max(s.first, s.place-room+1), s.place)
	s.first = max(0, min(s.first, len(rows)-room))
	shown := append([]string{}, head...)
	for i := s.first; i < min(len(rows), s.first+room); i++ {
		text := "  " + rows[i]
		if i == s.place {
			text = "> " + rows[i]
		}
		shown = append(shown, text)
	}
	if s.place < len(s.view.runs) {
		shown = append(shown, "")
		shown = append(shown, s.view.details(&s.view.runs[s.place], now)...)
	}
	if len(head) > 2 {
		shown[2] = "  " + shown[2]
	}
	for i := range shown {
		shown[i] = cutColumns(shown[i], width)
	}
	return shown[:min(len(shown), height)]
}

// cutColumns cuts a line to a width.
func cutColumns(line string, width int) string {
	n := 0
	for i, r := range line {
		if n += plain.Columns(string(r)); n > width {
			return line[:i]
		}
	}
	return line
}

// watch shows the runs until somebody quits.
func (t *topView) watch(ctx context.Context, in, out *os.File) error {
	const poll = 500 * time.Millisecond
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	raw := plain.Raw(t.streams.Out)
	fmt.Fprint(raw, enterScreen)
	defer func() {
		fmt.Fprint(raw, leaveScreen)
		_ = term.Restore(int(in.Fd()), before)
	}()
	typed := make(chan []topKey)
	go func() {
		var piece [64]byte
		for {
			n, err := in.Read(piece[:])
			keys := parseKeys(string(piece[:n]))
			if err != nil {
				keys = append(keys, keyQuit)
			}
			select {
			case typed <- keys:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	s := &topScreen{view: t}
	ticks := time.NewTicker(poll)
	defer ticks.Stop()
	var seen int64 = -1
	var last string
	loaded := time.Time{}
	for {
		now := time.Now()
		generation, err := t.store.Generation(ctx)
		if err == nil && (generation != seen || now.Sub(loaded) > 5*time.Second) { // a process may have died
			if err = t.load(ctx); err == nil {
				seen, loaded = generation, now
				s.follow()
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		width, height, err := term.GetSize(int(out.Fd()))
		if err != nil {
			return err
		}
		if width <= 0 || height <= 0 {
			width, height = 80, 24 // a terminal without a size
		}
		if text := strings.Join(s.draw(width, height, now), "\x1b[K\r\n"); text != last {
			last = text
			fmt.Fprint(raw, "\x1b[H"+text+"\x1b[K\x1b[J")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		case keys := <-typed:
			for _, key := range keys {
				if !s.handle(key, height) {
					return nil
				}
			}
		}
	}
}
