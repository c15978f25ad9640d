package costs

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// shownCutOff is how long attempts that were cut off are listed for people.
const shownCutOff = 24 * time.Hour

// WriteText writes the report for people. width is that of the terminal; 0 is no terminal.
func (r *Report) WriteText(out io.Writer, width int) error {
	var b strings.Builder
	r.writeCosts(&b, width)
	rows := [][]string{{"BUDGET", "LIMIT", "SPENT", "RESERVED", "LEFT", "AT LIMIT"}}
	for _, budget := range r.Budgets {
		name := budget.title()
		if budget.Store != "" && slices.ContainsFunc(r.Budgets, func(o Budget) bool { return o.title() == name && o.Store != budget.Store }) {
			name += " in " + budget.Store
		}
		rows = append(rows, budget.rows(name)...)
	}
	writeTable(&b, width, rows)
	rows = [][]string{{"UNFINISHED", "STEP", "AGENT", "SINCE", "ESTIMATE", "STATE"}}
	for _, a := range r.Open {
		if a.State != CutOff || time.Since(a.Since) < shownCutOff {
			estimate := "unknown"
			if a.Priced {
				estimate = plain.Dollars(a.CostUSD)
			}
			rows = append(rows, []string{plain.Line(a.Run), plain.Line(a.Step), plain.Line(a.Agent), a.Since.Local().Format(time.DateTime), estimate + ", " + plain.Thousands(a.Tokens) + " tokens", a.State})
		}
	}
	writeTable(&b, width, rows)
	_, err := io.WriteString(out, b.String())
	return err
}

// writeTable writes a table, apart from the one before, unless it has only a header.
func writeTable(b *strings.Builder, width int, rows [][]string) {
	if len(rows) == 1 {
		return
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	b.WriteString(strings.Join(plain.Table(width, rows...), "\n") + "\n")
}

func (r *Report) writeCosts(b *strings.Builder, width int) {
	rows := [][]string{append(plain.Texts(r.By, strings.ToUpper), "COST", "TOKENS IN", "TOKENS OUT", "PROMPTS", "NOTE")}
	var all Cost
	for i := range r.Costs {
		c := &r.Costs[i]
		all.add(c)
		cells := plain.Texts(r.By, func(name string) string { return plain.Line(cmp.Or(*c.column(name), "-")) })
		rows = append(rows, append(cells, c.amounts()...))
	}
	if len(r.Costs) > 1 {
		rows = append(rows, slices.Concat([]string{"in total"}, make([]string, len(r.By)-1), all.amounts()))
	}
	writeTable(b, width, rows)
}

// amounts are the cells behind the columns.
func (c *Cost) amounts() []string {
	cost := plain.Dollars(c.CostUSD + c.LostUSD)
	var notes []string
	if c.Unpriced > 0 {
		notes = append(notes, plain.Count(c.Unpriced, "prompt")+" reported no cost")
		if c.Unpriced == c.Attempts {
			cost, notes = "unknown", nil
		}
	}
	switch {
	case c.Lost > 0 && c.LostUSD == 0:
		notes = append(notes, fmt.Sprintf("%d cut off", c.Lost))
	case c.Lost > 0:
		notes = append(notes, fmt.Sprintf("%s estimated for %d cut off", plain.Dollars(c.LostUSD), c.Lost))
	}
	return []string{cost, plain.Thousands(c.InputTokens), plain.Thousands(c.OutputTokens), strconv.Itoa(c.Attempts), strings.Join(notes, "; ")}
}

// title names a budget, which several stores may have.
func (b *Budget) title() string {
	if b.Workflow != "" {
		return b.Window + " of workflow " + b.Workflow
	}
	return b.Window + " of " + b.Project
}

// rows are the limits of a budget with a name.
func (b *Budget) rows(name string) (rows [][]string) {
	row := func(l Limit, text func(float64) string) {
		if l != (Limit{}) {
			rows = append(rows, []string{plain.Line(name), text(l.Limit), text(l.Spent), text(l.Reserved), text(l.Left), b.AtLimit})
		}
	}
	row(b.CostUSD, plain.Dollars)
	row(b.Tokens, func(v float64) string { return plain.Thousands(int64(v)) + " tokens" })
	return rows
}

// WriteCSV writes the costs as CSV, with a header.
func (r *Report) WriteCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	_ = w.Write(append(slices.Clone(r.By), "cost_usd", "unpriced", "lost_usd", "lost", "input_tokens", "output_tokens", "attempts"))
	for i := range r.Costs {
		c := &r.Costs[i]
		cells := plain.Texts(r.By, func(name string) string { return *c.column(name) })
		_ = w.Write(append(cells, amount(c.CostUSD), strconv.Itoa(c.Unpriced), amount(c.LostUSD), strconv.Itoa(c.Lost),
			strconv.FormatInt(c.InputTokens, 10), strconv.FormatInt(c.OutputTokens, 10), strconv.Itoa(c.Attempts)))
	}
	w.Flush()
	return w.Error()
}

// amount is money without a sign, to a millionth of a dollar.
func amount(usd float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(usd, 'f', 6, 64), "0"), ".")
}
