package settings

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Notify says who learns what happens in runs that nobody watches. The zero Notify tells
// nobody.
type Notify struct {
	// Rules has at most one rule for each event.
	Rules []NoticeRule
	// Quiet are the hours during which only urgent notices are sent. The others wait until
	// their end.
	Quiet QuietHours
	// Page is the address of `wfc serve`, to which notices link, or "".
	Page string
}

// A NoticeEvent is a kind of event.
type NoticeEvent string

// The events.
const (
	// NoticeWaits: a run waits for a person.
	NoticeWaits NoticeEvent = "waits"
	// NoticeQuota: a run waits until the quota of an agent is reset.
	NoticeQuota NoticeEvent = "quota"
	// NoticeFailed: a run failed.
	NoticeFailed NoticeEvent = "failed"
	// NoticeCompleted: a run completed.
	NoticeCompleted NoticeEvent = "completed"
	// NoticeBudget: a budget is nearly used up, or a run waits or ended because of one.
	NoticeBudget NoticeEvent = "budget"
	// NoticeMissed: the schedule started no run at one of its times.
	NoticeMissed NoticeEvent = "missed"
)

// NoticeEvents returns all events.
func NoticeEvents() []NoticeEvent {
	return []NoticeEvent{NoticeWaits, NoticeQuota, NoticeFailed, NoticeCompleted, NoticeBudget, NoticeMissed}
}

// A NoticeRule says who gets the notices of an event, and their text.
type NoticeRule struct {
	Event NoticeEvent
	// Targets are channels, as the targets of deliveries are. Without targets, the event has
	// no notices.
	Targets []string
	// Title and Body are templates with placeholders such as {{run}}; "" is the usual text.
	Title, Body string
	// Urgent notices are also sent during quiet hours.
	Urgent bool
	// Escalate sends the notice to more targets when nobody has reacted.
	Escalate []Escalation
}

// An Escalation sends a notice to more targets when the run still waits, or is still failed,
// some time after the event.
type Escalation struct {
	After   time.Duration
	Targets []string
}

// QuietHours are hours of each day. The zero QuietHours are none.
type QuietHours struct {
	// From and To are times such as "22:00".
	From, To string
	// Zone is the name of a time zone; "" is that of the machine.
	Zone string
}

// RuleOf returns the rule for an event; without one, its Targets are empty.
func (n Notify) RuleOf(event NoticeEvent) NoticeRule {
	for _, r := range n.Rules {
		if r.Event == event {
			return r
		}
	}
	return NoticeRule{Event: event}
}

// Targets returns the targets of all rules, each once.
func (n Notify) Targets() []string {
	var all []string
	add := func(list []string) {
		for _, t := range list {
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	for _, r := range n.Rules {
		add(r.Targets)
		for _, e := range r.Escalate {
			add(e.Targets)
		}
	}
	return all
}

// EndAfter returns the end of the quiet hours in which a time is; the zero time means that
// it is in none. It is an error if this machine does not know the zone.
func (q QuietHours) EndAfter(now time.Time) (time.Time, error) {
	if q == (QuietHours{}) {
		return time.Time{}, nil
	}
	zone := time.Local
	if q.Zone != "" {
		var err error
		if zone, err = time.LoadLocation(q.Zone); err != nil {
			return time.Time{}, fmt.Errorf("quiet hours: %w", err)
		}
	}
	from, err := time.Parse("15:04", q.From)
	to, toErr := time.Parse("15:04", q.To)
	if err = errors.Join(err, toErr); err != nil {
		return time.Time{}, fmt.Errorf("quiet hours: %w", err)
	}
	there := now.In(zone)
	// The hours that began yesterday may not be over. Across a clock change, the wall clock
	// of the zone counts.
	for _, day := range []int{-1, 0} {
		date := func(at time.Time, more int) time.Time {
			return time.Date(there.Year(), there.Month(), there.Day()+day+more, at.Hour(), at.Minute(), 0, 0, zone)
		}
		begin, end := date(from, 0), date(to, 0)
		if !to.After(from) {
			end = date(to, 1)
		}
		if !now.Before(begin) && now.Before(end) {
			return end, nil
		}
	}
	return time.Time{}, nil
}
