package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/internal/filelock"
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

// withGates returns the settings of a new run with what its gates need. In the mode
// `token` that is the hash of the person's own token, or of a new one, which is
// shown at the terminal and nowhere else.
func (c *call) withGates(s runSettings, shows bool) (runSettings, error) {
	mode := c.program.Defaults.Gates
	if mode == settings.GatesAny {
		mode = ""
	}
	s.Gates, s.GateToken = string(mode), nil
	if mode != settings.GatesToken {
		return s, nil
	}
	if c.adopts {
		process.KeepPrivate()
	}
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

// gatesOf is what answers to a run need, by the settings that are kept with it: the
// mode that it was begun with counts. One that was begun without any is of an older
// program or of the mode that takes all answers: then this program's mode counts,
// with a terminal in place of a token, which nobody has.
func (c *call) gatesOf(kept json.RawMessage) (settings.Gates, *human.TokenHash) {
	var s runSettings
	if len(kept) > 0 && json.Unmarshal(kept, &s) != nil {
		s = runSettings{}
	}
	mode := cmp.Or(settings.Gates(s.Gates), c.program.Defaults.Gates, settings.GatesAny)
	if s.Gates == "" && mode == settings.GatesToken {
		mode = settings.GatesTerminal
	}
	return mode, s.GateToken
}

// tokenHint is what a command line that answers has besides where answers need a
// token.
func (c *call) tokenHint() string {
	if c.program.Defaults.Gates == settings.GatesToken || c.shownToken != "" {
		return " --token TOKEN"
	}
	return ""
}

// tokenIs returns what tells the token of this process's run.
func (c *call) tokenIs(hash *human.TokenHash) func(run, typed string) bool {
	return func(run, typed string) bool {
		folder, err := c.stateFolder()
		return err == nil && c.tryToken(folder, run, hash, typed)
	}
}

// An attempt is a line about an answer with a wrong token.
type attempt struct {
	Time time.Time `json:"time"`
	By   string    `json:"by"`
	From string    `json:"from"`
}

// attemptPause is the time that one wrong token takes, during which nobody tries
// another one for the same run.
const attemptPause = time.Second

// tryToken reports whether a token is the one of a run. A wrong one is noted, and
// takes its time.
func (c *call) tryToken(folder state.Folder, run string, hash *human.TokenHash, token string) bool {
	if hash.Is(token) {
		return true
	}
	var held *filelock.HeldError
	for range 60 {
		lock, err := filelock.Acquire(attemptsFile(folder, run)+".lock", "somebody who tries a token")
		if err == nil {
			defer lock.Release()
			break
		}
		if !errors.As(err, &held) {
			break
		}
		time.Sleep(attemptPause / 2)
	}
	line, err := json.Marshal(attempt{time.Now(), human.User(), human.Place(c.streams.In)})
	if err == nil {
		if file, err := os.OpenFile(attemptsFile(folder, run), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600); err == nil {
			_, _ = file.Write(append(line, '\n')) // the attempt has failed all the same
			file.Close()
		}
	}
	time.Sleep(attemptPause)
	return false
}

func attemptsFile(folder state.Folder, run string) string {
	return filepath.Join(folder.RunDir(run), "attempts")
}

// attemptsNote tells of answers with a wrong token, or is "".
func (c *call) attemptsNote(run string) string {
	folder, err := c.stateFolder()
	if err != nil {
		return ""
	}
	text, err := wholefile.Source.Read(attemptsFile(folder, run))
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var last attempt
	if json.Unmarshal([]byte(lines[len(lines)-1]), &last) != nil {
		return ""
	}
	return fmt.Sprintf("answers with a wrong token: %d, the last on %s by %s from %s", len(lines), last.Time.Local().Format(time.DateTime),
		human.Printable(last.By), human.Printable(last.From))
}
