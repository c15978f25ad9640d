// Package pg connects to PostgreSQL: addresses from URLs, pools of connections, messages
// about faults, and the recognition of temporary faults.
package pg

import (
	"cmp"
	stdsql "database/sql"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/wfc-lang/wfc/internal/shared/databaseurl"
)

// ConnectTimeout limits one try to connect if the URL does not set connect_timeout.
const ConnectTimeout = 5 * time.Second

// An Address is the address of a database.
type Address struct {
	// Name is the URL without passwords.
	Name    string
	config  *pgx.ConnConfig
	secrets []string
}

// Parse reads the URL of a database. Its errors show no password.
func Parse(text string) (*Address, error) {
	u, err := databaseurl.Parse(text)
	if err != nil {
		return nil, err
	}
	a := &Address{Name: u.String(), secrets: u.Secrets()}
	if a.config, err = pgx.ParseConfig(text); err != nil {
		// The whole error quotes the URL; its cause names the setting.
		if fault, ok := errors.AsType[*pgconn.ParseConfigError](err); ok {
			if err = fault.Unwrap(); err == nil {
				err = errors.New("a setting in it is unknown or has a wrong value")
			}
		}
		return nil, fmt.Errorf("the database's URL %s cannot be used: %w", a.Name, redactError(err, a.secrets))
	}
	// It may also come from the environment or from a file of passwords.
	if a.config.Password != "" {
		a.secrets = append(a.secrets, a.config.Password)
	}
	c := a.config
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, ConnectTimeout)
	c.RuntimeParams["client_encoding"] = "UTF8"
	c.RuntimeParams["application_name"] = cmp.Or(c.RuntimeParams["application_name"], "wfc")
	return a, nil
}

// Pool returns a pool of at most size connections, which it opens when they are needed.
// params are settings of the server for each of them. A statement takes one round trip: the
// server does not prepare it before, which would take another one and which most programs do
// not use twice.
func (a *Address) Pool(size int, params map[string]string) *stdsql.DB {
	config := a.config.Copy()
	maps.Copy(config.RuntimeParams, params)
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db
}

// Explain adds to an error of the database a way to mend it, and replaces passwords in its
// text.
func (a *Address) Explain(err error) error { return explainError(redactError(err, a.secrets)) }

// redactError is an error whose text does not hold secrets.
func redactError(err error, secrets []string) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "***")
	}
	if text == err.Error() {
		return err
	}
	return &hiddenError{err, text}
}

// hiddenError shows another text than its cause.
type hiddenError struct {
	cause error
	text  string
}

func (e *hiddenError) Error() string { return e.text }

func (e *hiddenError) Unwrap() error { return e.cause }
