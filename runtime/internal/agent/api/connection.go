package api

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// variables are the names of the environment variables that may hold the key.
func (a *apiAgent) variables() []string {
	if a.choice.KeyVariable != "" {
		return []string{a.choice.KeyVariable}
	}
	return a.kind.Credentials
}

// credentials say which of the variables are set; those that are come first.
func (a *apiAgent) credentials(environ []string) []engine.Credential {
	var set, unset []engine.Credential
	for _, name := range a.variables() {
		if key(environ, name) != "" {
			set = append(set, engine.Credential{Name: name, Set: true})
		} else {
			unset = append(unset, engine.Credential{Name: name})
		}
	}
	return append(set, unset...)
}

// key returns the key that a variable holds. A line break at its end comes from
// the file that it was read from.
func key(environ []string, name string) string {
	return strings.TrimSpace(process.Variable(environ, name))
}

// connect returns how to get to the service, by an environment.
func (a *apiAgent) connect(environ []string) (*Connection, error) {
	c := &Connection{BaseURL: a.choice.BaseURL, Environ: environ}
	for _, name := range a.variables() {
		if c.Key = key(environ, name); c.Key != "" {
			c.KeyVariable = name
			break
		}
	}
	if c.Key == "" {
		return nil, fatal("there is no key to %s: %s", a.doc(), a.keyHint())
	}
	if strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fatal("the key in the environment variable `%s` holds characters that no key has", c.KeyVariable)
	}
	if c.BaseURL == "" && a.vendor.BaseURLVariable != "" {
		c.BaseURL = strings.TrimSpace(process.Variable(environ, a.vendor.BaseURLVariable))
		if err := checkURL(c.BaseURL); err != nil {
			return nil, fatal("the environment variable `%s`: %v", a.vendor.BaseURLVariable, err)
		}
	}
	return c, nil
}

// Named returns what failures call the service: the vendor's name of it, or the
// server that is asked instead.
func (c *Connection) Named(vendors string) string {
	u, err := url.Parse(c.BaseURL)
	if err != nil || c.BaseURL == "" {
		return vendors
	}
	u.User = nil // a password may be in it
	return "the server at " + u.String()
}

// keyHint says what to do to have a key.
func (a *apiAgent) keyHint() string {
	names := a.variables()
	if len(names) == 1 {
		return fmt.Sprintf("set the environment variable `%s`", names[0])
	}
	return fmt.Sprintf("set one of the environment variables `%s`", strings.Join(names, "`, `"))
}

// checkURL says what is wrong with a base URL; "" is the vendor's own. It quotes
// nothing of it, for it may hold a password.
func checkURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("the base URL must begin with http:// or https:// and name a server")
	case u.RawQuery != "", u.Fragment != "":
		return fmt.Errorf("the base URL must end with its path, without ? and #")
	}
	return nil
}
