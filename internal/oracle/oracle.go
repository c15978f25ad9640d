// Package oracle asks the interpreters on PATH about scripts, for compiler.Options.Ask.
package oracle

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	// maxKept is how many answers an asker keeps, the newest.
	maxKept = 1024
	// maxTime bounds how long an interpreter may think.
	maxTime = 5 * time.Second
)

// An answer is what an interpreter prints, and its exit status.
type answer struct {
	stdout, stderr string
	status         int
}

// An asker keeps the newest answers: an editor compiles a file at each key, and most of its
// scripts are as before. It is safe for concurrent use.
type asker struct {
	mu      sync.Mutex
	answers map[[sha256.Size]byte]answer
	// oldest has the keys of the answers, the oldest first.
	oldest [][sha256.Size]byte
}

// An Ask asks a program whether it can read a script, without running it: it starts the program
// with arguments and input, and returns what it prints and its exit status, -1 if it could not
// be asked.
type Ask func(program string, args []string, input string) (stdout, stderr string, status int)

// OnPath returns an Ask of the programs on PATH, which does not ask the same question twice.
func OnPath() Ask {
	a := &asker{answers: map[[sha256.Size]byte]answer{}}
	return func(program string, args []string, input string) (string, string, int) {
		path, err := exec.LookPath(program)
		if err != nil {
			return "", "", -1
		}
		known := a.askCached(path, args, input)
		return known.stdout, known.stderr, known.status
	}
}

func (a *asker) askCached(path string, args []string, input string) answer {
	question := sha256.Sum256([]byte(path + "\x00" + strings.Join(args, "\x00") + "\x00\x00" + input))
	a.mu.Lock()
	known, ok := a.answers[question]
	a.mu.Unlock()
	if ok {
		return known
	}
	// Other compilations need not wait for the interpreter.
	known = runInterpreter(path, args, input)
	if known.status >= 0 {
		a.cacheAnswer(question, known)
	}
	return known
}

func (a *asker) cacheAnswer(question [sha256.Size]byte, known answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.answers[question]; !ok {
		if len(a.oldest) == maxKept {
			delete(a.answers, a.oldest[0])
			a.oldest = append(a.oldest[:0], a.oldest[1:]...)
		}
		a.oldest = append(a.oldest, question)
	}
	a.answers[question] = known
}

// runInterpreter starts an interpreter in the root of its volume and with few variables: the files of a
// project must not change what it does, or which version of it is selected. Its status is -1 if
// it did not start, took too long or was killed.
func runInterpreter(path string, args []string, input string) answer {
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = filepath.VolumeName(path)+string(filepath.Separator), interpreterEnv(path)
	cmd.Stdin, cmd.WaitDelay = strings.NewReader(input), time.Second
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	known := answer{stdout.String(), stderr.String(), 0}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && ctx.Err() == nil {
		known.status = exit.ExitCode()
	} else if err != nil {
		known.status = -1
	}
	return known
}

// interpreterEnv has the variables that an interpreter needs, or a program that selects one of
// several versions. Bash's messages are English.
func interpreterEnv(path string) []string {
	environ := []string{"PYTHONIOENCODING=utf-8"}
	if filepath.Base(path) == "bash" {
		environ = []string{"LC_ALL=C"}
	}
	for _, name := range []string{"PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "TMPDIR", "TEMP", "PYENV_ROOT"} {
		if value, ok := os.LookupEnv(name); ok {
			environ = append(environ, name+"="+value)
		}
	}
	return environ
}
