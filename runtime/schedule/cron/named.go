package cron

import (
	"fmt"
	"strings"
	"time"
)

// macros are the names that stand for five fields.
var macros = []struct{ name, fields string }{
	{"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"}, {"@weekly", "0 0 * * 0"},
	{"@daily", "0 0 * * *"}, {"@midnight", "0 0 * * *"}, {"@hourly", "0 * * * *"},
}

// named reads a name that stands for five fields.
func (p *parser) named(s *Schedule, at part) {
	for _, m := range macros {
		if m.name == at.text {
			of := blanks(m.fields)
			for i, set := range [...]*set{&s.minutes, &s.hours, &s.days, &s.months, &s.weekdays} {
				*set = p.field(&fields[i], of[i])
			}
			return
		}
	}
	for _, m := range macros {
		if strings.EqualFold(m.name, at.text) || strings.EqualFold(m.name[1:], strings.TrimLeft(at.text, "@")) {
			p.find(shapeFault, at, fmt.Sprintf("did you mean `%s`?", m.name), "invalid schedule `%s`", at.text)
			p.fix(m.name)
			return
		}
	}
	p.every(at)
}

// every says that a name is unknown, or is one that only some programs have.
func (p *parser) every(at part) {
	const names = "use @yearly, @monthly, @weekly, @daily or @hourly"
	first, rest, _ := strings.Cut(at.text, " ")
	switch first {
	case "@every":
		if instead := interval(strings.TrimSpace(rest)); instead != "" {
			p.find(shapeFault, at, fmt.Sprintf("write `%s`", instead), "unknown schedule `@every`: a schedule follows the clock")
			p.fix(instead)
			return
		}
		p.find(shapeFault, at, "write five fields, such as `*/15 * * * *` for every 15 minutes", "unknown schedule `@every`: a schedule follows the clock")
	case "@reboot":
		p.find(shapeFault, at, "start the program with the machine instead", "unknown schedule `@reboot`: it is not a time")
	default:
		if isMacro(first) {
			p.find(shapeFault, at, "", "`%s` means all five fields: nothing may follow it", first)
			p.fix(first)
			return
		}
		p.find(shapeFault, at, names+", or write five fields", "invalid schedule `%s`", first)
	}
}

func isMacro(name string) bool {
	for _, m := range macros {
		if m.name == name {
			return true
		}
	}
	return false
}

// interval writes a duration that goes evenly into hours or days as five fields,
// or returns "".
func interval(text string) string {
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
