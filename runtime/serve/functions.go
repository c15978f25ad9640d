package serve

import (
	"cmp"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
)

// functions are those of the templates. None returns markup: all that agents and files can fill is
// text for html/template.
var functions = template.FuncMap{
	"run": func(r desk.Ref) string { return runAddress(r) }, "stepAddress": stepAddress, "partsAddress": partsAddress, "query": queryAddress,
	"date": func(t time.Time) string { return t.Local().Format(time.DateTime) }, "iso": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"took": took, "duration": plain.Duration, "money": money, "dollars": plain.Dollars, "count": count, "words": func(s any) string { return statusWords(fmt.Sprint(s)) }, "icon": func(s flow.Status) string { return cmp.Or(statusIcons[s], "○") }, "visible": visible,
	"clip": clip, "size": byteSize, "spent": func(s runstore.SpendingTotal) string { return spentWords(s) }, "usage": func(m flow.Meta) string { return format.Usage(m) },
	"rows": func(r desk.Ref, list []nodeRow) rowsView { return rowsView{r, list} }, "ask": newQuestionView,
}

// runAddress is the address of the page of a run.
func runAddress(r desk.Ref) string {
	return "/runs/" + url.PathEscape(r.Place) + "/" + url.PathEscape(r.ID)
}

// stepAddress is the address of a step, and partsAddress that of a node's parts.
func stepAddress(r desk.Ref, key string) string {
	return queryAddress(runAddress(r)+"/step", "key", key)
}

func partsAddress(r desk.Ref, node string, page int) string {
	return queryAddress(runAddress(r)+"/parts", "of", node, "page", fmt.Sprint(page))
}

// queryAddress adds pairs of names and values to an address. Empty values are left out.
func queryAddress(address string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return address
	}
	return address + "?" + q.Encode()
}

// took is the time between two times, or until now.
func took(from, to time.Time) string {
	if from.IsZero() {
		return ""
	}
	return plain.Duration(cmp.Or(to, time.Now()).Sub(from))
}

func money(micros int64) string {
	if micros == 0 {
		return ""
	}
	return plain.Dollars(float64(micros) / 1e6)
}

// count writes a number with spaces between thousands.
func count(n any) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}

func spentWords(s runstore.SpendingTotal) string {
	if s.Attempts == 0 {
		return ""
	}
	tokens := ""
	if n := s.Input + s.Output; n > 0 {
		tokens = count(n) + " tokens"
	}
	return strings.Trim(money(s.Micros)+", "+tokens, ", ")
}

func statusWords[S ~string](s S) string { return strings.ReplaceAll(string(s), "_", " ") }

// statusIcons are signs beside the words of statuses, so that colour alone says nothing.
var statusIcons = map[flow.Status]string{
	flow.Completed: "✓", flow.Failed: "✕", flow.LimitReached: "✕", flow.Running: "▶", flow.Waiting: "‖", flow.Paused: "‖",
	flow.Interrupted: "!", flow.Cancelled: "■", flow.Skipped: "»",
}

// visible shows characters that a browser would hide, such as those that turn the direction of
// text: a person must see what they approve.
func visible(text string) string {
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if hidden(r) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hidden(r rune) bool {
	return r != '\n' && r != '\t' && r != '\u200d' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) // the joiner is a part of emoji
}

// clipLength is how many bytes of a text a page shows.
const clipLength = 64 << 10

// A clipped is a text of which a page may show only the beginning.
type clipped struct {
	Text string
	// Left is how many bytes are left out.
	Left int
}

func clip(text string) clipped {
	if len(text) <= clipLength {
		return clipped{visible(text), 0}
	}
	return clipped{visible(strings.ToValidUTF8(text[:clipLength], "")), len(text) - clipLength}
}

func byteSize(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// rowsView are the rows of a table of steps.
type rowsView struct {
	Ref  desk.Ref
	Rows []nodeRow
}

// A questionView is a question with its form.
type questionView struct {
	view
	// Run is the run whose page it is on, and Refused says why the person may not answer.
	Run     string
	Refused error
	Gates   string
	Open    desk.Open
	// Edits says that the person may replace the output.
	Edits bool
}

func newQuestionView(v view, of *runView, q desk.Open) questionView {
	ask := questionView{view: v, Run: of.Ref.ID, Gates: of.Terms.Gates, Open: q}
	ask.Refused = of.Terms.Refuse(q.Rule, q.Key, q.Ref.ID, v.Person)
	ask.Edits = slices.Contains(q.Choices, kernel.ChoiceEdit)
	if q.Wait == flow.WaitEvent {
		ask.Gates = "" // any program may report an event
	}
	return ask
}
