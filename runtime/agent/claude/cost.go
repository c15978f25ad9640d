package claude

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/internal/agent/ledger"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// The cost in a result is not that of the turn: up to 2.1.197 it is that of the
// process, and later that of the whole session, forks included, whose earlier part
// the program reads in its transcript. The newest versions also report the cost
// since the previous result; this package prefers it. Otherwise it subtracts the
// earlier cost of the session, which it reads in the transcript, or keeps in the
// run's folder.

const (
	// processTotals is the newest version known to report the cost of the process, and
	// sessionTotals the oldest known to report that of the session.
	processTotals = 197
	sessionTotals = 283
)

func ofVersion2_1(patch int) program.Version {
	return program.Version{Major: 2, Minor: 1, Patch: patch}
}

// spent is what something cost.
type spent struct {
	CostUSD float64 `json:"cost_usd"`
	// Input and Output are tokens, cached ones among the input.
	Input  int64 `json:"input_tokens"`
	Output int64 `json:"output_tokens"`
}

func (s spent) plus(o spent) spent {
	return spent{s.CostUSD + o.CostUSD, s.Input + o.Input, s.Output + o.Output}
}

// differenceFrom returns the difference to an earlier state of the same count.
func (s spent) differenceFrom(before spent) spent {
	// Sums of many small amounts differ in the last digits.
	const digits = 1e12
	cost := math.Round(max(0, s.CostUSD-before.CostUSD)*digits) / digits
	return spent{cost, max(0, s.Input-before.Input), max(0, s.Output-before.Output)}
}

// totalSpent returns what all models cost together.
func (m modelUsage) totalSpent() (s spent) {
	for _, u := range m {
		s = s.plus(spent{u.CostUSD, u.Input + u.CacheRead + u.CacheWrite, u.Output})
	}
	return s
}

// results are what the results of a turn say together.
type results struct {
	// turns and used are of the turn, in the newest result since the one before.
	turns int
	used  spent
	// since is the sum of Since; bare says that a result did not have it.
	since spent
	bare  bool
}

// addResult adds a result.
func (t *turn) addResult() {
	r, all := t.result, &t.results
	all.turns += r.Turns
	all.used = all.used.plus(spent{0, r.Usage.totalInput(), r.Usage.Output})
	all.since = all.since.plus(r.Since.totalSpent())
	all.bare = all.bare || r.Since == nil
	own, m := all.since, &t.meta
	if all.bare {
		own = t.shareOfTotal()
	}
	m.CostUSD, m.Turns = own.CostUSD, all.turns
	m.InputTokens, m.OutputTokens = max(t.seen.Input, own.Input), max(t.seen.Output, own.Output)
	if !all.bare {
		return
	}
	if err := t.costBook().Keep(m.Session, t.reportedTotal()); err != nil {
		t.output.Warn("cannot save the cost of the session, so the cost of its next turn may be unknown: %v", err)
	}
}

// reportedTotal returns the cost in the result, of the process or of the session.
func (t *turn) reportedTotal() spent {
	s := t.result.Models.totalSpent()
	s.CostUSD = t.result.CostUSD
	return s
}

// shareOfTotal returns the turn's part of a total. If the earlier cost of the session is
// unknown, the dollars are 0, with a warning.
func (t *turn) shareOfTotal() spent {
	whole, used := t.reportedTotal(), t.results.used
	if len(t.result.Models) == 0 {
		whole.Input, whole.Output = used.Input, used.Output
	}
	r := t.request
	if r.Session == "" || r.FreshSession || t.version != (program.Version{}) && t.version.Compare(ofVersion2_1(processTotals)) <= 0 {
		return whole
	}
	before, known := t.earlierCost()
	grown := whole.Input >= before.Input+t.seen.Input && whole.Output >= before.Output+t.seen.Output
	switch {
	case !known && whole.Input == t.seen.Input && whole.Output == t.seen.Output:
		return whole // there is nothing in it but this turn
	case !known:
		t.output.Warn("the cost of this turn is unknown: claude reports that of the whole session, and the cost before this turn is unknown")
		return spent{0, used.Input, used.Output}
	case whole.CostUSD < before.CostUSD-format.TinyCost:
		return whole
	case t.version.Compare(ofVersion2_1(sessionTotals)) < 0 && len(t.result.Models) > 0 && !grown:
		return whole // it is too little for both
	}
	own := whole.differenceFrom(before)
	if len(t.result.Models) == 0 {
		own.Input, own.Output = used.Input, used.Output
	}
	return own
}

// earlierCost returns the earlier cost of a continued session.
func (t *turn) earlierCost() (s spent, known bool) {
	for _, path := range transcriptFiles(t.projects(), t.request.Session) {
		if s, err := lastState(path); err == nil {
			return s, true // none: a version wrote it that counted by process
		}
	}
	return s, t.costBook().Last(t.request.Session, &s)
}

// costBook is where what sessions have cost is kept, for programs whose transcripts
// are somewhere else.
func (t *turn) costBook() ledger.Book {
	return ledger.Book{Dir: t.request.RunDir, Name: "session-cost"}
}

// configDir returns the folder in which the program keeps its data, or "".
func configDir(environ []string) string {
	if dir := process.Variable(environ, "CLAUDE_CONFIG_DIR"); dir != "" {
		return dir
	}
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if home := process.Variable(environ, name); home != "" {
			return filepath.Join(home, ".claude")
		}
	}
	return ""
}

// transcriptFiles returns the files below a folder that hold a session: one, unless folders were
// copied.
func transcriptFiles(projects, session string) []string {
	if !filepath.IsAbs(projects) || session == "" || strings.ContainsAny(session, `/\*?[`) {
		return nil
	}
	folders, err := os.ReadDir(projects)
	if err != nil {
		return nil
	}
	var list []string
	for _, folder := range folders {
		path := filepath.Join(projects, folder.Name(), session+".jsonl")
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			list = append(list, path)
		}
	}
	return list
}

// lastState returns the last state of the costs in a transcript, and zero if it has none.
func lastState(path string) (last spent, err error) {
	file, err := os.Open(path)
	if err != nil {
		return spent{}, err
	}
	defer file.Close()
	mark := []byte(`"cost-state"`)
	for r := bufio.NewReaderSize(file, 1<<16); ; {
		line, err := wholefile.Output.Line(r, path)
		if bytes.Contains(line, mark) {
			var state struct {
				Type    string     `json:"type"`
				CostUSD *float64   `json:"totalCostUSD"`
				Models  modelUsage `json:"modelUsage"`
			}
			if json.Unmarshal(line, &state) == nil && state.Type == "cost-state" && state.CostUSD != nil {
				last = state.Models.totalSpent()
				last.CostUSD = *state.CostUSD
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return last, nil
		case err != nil:
			return spent{}, err
		}
	}
}
