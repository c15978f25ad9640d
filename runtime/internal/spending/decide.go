package spending

import (
	"fmt"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A Request asks for the reservation of an attempt.
type Request struct {
	// Row is the attempt, with its estimated cost. Time is the current time.
	Row     Row
	Budgets []Budget
	// Lifted reports that a person has lifted the budgets for the run: they refuse nothing.
	Lifted bool
}

// A Reservation is the answer to a request.
type Reservation struct {
	// Row is the new row, unless the attempt is refused.
	Row     Row
	Refused *Refusal
	// Near are the budgets of which most is used up now, unless an attempt in their windows had
	// that answer before.
	Near []Use
}

// A Use is the part of a budget that is used up.
type Use struct {
	Budget
	// Spent is what attempts in the window have cost, and Open what the attempts that are under
	// way have reserved.
	Spent, Open Amount
}

// An Amount is a sum over rows.
type Amount struct{ Micros, Tokens int64 }

// Plus returns the sum of two amounts.
func (a Amount) Plus(b Amount) Amount { return Amount{a.Micros + b.Micros, a.Tokens + b.Tokens} }

// A Refusal says why an attempt may not begin.
type Refusal struct {
	Use
	// Until is the time at which enough of the window has slid past, or the zero time if that
	// never suffices.
	Until time.Time
	// Busy reports that the attempt could begin if none were under way. They may cost less than
	// they have reserved.
	Busy bool
	// Message is the reason, for people.
	Message string
}

// A Book is the ledger within a transaction.
type Book interface {
	// Sum returns the sums over a budget's rows since a time: Spent of the rows that aren't
	// open, and Open of those that are. See OpenSince.
	Sum(project string, b *Budget, since, openSince time.Time) (spent, open Amount, err error)
	// Oldest calls do with a budget's rows since a time whose Warned contains a mark, the oldest
	// first, until it returns false.
	Oldest(project string, b *Budget, since time.Time, mark string, do func(r *Row) bool) error
	// Add adds a row and sets its number.
	Add(r *Row) error
}

// nearShare is the part of a budget, in percent, from which it is near its limit.
const nearShare = 80

// Decide checks the budgets of a request, and adds its row if they allow it.
func Decide(book Book, q Request) (Reservation, error) {
	r := Reservation{Row: q.Row}
	row := &r.Row
	row.State = Reserved
	estimate := Amount{row.Micros, row.Tokens()}
	for i := range q.Budgets {
		b := &q.Budgets[i]
		since := row.Time.Add(-b.Window)
		spent, open, err := book.Sum(row.Project, b, since, OpenSince(row.Time))
		if err != nil {
			return r, err
		}
		use := Use{*b, spent, open}
		if !q.Lifted && use.refuses(estimate, spent.Plus(open)) {
			refused, err := use.refuse(book, row, estimate, since)
			if err != nil {
				return r, err
			}
			if r.Refused == nil || refused.isLonger(r.Refused) {
				r.Refused = refused
			}
		}
		if use.isNear(spent.Plus(open).Plus(estimate)) {
			warned := false
			err := book.Oldest(row.Project, b, since, b.mark(), func(*Row) bool { warned = true; return false })
			if err != nil {
				return r, err
			}
			if !warned {
				row.Warned += b.mark()
				use.Open = open.Plus(estimate)
				r.Near = append(r.Near, use)
			}
		}
	}
	if r.Refused != nil {
		return Reservation{Refused: r.Refused}, nil
	}
	return r, book.Add(row)
}

// mark is how Row.Warned names a budget.
func (b *Budget) mark() string { return "<" + b.Name() + " " + b.Workflow + ">" }

// refuses reports whether an attempt would exceed the budget of which an amount is used.
func (b *Budget) refuses(estimate, used Amount) bool {
	return exceeds(b.Micros, used.Micros, estimate.Micros) || exceeds(b.Tokens, used.Tokens, estimate.Tokens)
}

// exceeds reports whether a limit doesn't allow more. Nothing may begin at the limit, not even
// an attempt whose cost nobody knows.
func exceeds(limit, used, more int64) bool {
	return limit > 0 && (used >= limit || used+more > limit)
}

// isNear reports whether most of the budget is used.
func (b *Budget) isNear(used Amount) bool {
	reaches := func(limit, used int64) bool { return limit > 0 && used >= limit-limit*(100-nearShare)/100 }
	return reaches(b.Micros, used.Micros) || reaches(b.Tokens, used.Tokens)
}

// refuse returns the refusal of an attempt.
func (u *Use) refuse(book Book, row *Row, estimate Amount, since time.Time) (*Refusal, error) {
	r := &Refusal{Use: *u}
	if u.refuses(estimate, Amount{}) {
		r.Message = fmt.Sprintf("one turn of `%s` is estimated at %s, and the whole %s is %s", row.Agent, estimate.text(&u.Budget), u.Title(), u.limitText())
		return r, nil
	}
	r.Busy = !u.refuses(estimate, u.Spent)
	why := "is used up"
	if !u.refuses(Amount{}, u.Spent.Plus(u.Open)) {
		why = fmt.Sprintf("does not allow a turn of about %s", estimate.text(&u.Budget))
	}
	r.Message = fmt.Sprintf("the %s (%s) %s: %s", u.Title(), u.limitText(), why, u.usedText())
	left := u.Spent.Plus(u.Open)
	err := book.Oldest(row.Project, &u.Budget, since, "", func(old *Row) bool {
		left = Amount{left.Micros - old.Micros, left.Tokens - old.Tokens()}
		r.Until = old.Time.Add(u.Window + time.Nanosecond)
		return u.refuses(estimate, left)
	})
	return r, err
}

// isLonger reports whether the refusal lasts longer than another one.
func (r *Refusal) isLonger(other *Refusal) bool {
	if r.Busy != other.Busy {
		return other.Busy
	}
	return !other.Until.IsZero() && (r.Until.IsZero() || r.Until.After(other.Until))
}

// Title names the budget for people.
func (b *Budget) Title() string {
	title := map[string]string{"day": "daily budget", "month": "monthly budget"}[b.Name()]
	if b.Workflow != "" {
		title += " of workflow `" + b.Workflow + "`"
	}
	return title
}

func (b *Budget) limitText() string { return Amount{b.Micros, b.Tokens}.text(b) }

// usedText says how much of a budget is used.
func (u *Use) usedText() string {
	text := u.Spent.text(&u.Budget) + " spent"
	if u.Open != (Amount{}) {
		text += ", " + u.Open.text(&u.Budget) + " reserved by turns under way"
	}
	return text
}

// text returns the parts of an amount that a budget limits.
func (a Amount) text(b *Budget) string {
	var parts []string
	if b.Micros > 0 {
		parts = append(parts, plain.Dollars(Dollars(a.Micros)))
	}
	if b.Tokens > 0 {
		parts = append(parts, plain.Thousands(a.Tokens)+" tokens")
	}
	return strings.Join(parts, " and ")
}

// NearText is the text of the warning about a budget that is nearly used up.
func (u *Use) NearText() string {
	return fmt.Sprintf("%d %% of the %s (%s) is used up: %s", nearShare, u.Title(), u.limitText(), u.usedText())
}
