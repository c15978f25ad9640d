package postgres

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/wfc-lang/wfc/runtime/store/databaseurl"
)

// connectTimeout is how long one try to connect takes when the URL does not say
// connect_timeout.
const connectTimeout = 5 * time.Second

// An address is where a store is and what must not be shown of that.
type address struct {
	config *pgx.ConnConfig
	// name is the URL without passwords.
	name    string
	secrets []string
}

// parse reads the URL of a database. Errors do not show passwords.
func parse(text string) (*address, error) {
	u, err := databaseurl.Parse(text)
	if err != nil {
		return nil, err
	}
	a := &address{name: u.String(), secrets: u.Secrets()}
	if a.config, err = pgx.ParseConfig(text); err != nil {
		// The whole error quotes the URL; its cause names the setting.
		var fault *pgconn.ParseConfigError
		if errors.As(err, &fault) {
			if err = fault.Unwrap(); err == nil {
				err = errors.New("a setting of it is not known or has a wrong value")
			}
		}
		return nil, fmt.Errorf("the database's URL %s cannot be used: %w", a.name, hidden(err, a.secrets))
	}
	// It may also come from the environment or from a file of passwords.
	if a.config.Password != "" {
		a.secrets = append(a.secrets, a.config.Password)
	}
	c := a.config
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, connectTimeout)
	c.RuntimeParams["client_encoding"] = "UTF8"
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "wfc"
	}
	return a, nil
}

// hidden is an error whose text does not hold secrets.
func hidden(err error, secrets []string) error {
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
