package build

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// quiet is how long a build may take before it says what it does.
const quiet = 800 * time.Millisecond

// output takes what the go command prints: lines that name a compiled package
// move the progress on, all others are kept for the error.
type output struct {
	progress io.Writer // nil: say nothing
	live     bool      // redraw one line
	total    int       // packages in all, 0 if unknown
	began    time.Time

	mu    sync.Mutex
	rest  string
	other strings.Builder
	done  int
	shown time.Time
	// downloads are the modules whose download began.
	downloads []string
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rest += string(p)
	for {
		line, rest, ok := strings.Cut(o.rest, "\n")
		if !ok {
			return len(p), nil
		}
		o.rest = rest
		o.line(line)
	}
}

func (o *output) line(line string) {
	if isPackagePath(line) {
		o.done++
		if o.done > 1 { // after an edit, only the workflow itself
			o.show()
		}
		return
	}
	if module, ok := strings.CutPrefix(line, "go: downloading "); ok {
		o.download(module)
		return
	}
	o.other.WriteString(line)
	o.other.WriteByte('\n')
}

// isPackagePath reports whether a line of `go build -v` names a package.
func isPackagePath(line string) bool {
	return line != "" && !strings.ContainsAny(line, " :#\t") && line[0] != '.'
}

// download says which module is being downloaded: that can take long, and who
// builds should know that the network is used.
func (o *output) download(module string) {
	o.downloads = append(o.downloads, strings.Replace(module, " ", "@", 1))
	switch {
	case o.progress == nil:
	case o.live:
		fmt.Fprintf(o.progress, "\r\x1b[Kdownloading %s", module)
		o.shown = time.Now()
	default:
		fmt.Fprintf(o.progress, "downloading %s\n", module)
	}
}

func (o *output) show() {
	now := time.Now()
	if o.progress == nil || now.Sub(o.began) < quiet {
		return
	}
	every := 5 * time.Second
	if o.live {
		every = 100 * time.Millisecond
	}
	if !o.shown.IsZero() && now.Sub(o.shown) < every {
		return
	}
	first := o.shown.IsZero()
	o.shown = now
	count := fmt.Sprintf("%d packages", o.done)
	if o.total > 0 {
		count = fmt.Sprintf("%d of %d packages", o.done, o.total)
	}
	switch {
	case o.live:
		fmt.Fprintf(o.progress, "\r\x1b[Kcompiling the runtime, once for all workflows: %s", count)
	case first:
		fmt.Fprintf(o.progress, "compiling the runtime, once for all workflows: %s\n", count)
	default:
		fmt.Fprintf(o.progress, "  %s after %ds\n", count, int(now.Sub(o.began).Seconds()))
	}
}

// flush ends the progress and keeps what was printed without a line break.
func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.rest != "" {
		o.line(o.rest)
		o.rest = ""
	}
	if o.live && !o.shown.IsZero() {
		fmt.Fprint(o.progress, "\r\x1b[K")
	}
}

// String returns what was printed besides package names.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.other.String()
}
