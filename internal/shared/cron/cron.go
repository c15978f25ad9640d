// Package cron parses cron expressions of five fields, reports their faults, describes them
// in words, and computes the times at which they fire.
//
// An expression is `minute hour day-of-month month day-of-week`, or one of @yearly,
// @monthly, @weekly, @daily and @hourly, with the prefix `CRON_TZ=ZONE ` for a time zone. A
// field is `*`, or a list of numbers, ranges and steps; months and days of the week have
// names. A schedule that restricts both the day of the month and the day of the week fires
// on either, as in every cron.
//
//	s, findings := cron.Parse("CRON_TZ=Europe/Berlin 0 9 * * MON")
//	if s == nil {
//		return errors.New(findings[0].String()) // the first fault
//	}
//	times, err := s.Next(time.Now(), 3)
//
// Compiler and runtime share it, so that checks and programs report the same
// faults in the same words.
package cron

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Schedule is a parsed expression. It is safe for concurrent use.
type Schedule struct {
	// Text is the expression as it was written, without surrounding spaces.
	Text string
	// Zone is the time zone that it names, or "". Without one, Location returns that of the
	// machine, and Next uses that of its argument.
	Zone string

	minutes, hours, days, months, weekdays set
}

// A Finding is a fault of an expression, or something odd about it.
type Finding struct {
	// Kind is "shape" for an expression without five fields or one of the @ names, "value"
	// for a field that is invalid, "zone" for text that cannot be a time zone (Location
	// reports a zone that this machine does not know), and "never" for a
	// schedule without a time. "either" is a warning: both the day of the month and the day
	// of the week are restricted, and the schedule fires on either.
	Kind string
	// Start and End are the byte offsets of the part of the expression that the finding is
	// about.
	Start, End int
	// Message describes the fault, and Help the correction, or is "".
	Message, Help string
	// Fix replaces the bytes from Start to End, if there is one correction; "" otherwise. It
	// is certain, unless Help asks whether it was meant.
	Fix string
}

// The kinds of findings; see Finding.Kind.
const (
	shapeFault = "shape"
	valueFault = "value"
	zoneFault  = "zone"
	neverFault = "never"
	eitherDay  = "either"
)

// Fault reports whether a finding makes the expression invalid. Other findings are
// warnings.
func (f Finding) Fault() bool { return f.Kind != eitherDay }

// String returns the message and the help in one line.
func (f Finding) String() string {
	if f.Help == "" {
		return f.Message
	}
	return f.Message + "; " + f.Help
}

// Parse parses an expression. It returns a nil Schedule if one of the findings is a fault;
// see Finding.Fault. The findings are in the order of the expression; if the Schedule is
// nil, the first one is a fault. Parse does not check that the time zone exists; Location
// does.
func Parse(text string) (*Schedule, []Finding) {
	p := &parser{text: text}
	s := p.parseSchedule()
	for _, f := range p.findings {
		if f.Fault() {
			return nil, p.findings
		}
	}
	return s, p.findings
}

// Location loads the schedule's time zone. That of the machine is time.Local.
func (s *Schedule) Location() (*time.Location, error) {
	if s.Zone == "" {
		return time.Local, nil
	}
	loc, err := time.LoadLocation(s.Zone)
	if err != nil {
		return nil, fmt.Errorf("this machine does not know the time zone `%s` of the schedule", s.Zone)
	}
	return loc, nil
}

// parser reads one expression.
type parser struct {
	text     string
	findings []Finding
}

// A part is a piece of the expression.
type part struct {
	text       string
	start, end int
}

func (p *parser) addFinding(kind string, at part, help, format string, args ...any) {
	p.findings = append(p.findings, Finding{Kind: kind, Start: at.start, End: at.end, Message: fmt.Sprintf(format, args...), Help: help})
}

// setLastFix gives the last finding a replacement.
func (p *parser) setLastFix(text string) { p.findings[len(p.findings)-1].Fix = text }

// most is the length in bytes of expressions that are read at all.
const most = 1024

func (p *parser) parseSchedule() *Schedule {
	parts := splitBlanks(p.text)
	whole := part{strings.TrimSpace(p.text), 0, len(p.text)}
	if len(parts) > 0 {
		whole.start, whole.end = parts[0].start, parts[len(parts)-1].end
	}
	s := &Schedule{Text: whole.text}
	switch {
	case len(p.text) > most:
		p.addFinding(shapeFault, whole, "", "the schedule is longer than %d bytes", most)
		return nil
	case len(parts) == 0:
		p.addFinding(shapeFault, whole, "write five fields, such as `0 9 * * MON` for nine o'clock on Mondays", "the schedule is empty")
		return nil
	}
	if name, zone, ok := strings.Cut(parts[0].text, "="); ok && (name == "TZ" || name == "CRON_TZ") {
		at := part{zone, parts[0].start + len(name) + 1, parts[0].end}
		s.Zone = zone
		p.checkZone(at)
		parts = parts[1:]
	}
	if len(parts) == 1 && strings.HasPrefix(parts[0].text, "@") {
		p.parseName(s, parts[0])
		return s
	}
	if len(parts) > 0 && strings.HasPrefix(parts[0].text, "@") {
		p.reportUnknownName(part{p.text[parts[0].start:whole.end], parts[0].start, whole.end})
		return nil
	}
	if len(parts) != len(fields) {
		p.reportFieldCount(parts, whole)
		return nil
	}
	sets := [...]*set{&s.minutes, &s.hours, &s.days, &s.months, &s.weekdays}
	before := len(p.findings)
	for i := range fields {
		*sets[i] = p.parseField(&fields[i], parts[i])
	}
	if len(p.findings) == before {
		p.checkOddities(s, parts)
	}
	return s
}

// checkZone looks at the spelling of a zone.
func (p *parser) checkZone(at part) {
	if at.text == "" {
		p.addFinding(zoneFault, part{at.text, at.start - 1, at.end}, "write a time zone such as `CRON_TZ=Europe/Berlin`, or remove `CRON_TZ=`", "missing time zone")
		return
	}
	for _, r := range at.text {
		if !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_-+", r) {
			p.addFinding(zoneFault, at, "write a name such as `Europe/Berlin`", "unknown time zone `%s`", at.text)
			return
		}
	}
	// Files beside the zones that machines would read as zones.
	folder, name, within := strings.Cut(at.text, "/")
	switch strings.ToLower(folder) {
	case "local", "localtime", "posixrules", "factory":
		p.addFinding(zoneFault, at, "remove it to use the time zone of the machine, or write one such as `CRON_TZ=Europe/Berlin`", "unknown time zone `%s`", at.text)
	case "posix", "right":
		p.addFinding(zoneFault, at, "write a name such as `Europe/Berlin`", "`%s` is a folder, not part of a time zone", folder)
		if within && name != "" {
			p.findings[len(p.findings)-1].Help = fmt.Sprintf("write `%s`", name)
			p.setLastFix(name)
		}
	}
}

// reportFieldCount says that there are not five fields.
func (p *parser) reportFieldCount(parts []part, whole part) {
	const form = "`minute hour day-of-month month day-of-week`, such as `0 9 * * MON`"
	switch n := len(parts); {
	case n == 0:
		p.addFinding(shapeFault, whole, "write "+form+" after it", "missing schedule after the time zone")
	case n == 6 || n == 7:
		p.addFinding(shapeFault, part{"", parts[0].start, parts[n-1].end}, "write "+form+"; seconds and years are not supported", "the schedule must have five fields, got %d", n)
	case n == 1:
		p.addFinding(shapeFault, whole, "write "+form, "invalid schedule `%s`", whole.text)
	default:
		p.addFinding(shapeFault, part{"", parts[0].start, parts[n-1].end}, "write "+form, "the schedule must have five fields, got %d", n)
	}
}

// splitBlanks splits a text at spaces, tabs and line ends.
func splitBlanks(text string) []part {
	var list []part
	start := -1
	for i := 0; i <= len(text); i++ {
		blank := i == len(text) || text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r'
		switch {
		case blank && start >= 0:
			list = append(list, part{text[start:i], start, i})
			start = -1
		case !blank && start < 0:
			start = i
		}
	}
	return list
}

type macro struct{ name, fields string }

// macros are the names that replace five fields.
var macros = []macro{
	{"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"}, {"@weekly", "0 0 * * 0"},
	{"@daily", "0 0 * * *"}, {"@midnight", "0 0 * * *"}, {"@hourly", "0 * * * *"},
}

// parseName reads a name that replaces five fields.
func (p *parser) parseName(s *Schedule, at part) {
	for _, m := range macros {
		if m.name == at.text {
			of := splitBlanks(m.fields)
			for i, set := range [...]*set{&s.minutes, &s.hours, &s.days, &s.months, &s.weekdays} {
				*set = p.parseField(&fields[i], of[i])
			}
			return
		}
	}
	for _, m := range macros {
		if strings.EqualFold(m.name, at.text) || strings.EqualFold(m.name[1:], strings.TrimLeft(at.text, "@")) {
			p.addFinding(shapeFault, at, fmt.Sprintf("did you mean `%s`?", m.name), "invalid schedule `%s`", at.text)
			p.setLastFix(m.name)
			return
		}
	}
	p.reportUnknownName(at)
}

// reportUnknownName says that a name is unknown, or is one that only some programs have.
func (p *parser) reportUnknownName(at part) {
	const names = "use @yearly, @monthly, @weekly, @daily or @hourly"
	first, rest, _ := strings.Cut(at.text, " ")
	switch first {
	case "@every":
		if instead := intervalFields(strings.TrimSpace(rest)); instead != "" {
			p.addFinding(shapeFault, at, fmt.Sprintf("write `%s`", instead), "unknown schedule `@every`: a schedule follows the clock")
			p.setLastFix(instead)
			return
		}
		p.addFinding(shapeFault, at, "write five fields, such as `*/15 * * * *` for every 15 minutes", "unknown schedule `@every`: a schedule follows the clock")
	case "@reboot":
		p.addFinding(shapeFault, at, "start the program with the machine instead", "unknown schedule `@reboot`: it is not a time")
	default:
		if isMacro(first) {
			p.addFinding(shapeFault, at, "", "`%s` means all five fields: nothing may follow it", first)
			p.setLastFix(first)
			return
		}
		p.addFinding(shapeFault, at, names+", or write five fields", "invalid schedule `%s`", first)
	}
}

func isMacro(name string) bool {
	return slices.ContainsFunc(macros, func(m macro) bool { return m.name == name })
}

// intervalFields writes a duration that goes evenly into hours or days as five fields,
// or returns "".
func intervalFields(text string) string {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d%time.Minute != 0 {
		return ""
	}
	minutes := int(d / time.Minute)
	switch {
	case minutes == 1:
		return "* * * * *"
	case minutes < 60 && 60%minutes == 0:
		return fmt.Sprintf("*/%d * * * *", minutes)
	case minutes == 60:
		return "0 * * * *"
	case minutes%60 == 0 && minutes < 24*60 && 24*60%minutes == 0:
		return fmt.Sprintf("0 */%d * * *", minutes/60)
	case minutes == 24*60:
		return "0 0 * * *"
	}
	return ""
}
