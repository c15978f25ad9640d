package human

import (
	"fmt"
	"io"
	"os"
	"os/user"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// The variables that tell a process for which step of which run it works.
const (
	runVariable  = "WFC_RUN_ID"
	stepVariable = "WFC_STEP_KEY"
)

// A Run is what is known of a run whose question somebody wants to answer.
type Run struct {
	ID string
	// Holder is the number of the process that works on the run; 0 is unknown.
	Holder int
	// Name is what that process says of itself, for people; "" means that nobody
	// works on the run.
	Name string
	// Mark is the mark of that process, or of the last one that worked on the run,
	// or "" when it is not known; see process.Mark.
	Mark string
	// Dir is the run's own folder, or "".
	Dir string
	// Proven says that an answer needs what no program of the run can know, so that
	// it does not matter what the system does not show.
	Proven bool
}

// Refuse says why this process may not answer a run's question, or returns nil:
// the run started it, another run did, or nobody can tell because it is in
// another PID namespace than the process that works on the run. The message
// says what a person can do instead.
//
// The processes before this one are known on Linux only.
func Refuse(r Run) error {
	if StartedBy(r.ID, r.Holder) || process.Below(r.Mark) || r.Dir != "" && process.Kin(r.Dir) {
		return fmt.Errorf("refused: this process was started by run %s, and a run does not answer its own questions; a person has to, from a shell that the run did not start", r.ID)
	}
	if other := AnyRun(); other != "" {
		return fmt.Errorf("refused: this process was started by run %s, and only a person answers the questions of run %s: answer from a shell that no run started", other, r.ID)
	}
	if r.Proven {
		return nil
	}
	if process.Elsewhere(r.Mark) {
		const way = "so nobody can tell whether the run started this process: answer where the run was started, for example by `docker exec -it CONTAINER …`, or begin runs with `gates: token`"
		switch {
		case r.Name != "":
			return fmt.Errorf("refused: %s works on run %s in another PID namespace (another container, or what `unshare` makes), %s", r.Name, r.ID, way)
		case r.Dir != "" && process.LeftBehind(r.Dir):
			return fmt.Errorf("refused: run %s left programs running in another PID namespace (another container, or what `unshare` makes), %s", r.ID, way)
		}
	}
	if known, expected := process.LineageKnown(); expected && !known {
		return fmt.Errorf("refused: /proc does not show this process, so nobody can tell whether run %s started it: answer from a shell that sees /proc", r.ID)
	}
	return nil
}

// StartedBy reports whether this process was started by a run, so that no person
// speaks through it: its environment says so, or one of the processes that it
// descends from does, or is the one that works on the run, whose number is
// holder (0 is unknown). The processes before this one are known on Linux only,
// and as long as none of them has ended.
func StartedBy(run string, holder int) bool {
	if os.Getenv(runVariable) == run {
		return true
	}
	for i, p := range process.Lineage() {
		if i > 0 && p.PID == holder || p.Has(runVariable, run) {
			return true
		}
	}
	return false
}

// AnyRun returns the run of which this process performs a step, or one of the
// processes that it descends from, or "".
func AnyRun() string {
	if run := os.Getenv(runVariable); run != "" && os.Getenv(stepVariable) != "" {
		return run
	}
	for _, p := range process.Lineage() {
		run, _ := p.Value(runVariable)
		if step, ok := p.Value(stepVariable); ok && step != "" && run != "" {
			return run
		}
	}
	return ""
}

// User is the name of the person at the command line.
func User() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	if name := os.Getenv("USER"); name != "" {
		return name
	}
	return "someone"
}

// Place says from where a person answers whose input is in: the machine, and
// the terminal or "command line".
func Place(in io.Reader) string {
	where := "command line"
	if file, ok := in.(*os.File); ok && isTerminal(file) {
		where = terminalName(file)
	}
	host, err := os.Hostname()
	if err != nil {
		return where
	}
	return host + ", " + where
}
