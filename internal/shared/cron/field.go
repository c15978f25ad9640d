package cron

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// set has the numbers that a field allows: bit n is the number n.
type set struct {
	bits uint64
	// free says that the field is `*`: it restricts nothing.
	free bool
}

// numbers returns the numbers in order.
func (s set) numbers() []int {
	var list []int
	for b := s.bits; b != 0; b &= b - 1 {
		list = append(list, bits.TrailingZeros64(b))
	}
	return list
}

// A field is one of the five.
type field struct {
	name     string
	min, max int
	// names are the names of min, min+1 and so on.
	names []string
	// full are the long forms of the names.
	full []string
	// open says that `?` may replace `*`.
	open bool
}

// sunday is the number of Sunday beside 0.
const sunday = 7

var fields = [...]field{
	{name: "minute", min: 0, max: 59},
	{name: "hour", min: 0, max: 23},
	{name: "day-of-month", min: 1, max: 31, open: true},
	{name: "month", min: 1, max: 12, names: shortMonths, full: longMonths},
	{name: "day-of-week", min: 0, max: sunday, names: shortDays, full: longDays, open: true},
}

var (
	shortMonths = []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}
	longMonths  = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	shortDays   = []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}
	longDays    = []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
)

// isWeekday reports whether it is the field of days of the week.
func (f *field) isWeekday() bool { return f.max == sunday && f.names != nil }

// allBits is the set of all the field's numbers.
func (f *field) allBits() uint64 { return f.rangeBits(f.min, f.max, 1) }

// rangeBits is the set of numbers from first to last, step apart.
func (f *field) rangeBits(first, last, step int) uint64 {
	var set uint64
	for n := first; n <= last; n += step {
		if f.isWeekday() {
			set |= 1 << (n % sunday)
		} else {
			set |= 1 << n
		}
	}
	return set
}

// parseField reads one of the fields: a list of items.
func (p *parser) parseField(f *field, at part) set {
	var out set
	start := at.start
	for item := range strings.SplitSeq(at.text, ",") {
		one := part{item, start, start + len(item)}
		start = one.end + 1
		if item == "" {
			p.addFinding(valueFault, at, "", "invalid list `%s`: a comma without an item", at.text)
			return set{}
		}
		got, ok := p.parseItem(f, one)
		if ok {
			out.bits |= got.bits
			out.free = out.free || got.free
		}
	}
	return out
}

// parseItem reads `*`, a number, a range, and a step behind each of these.
func (p *parser) parseItem(f *field, at part) (set, bool) {
	span, by, stepped := strings.Cut(at.text, "/")
	step := 1
	if stepped {
		where := part{by, at.start + len(span) + 1, at.end}
		var ok bool
		if step, ok = p.parseStep(where, at); !ok {
			return set{}, false
		}
	}
	if span == "*" || span == "?" {
		if span == "?" && !f.open {
			p.addFinding(valueFault, part{span, at.start, at.start + 1}, "use `?` only for a day", "invalid %s `?`", f.name)
			p.setLastFix("*")
			return set{}, false
		}
		if f.isWeekday() {
			return p.steppedRange(f, at, f.min, sunday-1, step, stepped)
		}
		return p.steppedRange(f, at, f.min, f.max, step, stepped)
	}
	from, to, ranged := strings.Cut(span, "-")
	first, ok := p.parseNumber(f, part{from, at.start, at.start + len(from)}, at)
	if !ranged {
		if !stepped || !ok {
			return set{bits: f.rangeBits(first, first, 1)}, ok
		}
		if f.isWeekday() {
			return p.steppedRange(f, at, first%sunday, sunday-1, step, true)
		}
		return p.steppedRange(f, at, first, f.max, step, true)
	}
	where := part{to, at.start + len(from) + 1, at.start + len(span)}
	last, also := p.parseNumber(f, where, at)
	if !ok || !also {
		return set{}, false
	}
	if f.isWeekday() && last == 0 && first > 0 && strings.EqualFold(to, shortDays[0]) {
		last = sunday // FRI-SUN ends with the week
	}
	if first > last {
		p.suggestWrappedRange(f, part{span, at.start, at.start + len(span)}, first, last, stepped)
		return set{}, false
	}
	return p.steppedRange(f, at, first, last, step, stepped)
}

// steppedRange is the set of a range, of which a step must leave more than its
// beginning.
func (p *parser) steppedRange(f *field, at part, first, last, step int, stepped bool) (set, bool) {
	if stepped && step > last-first && step > 1 {
		help := fmt.Sprintf("write `%d` if that is the intent", first)
		if last > first {
			help += fmt.Sprintf(", or a step of at most %d", last-first)
		}
		p.addFinding(valueFault, at, help,
			"step %d is wider than the range %d-%d of the %s", step, first, last, f.name)
		return set{}, false
	}
	s := set{bits: f.rangeBits(first, last, step)}
	s.free = step == 1 && (at.text[0] == '*' || at.text[0] == '?')
	return s, true
}

// parseStep reads the number after a slash.
func (p *parser) parseStep(where, item part) (int, bool) {
	n, ok := parseDigits(where.text)
	switch {
	case where.text == "":
		p.addFinding(valueFault, item, "write the distance between the times, such as `*/15`", "missing step after `/` in `%s`", item.text)
	case !ok:
		p.addFinding(valueFault, where, "write an integer, as in `*/15`", "invalid step `%s`", where.text)
	case n == 0:
		p.addFinding(valueFault, where, "", "a step must not be 0")
	default:
		return n, true
	}
	return 0, false
}

// parseNumber reads a number or a name.
func (p *parser) parseNumber(f *field, at, item part) (int, bool) {
	for i, name := range f.names {
		if strings.EqualFold(name, at.text) {
			return f.min + i, true
		}
	}
	n, ok := parseDigits(at.text)
	if ok && n >= f.min && n <= f.max {
		return n, true
	}
	help := fmt.Sprintf("write a number from %d to %d", f.min, f.max)
	switch {
	case f.isWeekday():
		help = "write a number from 0 to 7, where 0 and 7 are Sunday, or a name from SUN to SAT"
	case f.names != nil:
		help += " or a name from JAN to DEC"
	}
	switch {
	case ok:
		p.addFinding(valueFault, at, help, "invalid %s `%s`", f.name, at.text)
	case at.text == "":
		p.addFinding(valueFault, item, help, "missing number in `%s`", item.text)
	default:
		if hasExtension(at.text) {
			help = "list the days, or decide in the workflow; cron has no `L`, `W` and `#`"
		}
		p.addFinding(valueFault, at, help, "invalid %s `%s`", f.name, at.text)
		p.suggestName(f, at.text)
	}
	return 0, false
}

// hasExtension reports whether a text uses what some programs have beyond cron.
func hasExtension(text string) bool {
	last := text[len(text)-1]
	return strings.Contains(text, "#") || last == 'L' || last == 'W'
}

// suggestName gives the last finding the name that was meant.
func (p *parser) suggestName(f *field, text string) {
	if len(text) < 3 {
		return
	}
	for i, name := range f.full {
		if strings.EqualFold(name, text) || strings.EqualFold(f.names[i], text[:3]) && strings.HasPrefix(strings.ToLower(name), strings.ToLower(text)) {
			p.findings[len(p.findings)-1].Help = fmt.Sprintf("did you mean `%s`?", f.names[i])
			p.setLastFix(f.names[i])
		}
	}
}

// suggestWrappedRange says how a range over the end of a field is written.
func (p *parser) suggestWrappedRange(f *field, span part, first, last int, stepped bool) {
	end := f.max
	if f.isWeekday() {
		end = sunday - 1
	}
	var instead string
	switch {
	case f.isWeekday() && first == sunday:
		instead = rangeText(0, last) // a week that begins with Sunday
	case f.isWeekday() && last == 0:
		instead = rangeText(first, sunday)
	default:
		instead = fmt.Sprintf("%s,%s", rangeText(first, end), rangeText(f.min, last))
		if stepped {
			p.addFinding(valueFault, span, "write two ranges: a range cannot wrap around", "the range `%s` runs backwards", span.text)
			return
		}
	}
	p.addFinding(valueFault, span, fmt.Sprintf("write `%s` to wrap around", instead), "the range `%s` runs backwards", span.text)
	if !stepped {
		p.setLastFix(instead)
	}
}

func rangeText(first, last int) string {
	if first == last {
		return strconv.Itoa(first)
	}
	return fmt.Sprintf("%d-%d", first, last)
}

// parseDigits reads a short whole number.
func parseDigits(text string) (int, bool) {
	if text == "" || len(text) > 4 {
		return 0, false
	}
	n := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		n = n*10 + int(text[i]-'0')
	}
	return n, true
}
