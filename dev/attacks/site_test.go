package attacks

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/dev/e2e/program"
)

// A site is where a program runs with hostile values.
type site struct {
	*program.Place
	t *testing.T
	// dir is outside of the working folder, and holds the other files: the marker,
	// its traces, the program of an agent, and the payload.
	dir, hits, marker, agent, payload string
}

// newSite returns the site of a program whose agent is a script.
func newSite(t *testing.T, binary, agent string) *site {
	t.Helper()
	dir := t.TempDir()
	s := &site{Place: program.NewPlace(t, binary), t: t, dir: dir}
	for name, path := range map[string]*string{"hits": &s.hits, "pwn": &s.marker, "agent.sh": &s.agent, "payload": &s.payload} {
		*path = filepath.Join(dir, name)
	}
	write(t, s.marker, "#!/bin/sh\ntouch '"+s.hits+"'\n")
	write(t, s.agent, agent)
	// Names of folders have no slash, so they call the marker by its name.
	s.Environ = []string{"KEEP=" + dir, PayloadVariable + "=" + s.payload, "PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")}
	return s
}

// call runs a command and wants it to end with a code.
func (s *site) call(code int, args ...string) (stdout, stderr string) {
	s.t.Helper()
	out, errs, got, err := s.Run(s.t.Context(), nil, args...)
	if err != nil || got != code {
		s.t.Errorf("%q ended with %d (%v), want %d: %s%s", args, got, err, code, errs, out)
	}
	return string(out), errs
}

// unharmed wants that nothing was executed.
func (s *site) unharmed(payload string) {
	s.t.Helper()
	if _, err := os.Stat(s.hits); err == nil {
		s.t.Errorf("%q was executed", payload)
		_ = os.Remove(s.hits)
	}
}

// write writes a file that may be a program.
func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o700); err != nil { //nolint:gosec // some are programs
		t.Fatal(err)
	}
}
