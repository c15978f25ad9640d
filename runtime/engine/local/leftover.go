package local

import (
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// endLeftovers ends the processes that the steps of the run and of its children have left
// running, and returns a warning for each step. A child leaves them to its parent, whose later
// steps may need them.
func (h *host) endLeftovers() []flow.Event {
	if h.run.parent.Run != "" {
		return nil
	}
	type step struct{ run, key string }
	var steps []step
	found := map[step][]process.Leftover{}
	for _, l := range process.EndLeftovers(h.run.info.ID) {
		s := step{l.RunID, l.Key}
		if found[s] == nil {
			steps = append(steps, s)
		}
		found[s] = append(found[s], l)
	}
	var events []flow.Event
	for _, s := range steps {
		e := flow.Event{Time: time.Now(), Type: sched.EventWarning, Message: h.leftoverMessage(found[s])}
		switch s.run {
		case h.run.info.ID:
			e.Key = s.key
		case "":
			e.Message = "a step " + e.Message
		default:
			e.Message = fmt.Sprintf("step `%s` of run %s %s", s.key, s.run, e.Message)
		}
		events = append(events, e)
	}
	return events
}

// leftoverMessage is the warning about the processes of one step.
func (h *host) leftoverMessage(list []process.Leftover) string {
	text, lasting := "", 0
	for i, l := range list {
		if !l.Ended {
			lasting++
		}
		if i < 3 {
			text += fmt.Sprintf(", %d (%s)", l.PID, plain.Clip(process.Mask(h.run.journal.secrets, l.Command), 60))
		}
	}
	if len(list) > 3 {
		text += ", …"
	}
	count := "1 process"
	if len(list) > 1 {
		count = fmt.Sprintf("%d processes", len(list))
	}
	text = fmt.Sprintf("left %s running, which the run ended: %s", count, text[2:])
	if lasting > 0 {
		text += fmt.Sprintf("; %d of them could not be ended", lasting)
	}
	return text
}
