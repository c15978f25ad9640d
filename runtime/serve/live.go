package serve

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/store"
)

// How often a live page looks for changes, and after what time it's told to look again although
// nothing has changed: the death of a process changes no journal.
const (
	livePoll  = 500 * time.Millisecond
	liveAgain = 10 * time.Second
)

// follow gives the page live updates about a run, or about all runs. It must be called before the
// page reads anything: a change between the two is then a change that the page has not seen.
func (h *handler) follow(r *request, ref desk.Ref) {
	seen, _ := h.desk.Generation(r.Context(), ref) // of places that cannot be read, the page says so
	r.live = queryAddress("/live", "place", ref.Place, "run", ref.ID, "seen", strconv.FormatInt(seen, 10))
}

// changes tells a page by server-sent events that something has changed. The page then loads
// itself again.
func (h *handler) changes(r *request) error {
	select {
	case h.live <- struct{}{}:
		defer func() { <-h.live }()
	default:
		return errors.New("too many pages update themselves; close some")
	}
	ref := desk.Ref{Place: r.URL.Query().Get("place"), ID: r.URL.Query().Get("run")}
	seen, err := strconv.ParseInt(r.URL.Query().Get("seen"), 10, 64)
	if err != nil {
		return fmt.Errorf("the state of the page: %w", store.ErrNotFound)
	}
	out := http.NewResponseController(r.w)
	r.w.Header().Set("Content-Type", "text/event-stream")
	r.w.Header().Set("X-Accel-Buffering", "no")
	write := func(text string) error {
		_ = out.SetWriteDeadline(time.Now().Add(10 * time.Second)) // some writers have none
		if _, err := fmt.Fprint(r.w, text); err != nil {
			return err
		}
		return out.Flush()
	}
	if err := write("retry: 2000\nevent: hello\ndata: 1\n\n"); err != nil {
		return nil
	}
	poll := time.NewTicker(livePoll)
	defer poll.Stop()
	for last := time.Now(); ; {
		now, err := h.desk.Generation(r.Context(), ref)
		if err != nil {
			return nil // the browser connects again
		}
		if now != seen || time.Since(last) >= liveAgain {
			seen, last = now, time.Now()
			if err := write(fmt.Sprintf("event: change\ndata: %d\n\n", seen)); err != nil {
				return nil
			}
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-poll.C:
		}
	}
}
