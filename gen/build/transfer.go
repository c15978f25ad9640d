package build

import (
	"fmt"
	"io"
)

// A transfer shows how much of a download is done.
type transfer struct {
	name string
	to   io.Writer // nil: say nothing
	live bool      // redraw one line
	// shown is the last percentage or megabyte that was shown, and begun says that there was one.
	shown int64
	begun bool
}

// progress shows that done of total bytes are there; total is 0 if it is unknown.
func (t *transfer) progress(done, total int64) {
	if t.to == nil {
		return
	}
	if !t.begun {
		t.begun, t.shown = true, -1
		if !t.live {
			fmt.Fprintf(t.to, "downloading %s once, because no usable Go is installed%s\n", t.name, size(total))
			return
		}
	}
	if !t.live {
		return
	}
	if total == 0 {
		if now := done >> 20; now != t.shown {
			t.shown = now
			fmt.Fprintf(t.to, "\r\x1b[Kdownloading %s once: %d MB", t.name, now)
		}
		return
	}
	if now := done * 100 / total; now != t.shown {
		t.shown = now
		fmt.Fprintf(t.to, "\r\x1b[Kdownloading %s once%s: %d %%", t.name, size(total), now)
	}
}

func size(total int64) string {
	if total == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d MB)", (total+1<<19)>>20)
}

// end removes the line of a terminal.
func (t *transfer) end() {
	if t.to != nil && t.live && t.begun {
		fmt.Fprint(t.to, "\r\x1b[K")
	}
}
