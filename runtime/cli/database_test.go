package cli_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// The database's URL is that of the flag, of the environment, or of the project,
// and nothing that is printed shows a password.
func TestDatabaseURL(t *testing.T) {
	for _, test := range []struct {
		name, flag, variable, project string
		opened, shown                 string
	}{
		{"the flag", "postgres://a:hush-1@h/flag", "postgres://b:hush-2@h/env", "postgres://c@h/project", "postgres://a:hush-1@h/flag", "postgres://a@h/flag"},
		{"the environment", "", "postgres://b@h/env?password=hush-2&sslmode=disable", "postgres://c@h/project", "postgres://b@h/env?password=hush-2&sslmode=disable", "postgres://b@h/env?sslmode=disable"},
		{"the project", "", "", "postgres://c@h/project", "postgres://c@h/project", "postgres://c@h/project"},
		{"none", "", "", "", "", ""},
		{"no URL", "postgres://a:hush%-1@h/flag", "", "", "postgres://a:hush%-1@h/flag", "(a URL that cannot be read)"},
		{"a # that is not encoded", "postgres://a:12#hush@h/flag", "", "", "postgres://a:12#hush@h/flag", "(a URL that cannot be read)"},
		{"a / that is not encoded", "postgres://a:12/hush@h/flag", "", "", "postgres://a:12/hush@h/flag", "(a URL that cannot be read)"},
		{"a ? that is not encoded", "", "postgres://a:12?hush@h/flag", "", "postgres://a:12?hush@h/flag", "(a URL that cannot be read)"},
		{"another form", "", "host=h password=hush", "", "host=h password=hush", "(a URL that cannot be read)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("WFC_DATABASE_URL", test.variable)
			t.Setenv("WFC_STATE", t.TempDir())
			opened := ""
			program := cli.Program{
				Definition: &flow.Definition{Name: "demo"}, Defaults: settings.Project{Database: test.project},
				OpenDatabase: func(_ context.Context, url string) (store.Store, error) {
					opened = url
					return memory.New(), nil
				},
			}
			call := func(args ...string) (int, string, string) {
				if test.flag != "" {
					args = append(args, "--database", test.flag)
				}
				var out, messages bytes.Buffer
				code := cli.Run(program, args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &messages})
				return code, out.String(), messages.String()
			}
			code, _, messages := call("list")
			if opened != test.opened || (code == runerr.ExitCompleted) != (test.opened != "") {
				t.Errorf("exit code %d, opened %q\n%s", code, opened, messages)
			}
			if test.opened == "" && (code != runerr.ExitUsage || !strings.Contains(messages, "WFC_DATABASE_URL")) {
				t.Errorf("exit code %d without a URL: %s", code, messages)
			}
			_, out, more := call("info")
			if !strings.Contains(out, test.shown) || strings.Contains(out+more+messages, "hush") {
				t.Errorf("info does not show %q, or more:\n%s%s", test.shown, out, more)
			}
		})
	}
	program := cli.Program{Definition: &flow.Definition{Name: "demo"}, OpenDatabase: func(context.Context, string) (store.Store, error) {
		return nil, errors.New("the store is elsewhere")
	}}
	t.Setenv("WFC_DATABASE_URL", "postgres://h/x")
	var out bytes.Buffer
	if code := cli.Run(program, []string{"list"}, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out}); code != runerr.ExitFailed || !strings.Contains(out.String(), "elsewhere") {
		t.Errorf("exit code %d: %s", code, out.String())
	}
}

// A connection that may be unencrypted on a network is a warning.
func TestUnprotectedDatabase(t *testing.T) {
	t.Setenv("WFC_STATE", t.TempDir())
	program := cli.Program{Definition: &flow.Definition{Name: "demo"}, OpenDatabase: func(context.Context, string) (store.Store, error) { return memory.New(), nil }}
	warns := func(database string) bool {
		var out bytes.Buffer
		code := cli.Run(program, []string{"list", "--database", database}, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &out})
		if text := out.String(); code != runerr.ExitCompleted || strings.Contains(text, "hush") {
			t.Errorf("%s: exit code %d\n%s", database, code, text)
		}
		return strings.Contains(out.String(), "may be unencrypted: add sslmode=verify-full")
	}
	t.Setenv("PGSSLMODE", "")
	for database, want := range map[string]bool{
		"postgres://ann:hush@db.example/wfc": true, "postgres://ann@db.example:5432/wfc?sslmode=prefer": true, "postgres://ann@10.0.0.7/wfc?sslmode=allow": true,
		"postgres://db.example/wfc?sslmode=disable": true, "postgres://localhost,db.example/wfc": true, "postgres:///wfc?host=db.example": true,
		"postgres://[2001:db8::1]:5432/wfc": true, "postgres://localhost.example/wfc": true, "postgres:///wfc?host=/run/pg,db.example": true,
		"postgres://db.example/wfc?sslmode=require": false, "postgres://db.example/wfc?sslmode=verify-full": false, "postgres://db.example/wfc?sslmode=verify-ca": false,
		"postgres://localhost:5432/wfc": false, "postgres://127.0.0.1/wfc": false, "postgres://127.8.0.1:1/wfc": false, "postgres://[::1]:5432/wfc": false,
		"postgres:///wfc?host=/run/postgresql": false, "postgres:///wfc": false, "postgres://:5432/wfc": false, "postgres://db.example/wfc?service=prod": false,
	} {
		if got := warns(database); got != want {
			t.Errorf("%s: %v, want %v", database, got, want)
		}
	}
	t.Setenv("PGSSLMODE", "verify-full")
	if warns("postgres://db.example/wfc") {
		t.Error("PGSSLMODE does not count")
	}
}

// The program's own credentials reach no process of a run, whatever the settings say, and are
// masked even if a step learns them elsewhere.
func TestOwnCredentials(t *testing.T) {
	t.Setenv("WFC_STATE", t.TempDir())
	t.Setenv("WFC_DATABASE_URL", "postgres://ann:pass-of-the-store@localhost/x")
	t.Setenv("WFC_GATE_TOKEN_FILE", "/path/of-the-person")
	t.Setenv("WFC_SLACK_URL", "https://hooks.example/of-a-script")
	def := demo()
	def.Flow = func(c *flow.Context) (any, error) {
		node(c, "greet", `env >&2; echo "the pass-of-the-store" >&2`, nil)
		return nil, flow.Settle(c)
	}
	p := program(def)
	p.OpenStore, p.OpenDatabase = nil, func(context.Context, string) (store.Store, error) { return memory.New(), nil }
	p.Defaults = settings.Project{Environ: []string{"WFC_GATE_TOKEN_FILE=set-by-the-project"}}
	p.Defaults.PassEnv.Scripts = []string{"*", "WFC_DATABASE_URL", "WFC_GATE_TOKEN_FILE", "WFC_SLACK_URL"}
	var out bytes.Buffer
	code := cli.Run(p, []string{"run", "--jsonl"}, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
	if text := out.String(); code != runerr.ExitCompleted || !strings.Contains(text, "WFC_SLACK_URL=***") || !strings.Contains(text, "the ***") ||
		strings.Contains(text, "WFC_DATABASE_URL=") || strings.Contains(text, "WFC_GATE_TOKEN_FILE=") || strings.Contains(text, "of-the-") {
		t.Errorf("exit code %d\n%s", code, text)
	}
}

// A database that keeps people waiting is named.
func TestWaitingForTheDatabase(t *testing.T) {
	t.Setenv("WFC_STATE", t.TempDir())
	said := make(chan string, 10)
	program := cli.Program{Definition: &flow.Definition{Name: "demo"}, OpenDatabase: func(context.Context, string) (store.Store, error) {
		select {
		case text := <-said:
			if !strings.HasSuffix(text, ": waiting for the database postgres://ann@localhost/x\n") {
				t.Errorf("said %q", text)
			}
		case <-t.Context().Done():
		}
		return memory.New(), nil
	}}
	code := cli.Run(program, []string{"list", "--database", "postgres://ann:hush@localhost/x"}, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: writer(func(p []byte) { said <- string(p) })})
	if code != runerr.ExitCompleted {
		t.Errorf("exit code %d", code)
	}
}

// writer is an io.Writer made of a function.
type writer func(p []byte)

func (w writer) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}
