package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// takeGateToken reads the person's own token, before anything else starts, from the file that
// the environment names. No process inherits the variable, or the descriptor that it names.
func takeGateToken() (token string, err error) {
	path := os.Getenv(gateTokenVariable)
	os.Unsetenv(gateTokenVariable) // nothing makes that fail
	if path == "" {
		return "", nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", gateTokenVariable, err)
	}
	defer file.Close()
	if number, found := strings.CutPrefix(filepath.Clean(path), "/dev/fd/"); found {
		if fd, err := strconv.Atoi(number); err == nil && fd > 2 {
			defer os.NewFile(uintptr(fd), path).Close()
		}
	}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o007 != 0 && runtime.GOOS != "windows" {
		return "", fmt.Errorf("%s: every user may read or write %s: call `chmod 600 %[2]s`", gateTokenVariable, path)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxToken))
	if err != nil {
		return "", fmt.Errorf("%s: %w", gateTokenVariable, err)
	}
	if token = strings.TrimSpace(string(text)); token == "" {
		return "", fmt.Errorf("%s: %s is empty", gateTokenVariable, path)
	}
	return token, nil
}

// maxToken is the number of bytes that are read of a file with a token.
const maxToken = 4 << 10

// person is the one who uses this command line.
func (c *call) person() actions.Person {
	return actions.Person{Name: human.User(), Roles: actions.AllRoles(), From: human.Place(c.streams.In)}
}

// keepPrivate keeps other processes from reading a token in the memory of this one.
func (c *call) keepPrivate() {
	if c.adopts {
		process.KeepPrivate()
	}
}

// withGates returns the settings of a new run, which by starts, with what its gates need. In the
// mode `token` that is the hash of the person's own token, or of a new one, which is
// shown at the terminal and nowhere else.
func (c *call) withGates(s runSettings, by actions.Actor, shows bool) (runSettings, error) {
	mode := c.program.Defaults.Gates.Mode
	if mode == settings.GatesAny {
		mode = ""
	}
	s.Terms = actions.Terms{Gates: string(mode), GateRules: c.program.Defaults.Gates.Nodes, StartedBy: &by}
	if mode != settings.GatesToken {
		return s, nil
	}
	c.keepPrivate()
	if c.gateTokenFault != nil {
		return s, usageError("%w", c.gateTokenFault)
	}
	token := c.gateToken
	if token == "" {
		if !shows {
			return s, nil
		}
		token = human.NewToken()
		if err := human.ShowAlone(shownToken(token)); err != nil {
			fmt.Fprintf(c.streams.Err, "%s: gates need a token (`gates: token`), but nobody at a terminal can see one: the run pauses at its first gate, and no command can answer it. Set %s to a file with a token that you choose, or run at a terminal.\n", c.name, gateTokenVariable)
			return s, nil
		}
		c.shownToken = token
	}
	hash, err := human.HashToken(token)
	if err != nil {
		return s, usageError("%s: %v", gateTokenVariable, err)
	}
	s.GateToken = hash
	return s, nil
}

func shownToken(token string) string {
	return "gate token of this run: " + token + "\nkeep it: every answer to the run's questions needs it, and it is not shown again after the run has paused\n"
}

// remindOfToken shows the token once more to the person who began the run, when
// that pauses.
func (c *call) remindOfToken(r *local.Result) {
	if c.shownToken != "" && r != nil && !r.Status.Ended() {
		_ = human.ShowAlone("gate token of run " + r.ID + ": " + c.shownToken + "\n") // it was shown before
	}
}

// tokenHint is what a command line that answers has besides where answers need a
// token.
func (v *shown) tokenHint() string {
	if v.gates == string(settings.GatesToken) || v.shownToken != "" {
		return " --token TOKEN"
	}
	return ""
}

// tokenIs returns what tells the token of this process's run.
func (c *call) tokenIs(hash *human.TokenHash) func(run, typed string) bool {
	return func(run, typed string) bool {
		folder, err := c.stateFolder()
		return err == nil && actions.TryToken(folder, run, hash, typed, c.person())
	}
}

// attemptsNote tells of answers with a wrong token, or is "".
func (c *call) attemptsNote(run string) string {
	folder, err := c.stateFolder()
	if err != nil {
		return ""
	}
	count, last := actions.Attempts(folder, run)
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("answers with a wrong token: %d, the last on %s by %s from %s", count, last.Time.Local().Format(time.DateTime),
		human.Printable(last.By), human.Printable(last.From))
}
