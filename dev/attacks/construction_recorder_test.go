//go:build unix

package attacks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// The variables of the recorder, which is this test's program under the names of
// interpreters and of an agent.
const (
	recordVariable = "CONSTRUCTION_RECORD" // the folder of records
	outputVariable = "CONSTRUCTION_OUTPUT" // the folder of outputs that steps have instead of running
	realVariable   = "CONSTRUCTION_REAL_"  // and a name: the interpreter that runs the step; none: it prints a word
)

// A record is what an interpreter or an agent was given.
type record struct {
	Name  string
	Args  []string
	Env   []string
	Stdin string
	// Output is what it printed, and Executed that a value ran.
	Output   string
	Executed bool
	// Files are the files that the arguments name, by their paths.
	Files map[string]string
}

// recorded are the names of the programs that the recorder stands for.
var recorded = []string{"bash", "python3", "uv", "bun", "agent"}

// TestMain lets the tests' program be the recorder.
func TestMain(m *testing.M) {
	self, err := os.Executable()
	if name := filepath.Base(self); err == nil && slices.Contains(recorded, name) {
		if err := recordStep(name); err != nil {
			fmt.Fprintln(os.Stderr, "recorder:", err)
			os.Exit(70)
		}
		os.Exit(0)
	}
	testkit.SeededMain(m)
}

// recordStep records the arguments and the output. A script that fails does not end the
// sequence of steps that it is in.
func recordStep(name string) error {
	key := stepID(os.Getenv("WFC_STEP_KEY"))
	r := record{Name: name, Args: os.Args[1:], Env: os.Environ(), Files: map[string]string{}}
	for _, arg := range r.Args {
		r.keep(arg)
		r.keep(strings.TrimPrefix(arg, "--preload="))
		r.keep(strings.TrimPrefix(arg, "--preload=") + "on")
		r.keepRedirected(arg)
	}
	stdin, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	r.Stdin = string(stdin)
	output, err := os.ReadFile(filepath.Join(os.Getenv(outputVariable), key))
	if real := os.Getenv(realVariable + name); err != nil && real != "" {
		if output, err = r.run(real, filepath.Join(os.Getenv(recordVariable), key+".work")); err != nil {
			return err
		}
	} else if err != nil {
		output = []byte("done\n")
	}
	r.Output = string(output)
	content, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(os.Getenv(recordVariable), key), content, 0o600); err != nil {
		return err
	}
	_, err = os.Stdout.Write(output)
	return err
}

// redirected matches the file that a prelude of bash reads.
var redirected = regexp.MustCompile(`<'([^']+)'`)

// keep keeps the content of a file, and of those that it has in a prelude.
func (r *record) keep(path string) {
	content, err := os.ReadFile(path)
	if err != nil || !filepath.IsAbs(path) || r.Files[path] != "" {
		return
	}
	r.Files[path] = string(content)
	r.keepRedirected(string(content))
}

func (r *record) keepRedirected(script string) {
	for _, m := range redirected.FindAllStringSubmatch(script, -1) {
		r.keep(m[1])
	}
}

// gateFile is the file on which bash waits for its start.
const gateFile = 3

// patience ends a script that waits for something.
const patience = 20 * time.Second

// run runs the real interpreter in a folder of its own. Programs that the script starts are
// not recorded.
func (r *record) run(path, dir string) (output []byte, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, r.Args...)
	cmd.Dir, cmd.Stdin, cmd.Stderr, cmd.WaitDelay = dir, strings.NewReader(r.Stdin), os.Stderr, time.Second
	switch {
	case r.Name == "uv": // uv run python ARGUMENTS
		cmd.Args = slices.Delete(cmd.Args, 1, 3)
	case filepath.Base(path) == "node": // bun --no-env-file --preload=FILE -e SCRIPT
		cmd.Args = slices.Delete(cmd.Args, 1, 2)
		cmd.Args[1] = strings.Replace(cmd.Args[1], "--preload", "--require", 1)
	}
	for _, entry := range r.Env {
		if rest, ok := strings.CutPrefix(entry, "PATH="); ok {
			_, rest, _ = strings.Cut(rest, string(os.PathListSeparator))
			entry = "PATH=" + rest
		}
		cmd.Env = append(cmd.Env, entry)
	}
	if strings.Contains(r.script(), "__wfc_gate") {
		cmd.ExtraFiles = []*os.File{os.NewFile(gateFile, "gate")}
	}
	output, err = cmd.Output()
	if _, exited := errors.AsType[*exec.ExitError](err); exited {
		err = nil
	}
	if _, found := os.Stat(filepath.Join(dir, "pwned")); found == nil {
		r.Executed = true
	}
	return output, err
}

// stepID is the id of a step in its key: without the steps around it, and its number.
func stepID(key string) string {
	key = key[strings.LastIndexByte(key, '/')+1:]
	if i := strings.IndexAny(key, "#@"); i >= 0 {
		key = key[:i]
	}
	return key
}
