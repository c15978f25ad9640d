package actions

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/internal/filelock"
	"github.com/wfc-lang/wfc/runtime/internal/human"
)

// An Attempt is an answer with a wrong token.
type Attempt struct {
	Time time.Time `json:"time"`
	By   string    `json:"by"`
	From string    `json:"from"`
}

// attemptPause is the time that one wrong token takes, during which nobody tries
// another one for the same run.
const attemptPause = time.Second

// TryToken reports whether a token is the one of a run. A wrong one is noted, and
// takes its time.
func TryToken(folder state.Folder, run string, hash *human.TokenHash, token string, p Person) bool {
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
	line, err := json.Marshal(Attempt{time.Now(), p.Name, p.From})
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

// Attempts returns the number of answers to a run with a wrong token, and the last one.
func Attempts(folder state.Folder, run string) (count int, last Attempt) {
	text, err := wholefile.Source.Read(attemptsFile(folder, run))
	if err != nil {
		return 0, last
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if json.Unmarshal([]byte(lines[len(lines)-1]), &last) != nil {
		return 0, last
	}
	return len(lines), last
}
