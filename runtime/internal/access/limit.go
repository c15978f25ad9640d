package access

import (
	"maps"
	"sync"
	"time"
)

// Wrong passwords of one name, or from one host, before further attempts have to wait.
const (
	mostByName  = 10
	mostByHost  = 30
	limitWindow = 15 * time.Minute
	// mostCounted is how many names and hosts are counted at the same time.
	mostCounted = 10_000
)

// A limiter counts wrong passwords.
type limiter struct {
	now func() time.Time

	mu      sync.Mutex
	counted map[string]*failures
}

type failures struct {
	count int
	since time.Time
}

// refuses reports whether attempts of a key have to wait.
func (l *limiter) refuses(key string, most int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.counted[key]
	return f != nil && f.count >= most && l.now().Sub(f.since) < limitWindow
}

// fail counts a wrong password.
func (l *limiter) fail(keys ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for _, key := range keys {
		f := l.counted[key]
		if f == nil || now.Sub(f.since) >= limitWindow {
			if len(l.counted) >= mostCounted {
				l.dropOld(now)
			}
			f = &failures{since: now}
			l.counted[key] = f
		}
		f.count++
	}
}

// dropOld makes room: it forgets what no longer counts, or else everything.
func (l *limiter) dropOld(now time.Time) {
	maps.DeleteFunc(l.counted, func(_ string, f *failures) bool { return now.Sub(f.since) >= limitWindow })
	if len(l.counted) >= mostCounted {
		clear(l.counted)
	}
}
