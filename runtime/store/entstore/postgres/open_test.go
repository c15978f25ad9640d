package postgres_test

import (
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/pgtest"
	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
)

// Several processes may find that there are no tables.
func TestOpenAtOnce(t *testing.T) {
	url := schema(t)
	var wait sync.WaitGroup
	for i := range 6 {
		wait.Go(func() {
			s, err := postgres.Open(t.Context(), url, postgres.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			create(t, s, string(rune('a'+i)))
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

func TestOpenFaults(t *testing.T) {
	good := schema(t)
	newer := schema(t)
	if err := openStore(t, newer, postgres.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	server.Exec(t, "UPDATE "+schemaOf(newer)+".workflow_version SET version = 99")
	change := func(do func(*url.URL)) string {
		u, err := url.Parse(good)
		if err != nil {
			t.Fatal(err)
		}
		do(u)
		return u.String()
	}
	query := func(key, value string) string {
		return change(func(u *url.URL) {
			q := u.Query()
			q.Set(key, value)
			u.RawQuery = q.Encode()
		})
	}
	for _, test := range []struct{ name, url, want string }{
		{"a wrong password", change(func(u *url.URL) { u.User = url.UserPassword("wfc", "hush@1") }), "refuses this user or password"},
		{"a wrong password elsewhere", change(func(u *url.URL) { u.User = nil }) + "&user=wfc&password=hush@1", "refuses this user or password"},
		{"the database does not exist", change(func(u *url.URL) { u.Path = "/none" }), "the database does not exist"},
		{"no such schema", query("search_path", "none"), "the schema for the tables does not exist"},
		{"nobody listens", change(func(u *url.URL) { u.Host = "127.0.0.1:1" }), "cannot be reached"},
		{"newer tables", newer, "a newer wfc wrote it (tables of version 99; this build knows 7)"},
		{"another database", "mysql://wfc:hush@1@h/x", "must begin with postgres://"},
		{"no URL", "postgres://wfc:hush%1@h/x", "cannot be read"},
		{"a wrong port", "postgres://wfc:hush1@h:many/x", "cannot be read"},
		{"a # that is not encoded", "postgres://wfc:12#hush@127.0.0.1/x", "cannot be read"},
		{"a / that is not encoded", "postgres://wfc:12/hush@127.0.0.1/x", "cannot be read"},
		{"a ? that is not encoded", "postgres://wfc:12?hush@127.0.0.1/x", "cannot be read"},
		{"a fragment of a password", "postgres://wfc:hu/sh@127.0.0.1/x", "cannot be read"},
		{"a wrong setting beside a password", "postgres://wfc:hush@127.0.0.1/x?sslmode=maybe", "postgres://wfc@127.0.0.1/x?sslmode=maybe cannot be used"},
		{"a wrong parameter", query("connect_timeout", "soon"), "cannot be used"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := postgres.Open(t.Context(), test.url, postgres.Options{RetryFor: time.Millisecond})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want %q", err, test.want)
			}
			for _, secret := range []string{"hush", pgtest.Password, url.QueryEscape(pgtest.Password), "p@ss"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error shows a password: %v", err)
				}
			}
		})
	}
	if _, err := postgres.Open(t.Context(), good, postgres.Options{Heartbeat: 2, Expiry: 5}); err == nil {
		t.Error("leases that end before they are renewed")
	}
}
