// Package database keeps runs in the tables of package ent, in any database that Ent and
// a driver support. Config and Connection hide the differences between databases:
// drivers, the start of transactions, locks. The packages of the databases provide them.
package database

import (
	"context"
	"database/sql/driver"
	"time"

	entsql "entgo.io/ent/dialect/sql"
)

// Config describes the database of a store.
type Config struct {
	// Name is the name of the store in errors. It holds no password.
	Name string
	// Dialect is the database's name in Ent.
	Dialect string
	// Reads are connections for reading.
	Reads Reader
	// Open opens the connection that writes. Programs that only read never call
	// it.
	Open func() (Connection, error)
	// Close is called once the connection that writes is closed, or was never
	// opened.
	Close func() error
	// Watch notices changes.
	Watch Watch
	// Explain adds advice to an error of the database.
	Explain func(error) error
	// Plain gives back the text that was kept as the given one, where a database
	// cannot keep every text as it is; nil means that it can.
	Plain func(string) string
	// CommonPrefix returns a text whose runs a database can select by prefix, and
	// which begins the given prefix; nil means that every text is such.
	CommonPrefix func(string) string
	// Like says that queries select prefixes by LIKE, which is case-sensitive in this
	// database.
	Like bool
}

// A Reader reads for Ent.
type Reader interface {
	entsql.ExecQuerier
	Close() error
}

// A Watch notices that the database has changed.
type Watch interface {
	// Version is a number that changes when somebody else has changed the
	// database.
	Version(ctx context.Context) (int64, error)
	Close() error
}

// A Connection is the one that writes, used by the committer's goroutine alone.
//
// Its methods but Transact and those of Ent take no context: a transaction that has begun
// is finished, even if nobody waits for it any more.
type Connection interface {
	// ExecQuerier runs what Ent's client says, in the transaction that is open.
	entsql.ExecQuerier
	// Transact does something in a transaction. If it fails, nothing is written; begun
	// says whether do was called. It may call do more than once, each time after it has
	// rolled back all writes. The end of ctx says that nobody needs the result any more.
	Transact(ctx context.Context, do func() error) (begun bool, err error)
	// Expect says which runs the changes of the transaction update, if any, before the
	// first change: some databases answer for all of them at once.
	Expect(runs []string) error
	// Update sets the time of the last change of a run. It makes other writers of the run
	// wait until the transaction ends, and fails with store.ErrNotFound when there is no
	// such run.
	Update(run string, now time.Time) error
	// Lock makes other writers of a run, if there is such, wait until the
	// transaction ends.
	Lock(run string) error
	// Crowded reports, after a transaction, whether other processes write to the database
	// meanwhile, as far as is known. It is called after each and must be quick.
	Crowded() bool
	// Ended says that a run has ended, so that nothing about it need be
	// remembered.
	Ended(run string)
	// PutStep and AddEvent write a row, now or at the latest before the next
	// statement or the end of the transaction. Values are int64, string, []byte
	// or nil, in the order of StepColumns and EventColumns; the list is the
	// caller's again when the method returns. Write does the same by any statement.
	Write(query string, values ...driver.Value) error
	PutStep(values ...driver.Value) error
	AddEvent(values ...driver.Value) error
	Close() error
}
