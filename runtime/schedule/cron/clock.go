package cron

import "time"

// clocks are what the clocks of a time zone show. Moments are seconds since 1970;
// what clocks show at one is the moment and how far they are ahead of UTC then.
//
// time.Time.ZoneBounds would say when clocks are changed, but where a zone follows
// a yearly rule it is wrong about the last day of leap years: there it ends the
// year a day too early, at a moment that is not after the one that it was asked
// about. So changes are found by looking: nothing else is asked of the time zone
// database than how far clocks are ahead at a moment.
type clocks struct {
	loc *time.Location
	// from and to are what was looked at, and changes what was found there, in
	// order: the first begins at from.
	from, to int64
	changes  []change
}

// A change sets the clocks from a moment on.
type change struct{ at, ahead int64 }

const (
	// every is how often to look whether the clocks were changed. They never are
	// twice within that time.
	every = 15 * minute
	// widest is more than clocks can be apart that ever showed one time: the zones
	// of the world are at most 26 hours apart.
	widest = 28 * hour
)

// ahead is how many seconds clocks are ahead of UTC at a moment.
func (z *clocks) ahead(at int64) int64 {
	_, ahead := time.Unix(at, 0).In(z.loc).Zone()
	return int64(ahead)
}

// look makes sure that the changes between two moments are known.
func (z *clocks) look(from, to int64) {
	if len(z.changes) == 0 || from < z.from || from > z.to {
		z.from, z.to, z.changes = from, from, append(z.changes[:0], change{from, z.ahead(from)})
	}
	for z.to < to {
		last := z.changes[len(z.changes)-1].ahead
		next := z.to + every
		if ahead := z.ahead(next); ahead != last {
			before, behind := z.to, next
			for behind-before > 1 {
				if middle := (before + behind) / 2; z.ahead(middle) == last {
					before = middle
				} else {
					behind = middle
				}
			}
			z.changes = append(z.changes, change{behind, ahead})
		}
		z.to = next
	}
}

// stretch returns how far clocks are ahead at a moment and until when, or until a
// given moment if they are not changed before.
func (z *clocks) stretch(from, until int64) (ahead, end int64) {
	z.look(from, until)
	for _, c := range z.changes {
		if c.at > from {
			return ahead, min(c.at, until)
		}
		ahead = c.ahead
	}
	return ahead, until
}

// latest is the latest that clocks have shown until a moment.
func (z *clocks) latest(at int64) int64 {
	var shown int64
	for from := at - widest; from <= at; {
		ahead, end := z.stretch(from, at+1)
		if last := end - 1 + ahead; from == at-widest || last > shown {
			shown = last
		}
		from = end
	}
	return shown
}

// reach is the first moment at which clocks show a date and time of day or a
// later one.
func (z *clocks) reach(shown int64) int64 {
	for from := shown - widest; ; {
		ahead, end := z.stretch(from, shown+widest)
		if at := max(from, shown-ahead); at < end {
			return at
		}
		from = end
	}
}
