package postgres

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/pg"
	"github.com/wfc-lang/wfc/runtime/internal/places"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
)

// The places of agents for all runs of the database, on any machine.
//
// A ticket is a lease in the table of those of runs, under a key that no run has: the agent, and a
// number that is higher than those of all tickets that the agent has then. It is renewed with the
// others, so that the tickets of a dead process expire.

const (
	// sqlAgentAlone lets one process at a time give tickets of an agent.
	sqlAgentAlone = `SELECT pg_advisory_xact_lock(hashtext('wfc agent ' || $1 || ' in ' || coalesce(current_schema(), '')))`
	sqlClearLine  = `DELETE FROM workflow_leases WHERE starts_with(run_id, $1) AND until <= clock_timestamp()`
	sqlLastTicket = `SELECT coalesce(max(run_id), '') FROM workflow_leases WHERE starts_with(run_id, $1)`
	sqlJoin       = `INSERT INTO workflow_leases (run_id, epoch, holder, until) VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 microsecond')`
	sqlFront      = `SELECT run_id FROM workflow_leases WHERE starts_with(run_id, $1) AND until > clock_timestamp() ORDER BY run_id LIMIT $2`
	sqlChosen     = `SELECT run_id FROM workflow_leases WHERE starts_with(run_id, $1)`
	sqlChoose     = `INSERT INTO workflow_leases (run_id, epoch, holder, until) VALUES ($1, 1, '', $2) ON CONFLICT (run_id) DO UPDATE SET until = excluded.until`
)

// agentPlaces is a places.Backend.
type agentPlaces struct{ store *runStore }

// linePrefix and timePrefix begin the keys of the tickets of an agent, and of the times that are
// reserved for it.
func linePrefix(agent string) string { return "/place/" + url.PathEscape(agent) + "/" }
func timePrefix(agent string) string { return "/time/" + url.PathEscape(agent) + "/" }

// whileAlone does something in a transaction that no other one for the agent runs beside, without
// the rows of a prefix that have expired.
func (a agentPlaces) whileAlone(ctx context.Context, agent, prefix string, do func(ctx context.Context, tx *stdsql.Tx) error) error {
	l := a.store.leases
	err := pg.Retry(ctx, l.retryFor, func() error {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		tx, err := l.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() //nolint:errcheck // after a commit it does nothing
		if _, err = tx.ExecContext(ctx, sqlAgentAlone, url.PathEscape(agent)); err == nil {
			_, err = tx.ExecContext(ctx, sqlClearLine, prefix)
		}
		if err == nil {
			err = do(ctx, tx)
		}
		if err != nil {
			return err
		}
		return tx.Commit()
	})
	return a.explain(agent, err)
}

func (a agentPlaces) explain(agent string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the places of agent `%s` in the store %s: %w", agent, a.store.name, a.store.explain(err))
}

// Join implements places.Backend. If nobody confirms the commit, the ticket that it may have left
// expires.
func (a agentPlaces) Join(ctx context.Context, agent string) (places.Ticket, error) {
	l, prefix := a.store.leases, linePrefix(agent)
	taken := &heldLease{of: l, lost: make(chan struct{})}
	var asked time.Time
	err := a.whileAlone(ctx, agent, prefix, func(ctx context.Context, tx *stdsql.Tx) error {
		var last string
		if err := tx.QueryRowContext(ctx, sqlLastTicket, prefix).Scan(&last); err != nil {
			return err
		}
		number, _ := strconv.ParseUint(strings.TrimPrefix(last, prefix), 10, 64) // 0 without tickets
		// The epoch distinguishes the ticket from a later one of the same number.
		taken.id, taken.epoch = fmt.Sprintf("%s%020d", prefix, number+1), rand.Int64()
		asked = l.clock.Now()
		host, _ := os.Hostname()
		_, err := tx.ExecContext(ctx, sqlJoin, taken.id, taken.epoch, runstore.EncodeText(fmt.Sprintf("process %d on %s", os.Getpid(), host)), l.expiry.Microseconds())
		return err
	})
	if err != nil {
		return nil, err
	}
	l.startRenewing(taken, asked)
	return taken, nil
}

// FirstHeld implements places.Backend.
func (a agentPlaces) FirstHeld(ctx context.Context, agent string, n int) (front []string, err error) {
	err = pg.Retry(ctx, a.store.leases.retryFor, func() (err error) {
		front, err = readKeys(ctx, a.store.leases.db, sqlFront, linePrefix(agent), n)
		return err
	})
	return front, a.explain(agent, err)
}

// readKeys returns the keys that a query finds.
func readKeys(ctx context.Context, db interface {
	QueryContext(ctx context.Context, query string, args ...any) (*stdsql.Rows, error)
}, query string, args ...any) (keys []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, rows.Err()
}

// Reserve implements places.Backend. The times are in milliseconds.
func (a agentPlaces) Reserve(ctx context.Context, agent string, choose func(chosen []time.Time) time.Time) error {
	prefix := timePrefix(agent)
	return a.whileAlone(ctx, agent, prefix, func(ctx context.Context, tx *stdsql.Tx) error {
		keys, err := readKeys(ctx, tx, sqlChosen, prefix)
		if err != nil {
			return err
		}
		var chosen []time.Time
		for _, key := range keys {
			if ms, err := strconv.ParseInt(strings.TrimPrefix(key, prefix), 10, 64); err == nil {
				chosen = append(chosen, time.UnixMilli(ms))
			}
		}
		at := choose(chosen)
		_, err = tx.ExecContext(ctx, sqlChoose, prefix+strconv.FormatInt(at.UnixMilli(), 10), at)
		return err
	})
}

// ID and Leave make a lease a places.Ticket.
func (t *heldLease) ID() string { return t.id }
func (t *heldLease) Leave()     { t.Release() }
