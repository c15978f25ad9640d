package build

import (
	"fmt"
	"path"
	"strings"
	"time"
)

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

func cost(path string) int { return max(1, costs[path]) }

// A startedPackage is a package whose compilation began.
type startedPackage struct {
	path  string
	since time.Time
}

// A guess is what is known of a build that goes on.
type guess struct {
	// current is the package that takes longest of those that probably are being
	// compiled.
	current string
	// rest is how long the build probably takes yet; 0 if the cost is unknown.
	rest time.Duration
}

// estimate guesses how a build goes on. That a package is done is not known, but
// how long it takes at the speed of the others is: first the speed is guessed,
// then what is done at that speed, and so on until the two agree.
func estimate(started []startedPackage, total int, began, now time.Time) guess {
	elapsed := now.Sub(began).Seconds()
	whole := 0.0
	for _, p := range started {
		whole += float64(cost(p.path))
	}
	perCost := elapsed / whole // seconds
	done := whole
	for range 8 {
		done = 0
		for _, p := range started {
			done += min(float64(cost(p.path)), now.Sub(p.since).Seconds()/perCost)
		}
		if done <= 0 {
			break
		}
		perCost = elapsed / done
	}
	g := guess{current: started[len(started)-1].path}
	most := 0.0
	for _, p := range started {
		if left := float64(cost(p.path)) - now.Sub(p.since).Seconds()/perCost; left > most && cost(p.path) > 1 {
			g.current, most = p.path, left
		}
	}
	if total > 0 {
		left := max(0, float64(total)-done)
		g.rest = time.Duration(left * perCost * float64(time.Second))
	}
	return g
}

// roughly is a duration as exactly as a guess deserves.
func roughly(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%ds", max(1, int(d.Round(time.Second).Seconds())))
	case d < 90*time.Second:
		return fmt.Sprintf("%ds", int(d.Round(5*time.Second).Seconds()))
	}
	return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
}

// shortPackage is a package without the parts of its path that say nothing here.
func shortPackage(name string) string {
	const own = "github.com/wfc-lang/wfc/"
	if name == own+mainDir || path.Base(name) == mainDir {
		return "the workflow itself"
	}
	return strings.TrimPrefix(name, own)
}
