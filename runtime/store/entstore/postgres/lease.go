package postgres

import (
	"cmp"
	"context"
	stdsql "database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/wfc-lang/wfc/runtime/internal/pg"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
)

// Leases.
//
// A heldLease is a row that says who works on a run and until when, by the clock of the
// database. Its holder renews it while it works. After its end, another process may take
// the run, which increments the row's epoch. Every commit of a holder locks the run and
// then checks whether the epoch is still its own, and a process that takes a run over
// locks it too: so a commit is either seen by the next holder or refused.
//
// A holder that cannot reach the database stops by itself before anybody can take the
// run: its processes must not run beside those of the next holder. Each lease has a timer
// for that, which does not depend on goroutines that may be waiting for the database. It
// ends the lease so long before its expiry that the holder's processes are gone by then,
// even those that must be killed. The holder notes the time of a renewal before it sends
// the request, so the database counts from later.

const (
	// sqlTake takes a lease that is free or has ended. A holder that takes it twice
	// because the answer was lost recognizes it by its end.
	sqlTake = `INSERT INTO workflow_leases AS l (run_id, epoch, holder, until)
		VALUES ($1, 1, $2, clock_timestamp() + $3 * interval '1 microsecond')
		ON CONFLICT (run_id) DO UPDATE SET epoch = l.epoch + 1, holder = excluded.holder, until = excluded.until
		WHERE l.until <= clock_timestamp()
		RETURNING epoch, until::text`
	// sqlHolder says whose a lease is and for how many microseconds.
	sqlHolder = `SELECT holder, (extract(epoch FROM until - clock_timestamp()) * 1000000)::bigint FROM workflow_leases WHERE run_id = $1`
	// sqlMine says whether a lease is still as it was taken.
	sqlMine = `SELECT EXISTS (SELECT 1 FROM workflow_leases WHERE run_id = $1 AND epoch = $2 AND until::text = $3)`
	// sqlRenew moves the ends of leases on and returns those that are held still.
	sqlRenew = `UPDATE workflow_leases l SET until = clock_timestamp() + $3 * interval '1 microsecond'
		FROM unnest($1::text[], $2::bigint[]) AS held (run_id, epoch)
		WHERE l.run_id = held.run_id AND l.epoch = held.epoch RETURNING l.run_id`
	sqlGiveBack = `UPDATE workflow_leases SET until = clock_timestamp() WHERE run_id = $1 AND epoch = $2`
)

// leases are those of this process.
type leases struct {
	db *stdsql.DB
	// writes writes a statement together with other changes.
	writes func(ctx context.Context, query string, values ...driver.Value) error
	clock  clock
	// heartbeat is how often leases are renewed, and expiry how long they last.
	// This process takes one for lost as early as grace before its expiry.
	heartbeat, expiry, grace time.Duration
	// retryFor is how long to wait for a server that is gone or starts.
	retryFor time.Duration

	mu   sync.Mutex
	held map[string]*heldLease
	stop context.CancelFunc // of the goroutine that renews; nil when there is none
	wait sync.WaitGroup
}

// heldLease is a runstore.Lease.
type heldLease struct {
	of    *leases
	id    string
	epoch int64
	// end ends the lease unless it is renewed before.
	end  timer
	lost chan struct{}
	// isLost says that lost is closed, and released that the holder released it.
	isLost, released bool
}

// A claim is a lease as the database has just given it.
type claim struct {
	epoch int64
	until string
	// asked is when the database was asked for it.
	asked time.Time
}

// take takes the lease on a run. It waits for a server that is starting, or gone for a
// moment.
func (l *leases) take(ctx context.Context, id, holder string) (*heldLease, error) {
	var given *claim // of a try whose COMMIT nobody confirmed
	err := pg.Retry(ctx, l.retryFor, func() (err error) {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		given, err = l.claimOnce(ctx, id, holder, given)
		return err
	})
	if err != nil {
		return nil, err
	}
	taken := &heldLease{of: l, id: id, epoch: given.epoch, lost: make(chan struct{})}
	l.startRenewing(taken, given.asked)
	return taken, nil
}

// claimOnce asks for the lease on a run once. before is what the last try was given
// and could not commit for sure, or nil.
func (l *leases) claimOnce(ctx context.Context, id, holder string, before *claim) (*claim, error) {
	conn, err := l.db.Conn(ctx)
	if err != nil {
		return before, err
	}
	defer conn.Close() // with a transaction that is open, the pool gives it up
	given := &claim{asked: l.clock.Now()}
	ask := &pgx.Batch{}
	ask.Queue("BEGIN")
	ask.Queue(sqlLockRun, runstore.EncodeText(id))
	ask.Queue(sqlTake, runstore.EncodeText(id), runstore.EncodeText(holder), l.expiry.Microseconds()).QueryRow(func(row pgx.Row) error {
		if err := row.Scan(&given.epoch, &given.until); !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		given = nil
		return nil
	})
	if err := sendBatch(ctx, conn, ask); err != nil {
		return before, err
	}
	end := &pgx.Batch{}
	if given != nil {
		end.Queue("COMMIT")
		return given, sendBatch(ctx, conn, end)
	}
	end.Queue("ROLLBACK")
	if before != nil {
		// This has waited for the end of the last try's transaction, if there is
		// something left of it.
		mine := false
		if err := conn.QueryRowContext(ctx, sqlMine, runstore.EncodeText(id), before.epoch, before.until).Scan(&mine); err != nil || mine {
			return before, errors.Join(err, sendBatch(ctx, conn, end))
		}
	}
	return nil, cmp.Or(heldError(ctx, conn, id), sendBatch(ctx, conn, end))
}

// heldError says who holds a lease.
func heldError(ctx context.Context, conn *stdsql.Conn, id string) error {
	held := &runstore.HeldError{}
	var left int64
	if err := conn.QueryRowContext(ctx, sqlHolder, runstore.EncodeText(id)).Scan(&held.Holder, &left); err != nil {
		return err
	}
	held.Holder, held.Left = runstore.DecodeText(held.Holder), max(0, time.Duration(left)*time.Microsecond)
	return held
}

// currentHolder says whether a run is leased and by whom.
func (l *leases) currentHolder(ctx context.Context, id string) (held bool, holder string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var left int64
	switch err := l.db.QueryRowContext(ctx, sqlHolder, runstore.EncodeText(id)).Scan(&holder, &left); {
	case errors.Is(err, stdsql.ErrNoRows):
		return false, "", nil
	case err != nil:
		return false, "", err
	case left <= 0:
		return false, "", nil
	}
	return true, runstore.DecodeText(holder), nil
}

// startRenewing renews a lease from now on. asked is when the database was asked for it.
func (l *leases) startRenewing(taken *heldLease, asked time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[taken.id] = taken
	taken.resetTimer(asked)
	if l.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		l.stop = stop
		l.wait.Go(func() { l.renewPeriodically(ctx) })
	}
}

// renewPeriodically renews leases until ctx ends. After an error of the database it tries again soon,
// as the leases have little time left then.
func (l *leases) renewPeriodically(ctx context.Context) {
	for pause := l.heartbeat; ; {
		due := make(chan struct{})
		tick := l.clock.AfterFunc(pause, func() { close(due) })
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-due:
		}
		pause = l.heartbeat
		if l.renewAll(ctx) != nil {
			pause /= 5
		}
	}
}

// renewAll renews all leases once. Those that were taken over are lost. The error
// says that the database could not be asked; then their timers decide.
func (l *leases) renewAll(ctx context.Context) error {
	asked := l.clock.Now()
	ids, epochs := l.currentLeases()
	if len(ids) == 0 {
		return nil
	}
	renewed, err := l.requestRenewal(ctx, ids, epochs)
	if ctx.Err() != nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, id := range ids {
		h := l.held[id]
		switch {
		case h == nil || h.epoch != epochs[i] || h.isLost: // released in the meantime, or too late
		case renewed[id]:
			h.resetTimer(asked)
		case err == nil:
			h.loseLocked()
		}
	}
	return err
}

// currentLeases are the leases that this process has not lost.
func (l *leases) currentLeases() (ids []string, epochs []int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, h := range l.held {
		if !h.isLost {
			ids, epochs = append(ids, id), append(epochs, h.epoch)
		}
	}
	return ids, epochs
}

// requestRenewal has the database renew leases and returns which it did.
func (l *leases) requestRenewal(ctx context.Context, ids []string, epochs []int64) (map[string]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, l.heartbeat)
	defer cancel()
	keys, err := readKeys(ctx, l.db, sqlRenew, runstore.EncodeTexts(ids), epochs, l.expiry.Microseconds())
	if err != nil {
		return nil, err
	}
	renewed := map[string]bool{}
	for _, key := range keys {
		renewed[runstore.DecodeText(key)] = true
	}
	return renewed, nil
}

// heldEpoch returns the epoch of the lease that this process has on a run; leased is false
// when it has none. One that was lost is an error until it is released.
func (l *leases) heldEpoch(id string) (epoch int64, leased bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.held[id]
	switch {
	case h == nil:
		return 0, false, nil
	case h.isLost:
		return 0, true, runstore.ErrLost
	}
	return h.epoch, true, nil
}

// markLost notes that a lease was taken over.
func (l *leases) markLost(id string, epoch int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.held[id]; h != nil && h.epoch == epoch {
		h.loseLocked()
	}
}

// resetTimer sets the timer of a lease that the database was asked to renew at a
// time, and did. It is called with the lock of all leases.
func (h *heldLease) resetTimer(asked time.Time) {
	l := h.of
	if h.end != nil {
		h.end.Stop()
	}
	left := l.expiry - l.grace - l.clock.Now().Sub(asked)
	var end timer
	end = l.clock.AfterFunc(left, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if h.end == end { // else it was renewed in this moment
			h.loseLocked()
		}
	})
	h.end = end
}

// loseLocked is called with the lock of all leases.
func (h *heldLease) loseLocked() {
	h.end.Stop()
	if !h.isLost && !h.released {
		h.isLost = true
		close(h.lost)
	}
}

// Lost implements runstore.Lease.
func (h *heldLease) Lost() <-chan struct{} { return h.lost }

// Release implements runstore.Lease. One that cannot be released expires.
func (h *heldLease) Release() {
	l := h.of
	l.mu.Lock()
	again := h.released
	h.released = true
	h.end.Stop()
	if l.held[h.id] == h {
		delete(l.held, h.id)
	}
	l.mu.Unlock()
	if again {
		return
	}
	// The cause lets the change be given up even if it is under way.
	ctx, cancel := context.WithTimeoutCause(context.Background(), pg.ConnectTimeout, runstore.ErrLost)
	defer cancel()
	_ = l.writes(ctx, sqlGiveBack, h.id, h.epoch)
}

// close ends the renewing and gives all leases back.
func (l *leases) close() {
	l.mu.Lock()
	if l.stop != nil {
		l.stop()
	}
	left := slices.Collect(maps.Values(l.held))
	l.mu.Unlock()
	l.wait.Wait()
	for _, h := range left {
		h.Release()
	}
}

// leaseError says what could not be done about a lease.
func (s *runStore) leaseError(id string, err error) error {
	return fmt.Errorf("the lease on run %s in the store %s: %w", id, s.name, s.explain(err))
}

// A clock times leases. Tests replace it.
type clock interface {
	Now() time.Time
	// AfterFunc calls do on a separate goroutine once a time has passed.
	AfterFunc(d time.Duration, do func()) timer
}

// A timer is a call that is to come.
type timer interface {
	// Stop reports whether the call will not come any more because of it.
	Stop() bool
}

// realClock is the clock of this machine.
type realClock struct{}

// Now implements clock.
func (realClock) Now() time.Time { return time.Now() }

// AfterFunc implements clock.
func (realClock) AfterFunc(d time.Duration, do func()) timer { return time.AfterFunc(d, do) }
