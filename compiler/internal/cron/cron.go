// Package cron checks the schedules of workflows when they are compiled.
//
// Package internal/shared/cron, which programs use too, reads the expressions. This
// package also checks that their time zone exists, independently of the zones of the
// compiling machine, and suggests the intended one.
package cron

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/cron"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A Schedule is a parsed expression: its zone, its description (Describe), and its
// times (Next).
type Schedule = cron.Schedule

// A Finding is a fault of an expression, or something odd about it. Its place is
// in bytes of the expression.
type Finding = cron.Finding

// The kinds of findings; see internal/shared/cron.
const (
	Shape  = "shape"
	Value  = "value"
	Zone   = "zone"
	Never  = "never"
	Either = "either"
)

// Parse reads an expression. It returns nil when there is a fault among the
// findings, which come in the order of their places.
func Parse(text string) (*Schedule, []Finding) {
	s, findings := cron.Parse(text)
	if f, wrong := unknownZone(text); wrong && !slices.ContainsFunc(findings, func(f Finding) bool { return f.Kind == Zone }) {
		findings = append(findings, f)
		slices.SortStableFunc(findings, func(a, b Finding) int { return cmp.Compare(a.Start, b.Start) })
		return nil, findings
	}
	return s, findings
}

// unknownZone finds a zone before the expression that does not exist.
func unknownZone(text string) (f Finding, wrong bool) {
	start := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	name, _, _ := strings.Cut(text[start:], "=")
	if name != "TZ" && name != "CRON_TZ" {
		return Finding{}, false
	}
	start += len(name) + 1
	zone := text[start:]
	if i := strings.IndexAny(zone, " \t\r\n"); i >= 0 {
		zone = zone[:i]
	}
	if zone == "" || KnownZone(zone) {
		return Finding{}, false
	}
	f = Finding{Kind: Zone, Start: start, End: start + len(zone), Message: fmt.Sprintf("unknown time zone `%s`", zone)}
	if f.Fix = nearestZone(zone); f.Fix == "" {
		f.Help = "write a name such as `Europe/Berlin`"
	} else {
		f.Help = asksFor(f.Fix)
	}
	return f, true
}

// zones are the names of the time zone database, one a line, in order.
//
//go:embed zones.txt
var zones string

// KnownZone reports whether there is such a zone. A zone that is missing in the list may be
// newer than the list. The case of names counts, even if the file system of the compiling
// machine ignores it.
func KnownZone(zone string) bool {
	list := zoneNames()
	if _, ok := slices.BinarySearch(list, zone); ok {
		return true
	}
	for _, n := range list {
		if strings.EqualFold(n, zone) {
			return false
		}
	}
	_, err := time.LoadLocation(zone)
	return err == nil
}

func zoneNames() []string { return strings.Split(strings.TrimSpace(zones), "\n") }

// usual are zones by their common names.
var usual = map[string]string{
	"PST": "America/Los_Angeles", "PDT": "America/Los_Angeles", "MDT": "America/Denver", "CST": "America/Chicago",
	"CDT": "America/Chicago", "EDT": "America/New_York", "BST": "Europe/London", "CEST": "Europe/Berlin", "EEST": "Europe/Helsinki",
	"IST": "Asia/Kolkata", "JST": "Asia/Tokyo", "KST": "Asia/Seoul", "SGT": "Asia/Singapore", "AEST": "Australia/Sydney", "AEDT": "Australia/Sydney",
	"Z": "UTC", "PT": "America/Los_Angeles", "ET": "America/New_York",
}

// nearestZone returns the zone that was probably meant, or "".
func nearestZone(zone string) string {
	list := zoneNames()
	for _, n := range list {
		if strings.EqualFold(n, zone) {
			return n
		}
	}
	if n := usual[strings.ToUpper(zone)]; n != "" {
		return n
	}
	called := zone[strings.LastIndexByte(zone, '/')+1:]
	var cities []string
	for _, n := range list {
		city := n[strings.LastIndexByte(n, '/')+1:]
		if strings.EqualFold(city, called) {
			return n
		}
		cities = append(cities, city)
	}
	if n := plain.Nearest(zone, list); n != "" {
		return n
	}
	if i := slices.Index(cities, plain.Nearest(called, cities)); i >= 0 {
		return list[i]
	}
	return ""
}

// asksFor is the help of a finding whose fix is a guess.
func asksFor(fix string) string { return "did you mean `" + fix + "`?" }

// Diagnostic makes a diagnostic of a finding.
func Diagnostic(f Finding, at source.Span) *diag.Diagnostic {
	var x *diag.Diagnostic
	switch f.Kind {
	case Never:
		x = codes.BadSchedule.New(at, f.Message)
	case Either:
		x = codes.EitherDay.New(at, f.Message)
	default:
		x = codes.BadSchedule.New(at, f.Message)
	}
	if f.Help == asksFor(f.Fix) {
		return finding.Meant(x, at, f.Fix, f.Fix)
	}
	if f.Help != "" {
		x.WithHelp(f.Help)
	}
	if f.Fix != "" {
		x.WithSureFix("replace with `"+f.Fix+"`", at, f.Fix)
	}
	return x
}
