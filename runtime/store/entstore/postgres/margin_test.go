package postgres

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
)

// When the database cannot be asked, a lease is held while nobody else can have
// taken the run, and given up a heartbeat before anybody can.
func TestMargin(t *testing.T) {
	a, err := parse("postgres://wfc@127.0.0.1:1/none")
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*a.config) // nobody listens there
	defer db.Close()
	l := &leases{db: db, heartbeat: 5 * time.Minute, expiry: 20 * time.Minute, held: map[string]*lease{}}
	for id, age := range map[string]time.Duration{"new": 0, "old": 14 * time.Minute, "too old": 15 * time.Minute} {
		l.held[id] = &lease{of: l, id: id, renewed: time.Now().Add(-age), lost: make(chan struct{})}
	}
	l.renew(context.Background())
	for id, h := range l.held {
		if want := id == "too old"; h.isLost != want {
			t.Errorf("the lease that is %s is lost: %v", id, h.isLost)
		}
	}
}
