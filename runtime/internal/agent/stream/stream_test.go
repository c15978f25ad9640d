//go:build unix

package stream_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
)

// turn returns a turn of a program for the system's shell, whose events are
// collected; the one that is {"last":1} is the last.
func turn(t *testing.T, script string) (*stream.Turn, *[]string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	events := &[]string{}
	r := &agent.Request{Prompt: flow.Prompt{Agent: "a"}, Environ: os.Environ(), RunDir: t.TempDir(), WorkDir: t.TempDir()}
	return &stream.Turn{
		Program: &program.Program{Path: path, Name: "p"}, Request: r, Environ: r.Environ,
		Event: func(line []byte) (bool, error) {
			*events = append(*events, string(line))
			return string(line) == `{"last":1}`, nil
		},
	}, events
}

func TestLines(t *testing.T) {
	s, events := turn(t, `cat; printf '{"a":'; sleep 0.05; printf '1}\r\n\n{"b":"\303'; sleep 0.05; printf '\244"}\n  {"last":1}'`)
	s.Stdin = []byte("{\"in\":1}\n")
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(*events, "|"); got != `{"in":1}|{"a":1}|{"b":"ä"}|{"last":1}` {
		t.Errorf("got %s", got)
	}
}

func TestEnds(t *testing.T) {
	for _, test := range []struct {
		name, script string
		class        flow.Class
		reason, want string
	}{
		{"nothing", "exit 0", flow.ClassTransient, "agent", "agent `a`: the program `p` ended in the middle of its turn, without the event that ends one"},
		{"torn", `printf '{"a":1}\n{"a":'`, flow.ClassTransient, "agent", "ended in the middle of its turn"},
		{"torn, with words", `printf '{"a":1}\n{"a":'; echo why >&2`, flow.ClassTransient, "agent", "ends one: why"},
		{"exit code", "echo why >&2; exit 4", flow.ClassUnknown, "exit", "failed before it began [exit 4]: why"},
		{"exit code without a word", "exit 4", flow.ClassUnknown, "exit", "failed before it began [exit 4]"},
		{"words in place of events", "echo 'Error: HTTP 429'; exit 1", flow.ClassTransient, "exit", "failed before it began [exit 1]: Error: HTTP 429"},
		{"later", `echo '{"a":1}'; echo 'HTTP 503' >&2; exit 1`, flow.ClassTransient, "exit", "failed in the middle of its turn [exit 1]: HTTP 503"},
		{"an option", `echo "error: unknown option '--x'" >&2; exit 1`, flow.ClassFatal, "exit", "refuses the arguments of wfc; another version may accept them [exit 1]"},
		{"signal", `echo '{"a":1}'; kill -TERM $$`, flow.ClassUnknown, "signal", "was ended by SIGTERM"},
		{"garbled", `echo '{"a":1}'; echo '{"a"'; echo '{"b"'; echo '{"last":1}'; sleep 100`, flow.ClassUnknown, "output", `it is not valid JSON: {"a"`},
		{"not JSON", `echo "<html>$MY_TOKEN</html>"; echo '{"a":1}'`, flow.ClassUnknown, "output", `is missing: <html>***</html>`},
		{"long", `printf '%s' '{"'; head -c 70000000 /dev/zero; sleep 100`, flow.ClassUnknown, "output", `it is longer than 64 MiB: {"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, _ := turn(t, test.script)
			s.Environ = append(s.Environ, "MY_TOKEN=secret-value")
			_, err := s.Run(t.Context())
			var f *flow.Failure
			if !errors.As(err, &f) || f.Class != test.class || f.Reason != test.reason || !strings.Contains(f.Message, test.want) {
				t.Errorf("got %+v, want %q", err, test.want)
			}
		})
	}
}

// After the last event nothing is an error any more, and a program that does not
// end is ended.
func TestAfterTheLastEvent(t *testing.T) {
	for name, script := range map[string]string{
		"exit code": "exit 3", "garbled": "echo '{'", "words": "echo bye", "signal": "kill -KILL $$", "lingers": "while :; do sleep 0.05; done",
	} {
		s, events := turn(t, "echo '{\"last\":1}'\n"+script)
		s.Linger = 50 * time.Millisecond
		if _, err := s.Run(t.Context()); err != nil || len(*events) != 1 {
			t.Errorf("%s: %v %q", name, err, *events)
		}
	}
}

// What the program prints after a last event puts its end off.
func TestALastEventIsFollowed(t *testing.T) {
	s, events := turn(t, `echo '{"last":1}'; for i in 1 2 3 4; do sleep 0.1; echo '{"a":1}'; done; echo '{"last":1}'`)
	s.Linger = 2 * time.Second
	if _, err := s.Run(t.Context()); err != nil || len(*events) != 6 {
		t.Errorf("%v %q", err, *events)
	}
}

func TestAnEventIsRefused(t *testing.T) {
	s, _ := turn(t, `echo '{"a":1}'; echo '{"last":1}'; sleep 100`)
	typed := &flow.Failure{Message: "no", Class: flow.ClassFatal}
	s.Event = func([]byte) (bool, error) { return false, typed }
	if _, err := s.Run(t.Context()); !errors.Is(err, typed) {
		t.Errorf("got %v", err)
	}
	s.Event = func([]byte) (bool, error) { return false, errors.New("it is odd") }
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), `printed something that cannot be read: it is odd: {"a":1}`) {
		t.Errorf("got %v", err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, _ := turn(t, `echo '{"a":1}'; sleep 1000`)
	s.Event = func([]byte) (bool, error) { cancel(); return false, nil }
	if _, err := s.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestOutput(t *testing.T) {
	var said, notes strings.Builder
	r := &agent.Request{Environ: []string{"MY_TOKEN=secret-value"}}
	stream.NewOutput(r).Note("nobody listens")
	r.Output = func(piece []byte) { said.Write(piece) }
	r.Notes = func(piece []byte) { notes.Write(piece) }
	o := stream.NewOutput(r)
	for _, piece := range []string{"a sec", "ret-va", "lue", "", " b"} {
		o.Text(piece)
	}
	o.Break()
	o.Break()
	o.Text("c secret")
	o.Note("note\x1b[31m of\n%s %s", "secret-value", strings.Repeat("ä", 1000))
	if said.String() != "a *** b\nc secret" {
		t.Errorf("said %q", said.String())
	}
	if want := "note [31m of *** " + strings.Repeat("ä", 600-len("note [31m of *** ")) + "…\n"; notes.String() != want {
		t.Errorf("notes %q", notes.String())
	}
}
