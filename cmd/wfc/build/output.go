package build

import (
	"fmt"
	"io"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

const (
	// quiet is how long a build may take before it says what it does.
	quiet = 800 * time.Millisecond
	// beatEvery is how often a slow build says that it is alive, where each time
	// takes a line.
	beatEvery = 10 * time.Second
	// redrawEvery is how often the one line of a terminal is drawn anew.
	redrawEvery = 250 * time.Millisecond
	// guessAfter is how long a build takes before its rest is estimated.
	guessAfter = 3 * time.Second
)

// output takes what the go command prints: lines that name a package move the
// progress on, all others are kept for the error. The go command names a package
// when it starts to compile it, but not when it is done.
type output struct {
	progress io.Writer // nil: say nothing
	program  string    // what is built
	live     bool      // redraw one line
	began    time.Time
	now      func() time.Time // nil: the clock
	// waits is called when a module is downloaded, and compiles when a package is compiled;
	// both may be nil.
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
	headed   bool // it has said what it compiles
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
		o.handleLine(line)
	}
}

func (o *output) handleLine(line string) {
	if isPackagePath(line) {
		if o.compiles != nil {
			o.compiles()
		}
		if strings.Contains(line, "/"+mainDir+"/") {
			return // generated code, as the main package is
		}
		o.started = append(o.started, startedPackage{line, o.currentTime()})
		if len(o.started) > 1 { // after an edit, only the workflow itself
			o.showProgress()
		}
		return
	}
	if module, ok := strings.CutPrefix(line, "go: downloading "); ok {
		o.showDownload(module)
		return
	}
	o.other.WriteString(line)
	o.other.WriteByte('\n')
}

func (o *output) currentTime() time.Time {
	if o.now != nil {
		return o.now()
	}
	return time.Now()
}

// isPackagePath reports whether a line of `go build -v` names a package.
func isPackagePath(line string) bool {
	return line != "" && !strings.ContainsAny(line, " :#\t") && line[0] != '.'
}

// showDownload says which module is being downloaded: that can take long, and who
// builds should know that the network is used.
func (o *output) showDownload(module string) {
	o.downloads = append(o.downloads, strings.Replace(module, " ", "@", 1))
	if o.waits != nil {
		o.waits()
	}
	switch {
	case o.progress == nil:
	case o.live:
		fmt.Fprintf(o.progress, "\r\x1b[Kdownloading %s", plain.Line(module))
		o.shown = o.currentTime()
	default:
		fmt.Fprintf(o.progress, "downloading %s\n", module)
	}
}

// expectPackages says which packages the build is of, as a list of lines.
func (o *output) expectPackages(packages []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.packages, o.total = len(packages), 0
	for _, path := range packages {
		o.total += compileCost(path)
	}
}

// startHeartbeat makes the output repeat that the build continues, until flush.
func (o *output) startHeartbeat() {
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
				o.showProgress()
				o.mu.Unlock()
			case <-o.stopped:
				return
			}
		}
	})
}

// showProgress prints the packages that are being compiled, unless it did so a moment ago.
// The caller holds o.mu.
func (o *output) showProgress() {
	now := o.currentTime()
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
	text := o.progressText(now)
	o.shown = now
	switch {
	case o.live:
		fmt.Fprintf(o.progress, "\r\x1b[K%s", clipText(plain.Line(text), lineWidth))
	case len(o.started) > 1 && !o.headed:
		fmt.Fprintf(o.progress, "%s%s\n", headline, text)
		o.headed = true
	default:
		fmt.Fprintf(o.progress, "  %s\n", text)
	}
}

const (
	headline = "compiling shared packages once: "
	// lineWidth is how wide the one line of a terminal may be: one that wraps could
	// not be drawn over.
	lineWidth = 79
)

func clipText(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return text
}

// progressText says how far the build is, what it compiles, and how long the rest takes.
func (o *output) progressText(now time.Time) string {
	if len(o.started) < 2 {
		return fmt.Sprintf("building %s for %ds", o.program, int(now.Sub(o.began).Seconds()))
	}
	text := fmt.Sprintf("%d packages", len(o.started))
	if o.packages >= len(o.started) {
		text = fmt.Sprintf("%d of %d packages", len(o.started), o.packages)
	}
	e := estimateBuild(o.started, o.total, o.began, now)
	if o.total > 0 && now.Sub(o.began) >= guessAfter {
		text += ", about " + roughDuration(e.rest) + " left"
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
		o.handleLine(o.rest)
		o.rest = ""
	}
	if o.live && !o.shown.IsZero() {
		fmt.Fprint(o.progress, "\r\x1b[K")
	}
}

// packagePaths are the packages that were named.
func (o *output) packagePaths() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return plain.Texts(o.started, func(p startedPackage) string { return p.path })
}

// String returns what was printed besides package names.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.other.String()
}

// costs are how long packages take to compile, as multiples of what an ordinary
// package takes, which has cost 1: those that matter, measured in processor time
// by `go build -debug-actiongraph` with an empty cache.
var costs = map[string]int{
	"modernc.org/sqlite/lib": 115, "modernc.org/libc": 50, "runtime": 35, "github.com/wfc-lang/wfc/runtime/internal/ent": 30,
	"entgo.io/ent/dialect/sql": 10, "net": 10, "github.com/wfc-lang/wfc/runtime/cli": 8, "reflect": 8, "golang.org/x/sys/unix": 7,
	"modernc.org/sqlite": 6, "github.com/spf13/pflag": 5, "math/big": 5, "os": 5,
	// The SDKs of services and of MCP; each is nearly one package.
	"github.com/openai/openai-go/v3": 150, "github.com/openai/openai-go/v3/responses": 150, "github.com/anthropics/anthropic-sdk-go": 120,
	"google.golang.org/genai": 80, "github.com/modelcontextprotocol/go-sdk/mcp": 20, "github.com/jackc/pgx/v5/pgtype": 15,
}

func compileCost(path string) int { return max(1, costs[path]) }

// A startedPackage is a package whose compilation began.
type startedPackage struct {
	path  string
	since time.Time
}

// A guess is an estimate of the rest of a build.
type guess struct {
	// current is the package that takes longest of those that probably are being
	// compiled.
	current string
	// rest is how long the build probably takes yet; 0 if the cost is unknown.
	rest time.Duration
}

// estimateBuild estimates the rest of a build. The go command doesn't say when a package is
// done, but the speed of the build says how long a package takes: the function guesses a
// speed, computes the work done at that speed, corrects the speed by it, and repeats this
// until the two agree.
func estimateBuild(started []startedPackage, total int, began, now time.Time) guess {
	elapsed := now.Sub(began).Seconds()
	whole := 0.0
	for _, p := range started {
		whole += float64(compileCost(p.path))
	}
	perCost := elapsed / whole // seconds
	done := whole
	for range 8 {
		done = 0
		for _, p := range started {
			done += min(float64(compileCost(p.path)), now.Sub(p.since).Seconds()/perCost)
		}
		if done <= 0 {
			break
		}
		perCost = elapsed / done
	}
	g := guess{current: started[len(started)-1].path}
	most := 0.0
	for _, p := range started {
		if left := float64(compileCost(p.path)) - now.Sub(p.since).Seconds()/perCost; left > most && compileCost(p.path) > 1 {
			g.current, most = p.path, left
		}
	}
	if total > 0 {
		left := max(0, float64(total)-done)
		g.rest = time.Duration(left * perCost * float64(time.Second))
	}
	return g
}

// roughDuration is a duration as exactly as a guess deserves.
func roughDuration(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%ds", max(1, int(d.Round(time.Second).Seconds())))
	case d < 90*time.Second:
		return fmt.Sprintf("%ds", int(d.Round(5*time.Second).Seconds()))
	}
	return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
}

// shortPackage is a package without the parts of its path that mean nothing to a user.
func shortPackage(name string) string {
	const own = "github.com/wfc-lang/wfc/"
	if name == own+mainDir || path.Base(name) == mainDir {
		return "the workflow itself"
	}
	return strings.TrimPrefix(name, own)
}

// A transfer shows how much of a download is done.
type transfer struct {
	name string
	to   io.Writer // nil: say nothing
	live bool      // redraw one line
	// shown is the last percentage or megabyte that was shown, and begun says that there was one.
	shown int64
	begun bool
}

// showProgress shows that done of total bytes are there; total is 0 if it is unknown.
func (t *transfer) showProgress(done, total int64) {
	if t.to == nil {
		return
	}
	if !t.begun {
		t.begun, t.shown = true, -1
		if !t.live {
			fmt.Fprintf(t.to, "downloading %s once, because no usable Go is installed%s\n", t.name, sizeText(total))
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
		fmt.Fprintf(t.to, "\r\x1b[Kdownloading %s once%s: %d %%", t.name, sizeText(total), now)
	}
}

func sizeText(total int64) string {
	if total == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d MB)", (total+1<<19)>>20)
}

// clearLine removes the line of a terminal.
func (t *transfer) clearLine() {
	if t.to != nil && t.live && t.begun {
		fmt.Fprint(t.to, "\r\x1b[K")
	}
}
