package build

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/plain"
)

const (
	// quiet is how long a build may take before it says what it does.
	quiet = 800 * time.Millisecond
	// beatEvery is how often a slow build says that it is alive, where each time
	// takes a line.
	beatEvery = 10 * time.Second
	// redrawEvery is how often the one line of a terminal is drawn anew.
	redrawEvery = 250 * time.Millisecond
	// guessAfter is how long a build goes on before its rest is estimated.
	guessAfter = 3 * time.Second
)

// output takes what the go command prints: lines that name a package move the
// progress on, all others are kept for the error. The go command names a package
// when it begins to compile it, and says nothing when it is done.
type output struct {
	progress io.Writer // nil: say nothing
	live     bool      // redraw one line
	began    time.Time
	now      func() time.Time // nil: the clock
	// waits is called when a module is downloaded, and compiles when a package is compiled;
	// nil: nobody needs to know.
	waits, compiles func()

	mu    sync.Mutex
	rest  string
	other strings.Builder
	// started are the packages whose compilation began.
	started []startedPackage
	// total is the cost of all packages and packages their number; 0 if unknown.
	total    int
	packages int
	shown    time.Time
	headed   bool // what is being compiled was said
	// downloads are the modules whose download began.
	downloads []string
	stopped   chan struct{}
	beats     sync.WaitGroup
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
		if o.compiles != nil {
			o.compiles()
		}
		if strings.Contains(line, "/"+mainDir+"/") {
			return // generated code, as the main package is
		}
		o.started = append(o.started, startedPackage{line, o.clock()})
		if len(o.started) > 1 { // after an edit, only the workflow itself
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

func (o *output) clock() time.Time {
	if o.now != nil {
		return o.now()
	}
	return time.Now()
}

// isPackagePath reports whether a line of `go build -v` names a package.
func isPackagePath(line string) bool {
	return line != "" && !strings.ContainsAny(line, " :#\t") && line[0] != '.'
}

// download says which module is being downloaded: that can take long, and who
// builds should know that the network is used.
func (o *output) download(module string) {
	o.downloads = append(o.downloads, strings.Replace(module, " ", "@", 1))
	if o.waits != nil {
		o.waits()
	}
	switch {
	case o.progress == nil:
	case o.live:
		fmt.Fprintf(o.progress, "\r\x1b[Kdownloading %s", plain.Line(module))
		o.shown = o.clock()
	default:
		fmt.Fprintf(o.progress, "downloading %s\n", module)
	}
}

// expect says which packages the build is of, as a list of lines.
func (o *output) expect(packages []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.packages, o.total = len(packages), 0
	for _, path := range packages {
		o.total += cost(path)
	}
}

// beat has the output say again and again that the build goes on, until flush.
func (o *output) beat() {
	if o.progress == nil {
		return
	}
	o.stopped = make(chan struct{})
	o.beats.Go(func() {
		ticker := time.NewTicker(redrawEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				o.mu.Lock()
				o.show()
				o.mu.Unlock()
			case <-o.stopped:
				return
			}
		}
	})
}

// show says what is being compiled, unless it was said a moment ago. The caller
// holds o.mu.
func (o *output) show() {
	now := o.clock()
	if o.progress == nil || now.Sub(o.began) < quiet || len(o.started) < 2 && now.Sub(o.began) < beatEvery {
		return
	}
	every := beatEvery
	if o.live {
		every = redrawEvery
	}
	if !o.shown.IsZero() && now.Sub(o.shown) < every {
		return
	}
	text := o.status(now)
	o.shown = now
	switch {
	case o.live:
		fmt.Fprintf(o.progress, "\r\x1b[K%s", clip(plain.Line(text), lineWidth))
	case len(o.started) > 1 && !o.headed:
		fmt.Fprintf(o.progress, "%s%s\n", headline, text)
		o.headed = true
	default:
		fmt.Fprintf(o.progress, "  %s\n", text)
	}
}

const (
	headline = "compiling the shared runtime once: "
	// lineWidth is how wide the one line of a terminal may be: one that wraps could
	// not be drawn over.
	lineWidth = 79
)

func clip(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return text
}

// status says how far the build is, what it compiles, and how long the rest takes.
func (o *output) status(now time.Time) string {
	if len(o.started) < 2 {
		return fmt.Sprintf("building the workflow for %ds", int(now.Sub(o.began).Seconds()))
	}
	text := fmt.Sprintf("%d packages", len(o.started))
	if o.packages >= len(o.started) {
		text = fmt.Sprintf("%d of %d packages", len(o.started), o.packages)
	}
	e := estimate(o.started, o.total, o.began, now)
	if o.total > 0 && now.Sub(o.began) >= guessAfter {
		text += ", about " + roughly(e.rest) + " left"
	}
	if o.live {
		text = "first build: " + text
	}
	return text + ": " + shortPackage(e.current)
}

// flush ends the progress and keeps what was printed without a line break.
func (o *output) flush() {
	if o.stopped != nil {
		close(o.stopped)
		o.beats.Wait()
		o.stopped = nil
	}
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

// paths are the packages that were named.
func (o *output) paths() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := make([]string, len(o.started))
	for i, p := range o.started {
		list[i] = p.path
	}
	return list
}

// String returns what was printed besides package names.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.other.String()
}
