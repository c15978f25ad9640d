//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A sample is the cost of one process and of the children that it waited for.
type sample struct {
	wall time.Duration
	// cpu is the processor time, and switches the number of voluntary context switches.
	cpu      time.Duration
	switches int64
	// peak is the largest resident memory of one of the processes, in bytes.
	peak int64
}

// A process is a command to measure.
type process struct {
	name string
	args []string
	dir  string
	env  []string // added to this process's environment
	// finds says that the exit code 1 is no error: the process finds something.
	finds bool
	// pauses says that the exit code 3 is no error: the process runs a workflow that pauses.
	pauses bool
}

// buildLauncher builds the program that starts what is measured, and returns its path.
func buildLauncher(dir string) (string, error) {
	path := filepath.Join(dir, "launcher")
	build := exec.Command("go", "build", "-o", path, "github.com/wfc-lang/wfc/internal/bench/launcher")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the launcher: %w\n%s", err, out)
	}
	return path, nil
}

// command returns the command that runs a process by the launcher, and the file with its
// sample after its end.
func (b *bench) command(p process) (cmd *exec.Cmd, result string, err error) {
	path, err := exec.LookPath(p.name)
	if err != nil {
		return nil, "", err
	}
	file, err := os.CreateTemp(filepath.Dir(b.launcher), "sample-")
	if err != nil {
		return nil, "", err
	}
	if err := file.Close(); err != nil {
		return nil, "", err
	}
	cmd = exec.Command(b.launcher, append([]string{file.Name(), path}, p.args...)...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), p.env...)
	return cmd, file.Name(), nil
}

// readSample reads the file of a launcher that has ended, and removes it.
func readSample(path string) (s sample, err error) {
	text, err := os.ReadFile(path)
	if err = errors.Join(err, os.Remove(path)); err != nil {
		return s, err
	}
	if _, err := fmt.Sscan(string(text), &s.wall, &s.peak, &s.cpu, &s.switches); err != nil {
		return s, fmt.Errorf("the launcher's line %q: %w", text, err)
	}
	return s, nil
}

// measure runs the process to its end. An exit code that is not expected is an error.
func (b *bench) measure(p process) (sample, error) {
	cmd, result, err := b.command(p)
	if err != nil {
		return sample{}, err
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	err = cmd.Run()
	code := cmd.ProcessState.ExitCode() // -1 if it was not started
	if err != nil && !(p.finds && code == 1) && !(p.pauses && code == 3) {
		os.Remove(result)
		return sample{}, fmt.Errorf("%s %s: %w\n%.2000s", filepath.Base(p.name), strings.Join(p.args, " "), err, errs.String())
	}
	return readSample(result)
}
