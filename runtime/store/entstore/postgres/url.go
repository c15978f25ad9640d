package postgres

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
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
	u, err := url.Parse(text)
	if err != nil {
		// The whole error holds the URL.
		var fault *url.Error
		if errors.As(err, &fault) {
			err = fault.Err
		}
		return nil, fmt.Errorf("the database's URL cannot be read (a password with characters like @ or / needs them as %%40 and %%2F): %w", hidden(err, everything(text)))
	}
	if u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return nil, errors.New("the database's URL must begin with postgres://, as in postgres://user:password@host:5432/name")
	}
	a := &address{secrets: secretsOf(u)}
	if a.config, err = pgx.ParseConfig(text); err != nil {
		return nil, fmt.Errorf("the database's URL cannot be used: %w", hidden(err, a.secrets))
	}
	// It may also come from the environment or from a file of passwords.
	if a.config.Password != "" {
		a.secrets = append(a.secrets, a.config.Password)
	}
	a.name = name(u)
	c := a.config
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, connectTimeout)
	c.RuntimeParams["client_encoding"] = "UTF8"
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "wfc"
	}
	return a, nil
}

// secretNames are the parameters of a URL that are not shown.
var secretNames = []string{"password", "sslpassword"}

func secretsOf(u *url.URL) []string {
	var list []string
	if password, ok := u.User.Password(); ok && password != "" {
		list = append(list, password, url.QueryEscape(password), url.PathEscape(password))
	}
	for _, key := range secretNames {
		for _, value := range u.Query()[key] {
			list = append(list, value, url.QueryEscape(value))
		}
	}
	// Of two secrets of which one holds the other, the longer goes first.
	slices.SortFunc(list, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return slices.DeleteFunc(slices.Compact(list), func(s string) bool { return s == "" })
}

// everything are the parts of a URL that cannot be read: any may be a password.
func everything(text string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(":/@?&=", r) }), func(part string) bool {
		return len(part) < 4
	})
}

// name is a URL for people.
func name(u *url.URL) string {
	shown := *u
	if u.User != nil {
		shown.User = url.User(u.User.Username())
	}
	query := u.Query()
	for _, key := range secretNames {
		query.Del(key)
	}
	shown.RawQuery = query.Encode()
	return shown.String()
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
