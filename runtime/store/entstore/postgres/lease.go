package postgres

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/store"
)

// Leases.
//
// A lease is a row that says who works on a run and until when, by the clock of
// the database. Its holder moves the end on while it works. When it is not heard
// of until then, another process may take the run, which counts the row's epoch
// on. Every commit of a holder locks the run and then looks whether the epoch is
// still its own, and whoever takes a run over locks it too: so a commit is either
// seen by the next holder or refused.
//
// The holder stops by itself before anybody can take the run, when it has not
// reached the database for that long: what it has started must not run beside
// what the next holder starts.

const (
	// sqlTake takes a lease that is free or has ended.
	sqlTake = `INSERT INTO workflow_leases AS l (run_id, epoch, holder, until)
		VALUES ($1, 1, $2, clock_timestamp() + $3 * interval '1 microsecond')
		ON CONFLICT (run_id) DO UPDATE SET epoch = l.epoch + 1, holder = excluded.holder, until = excluded.until
		WHERE l.until <= clock_timestamp()
		RETURNING epoch`
	// sqlHolder says whose a lease is and for how many microseconds.
	sqlHolder = `SELECT holder, (extract(epoch FROM until - clock_timestamp()) * 1000000)::bigint FROM workflow_leases WHERE run_id = $1`
	// sqlRenew moves the ends of leases on and returns those that are held still.
	sqlRenew = `UPDATE workflow_leases l SET until = clock_timestamp() + $3 * interval '1 microsecond'
		FROM unnest($1::text[], $2::bigint[]) AS held (run_id, epoch)
		WHERE l.run_id = held.run_id AND l.epoch = held.epoch RETURNING l.run_id`
	sqlGiveBack = `UPDATE workflow_leases SET until = clock_timestamp() WHERE run_id = $1 AND epoch = $2`
)

// leases are those of this process.
type leases struct {
	db *stdsql.DB
	// heartbeat is how often leases are renewed, and expiry how long they last.
	heartbeat, expiry time.Duration

	mu   sync.Mutex
	held map[string]*lease
	stop context.CancelFunc // of the goroutine that renews; nil when there is none
	wait sync.WaitGroup
}

// lease is a store.Lease.
type lease struct {
	of    *leases
	id    string
	epoch int64
	// renewed is when the database was last asked to renew it and did.
	renewed time.Time
	lost    chan struct{}
	// isLost says that lost is closed, and released that it was given back.
	isLost, released bool
}

// take takes the lease on a run.
func (l *leases) take(ctx context.Context, id, holder string) (*lease, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	asked := time.Now()
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, sqlLockRun, kept(id)); err != nil {
		return nil, err
	}
	var epoch int64
	err = tx.QueryRowContext(ctx, sqlTake, kept(id), kept(holder), l.expiry.Microseconds()).Scan(&epoch)
	if errors.Is(err, stdsql.ErrNoRows) {
		return nil, heldError(ctx, tx, id)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return nil, err
	}
	taken := &lease{of: l, id: id, epoch: epoch, renewed: asked, lost: make(chan struct{})}
	l.add(taken)
	return taken, nil
}

// heldError says who holds a lease.
func heldError(ctx context.Context, tx *stdsql.Tx, id string) error {
	held := &store.HeldError{}
	var left int64
	if err := tx.QueryRowContext(ctx, sqlHolder, kept(id)).Scan(&held.Holder, &left); err != nil {
		return err
	}
	held.Holder, held.Left = plain(held.Holder), max(0, time.Duration(left)*time.Microsecond)
	return held
}

// holder says whether a run is leased and by whom.
func (l *leases) holder(ctx context.Context, id string) (held bool, holder string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var left int64
	switch err := l.db.QueryRowContext(ctx, sqlHolder, kept(id)).Scan(&holder, &left); {
	case errors.Is(err, stdsql.ErrNoRows):
		return false, "", nil
	case err != nil:
		return false, "", err
	case left <= 0:
		return false, "", nil
	}
	return true, plain(holder), nil
}

// add renews a lease from now on.
func (l *leases) add(taken *lease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[taken.id] = taken
	if l.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		l.stop = stop
		l.wait.Go(func() { l.keep(ctx) })
	}
}

// keep renews leases until ctx ends.
func (l *leases) keep(ctx context.Context) {
	tick := time.NewTicker(l.heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			l.renew(ctx)
		}
	}
}

// renew renews all leases once. Those that were taken over are lost, and so are
// those that the database could not be asked about for so long that they may be.
func (l *leases) renew(ctx context.Context) {
	asked := time.Now()
	ids, epochs := l.current()
	if len(ids) == 0 {
		return
	}
	renewed, err := l.ask(ctx, ids, epochs)
	if ctx.Err() != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, id := range ids {
		h := l.held[id]
		switch {
		case h == nil || h.epoch != epochs[i]: // given back in the meantime
		case err == nil && renewed[id]:
			h.renewed = asked
		case err == nil || time.Since(h.renewed) >= l.expiry-l.heartbeat:
			h.lose()
		}
	}
}

// current are the leases that this process has not lost.
func (l *leases) current() (ids []string, epochs []int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, h := range l.held {
		if !h.isLost {
			ids, epochs = append(ids, id), append(epochs, h.epoch)
		}
	}
	return ids, epochs
}

// ask has the database renew leases and returns which it did.
func (l *leases) ask(ctx context.Context, ids []string, epochs []int64) (map[string]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, l.heartbeat)
	defer cancel()
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = kept(id)
	}
	rows, err := l.db.QueryContext(ctx, sqlRenew, texts, epochs, l.expiry.Microseconds())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	renewed := map[string]bool{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		renewed[plain(id)] = true
	}
	return renewed, rows.Err()
}

// epoch returns the epoch of the lease that this process has on a run; leased is
// false when it has none. One that was lost is an error until it is given back.
func (l *leases) epoch(id string) (epoch int64, leased bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.held[id]
	switch {
	case h == nil:
		return 0, false, nil
	case h.isLost:
		return 0, true, store.ErrLeaseLost
	}
	return h.epoch, true, nil
}

// lose notes that a lease was taken over.
func (l *leases) lose(id string, epoch int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.held[id]; h != nil && h.epoch == epoch {
		h.lose()
	}
}

// lose is called with the lock of all leases.
func (h *lease) lose() {
	if !h.isLost {
		h.isLost = true
		close(h.lost)
	}
}

// Lost implements store.Lease.
func (h *lease) Lost() <-chan struct{} { return h.lost }

// Release implements store.Lease. One that cannot be given back ends by itself.
func (h *lease) Release() {
	l := h.of
	l.mu.Lock()
	again := h.released
	h.released = true
	if l.held[h.id] == h {
		delete(l.held, h.id)
	}
	l.mu.Unlock()
	if again {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	_, _ = l.db.ExecContext(ctx, sqlGiveBack, kept(h.id), h.epoch)
}

// close ends the renewing and gives all leases back.
func (l *leases) close() {
	l.mu.Lock()
	if l.stop != nil {
		l.stop()
	}
	var left []*lease
	for _, h := range l.held {
		left = append(left, h)
	}
	l.mu.Unlock()
	l.wait.Wait()
	for _, h := range left {
		h.Release()
	}
}

// leaseError says what could not be done about a lease.
func (s *Store) leaseError(id string, err error) error {
	return fmt.Errorf("the lease on run %s in the store %s: %w", id, s.name, s.explain(err))
}
