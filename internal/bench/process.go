//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// A sample is what one process took.
type sample struct {
	wall time.Duration
	// peak is the largest resident memory, in bytes. That of a process which is
	// smaller than this program is overstated: it begins as its copy.
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
}

// measure runs the process to its end; an exit code that is not expected is an
// error.
func (p process) measure() (sample, error) {
	cmd := exec.Command(p.name, p.args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), p.env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	began := time.Now()
	err := cmd.Run()
	wall := time.Since(began)
	if err != nil && !(p.finds && cmd.ProcessState.ExitCode() == 1) {
		return sample{}, fmt.Errorf("%s %s: %w\n%.2000s", filepath.Base(p.name), strings.Join(p.args, " "), err, errs.String())
	}
	// The usage is that of the process and of the children it waited for.
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	peak := int64(usage.Maxrss)
	if runtime.GOOS != "darwin" {
		peak *= 1024
	}
	return sample{wall, peak}, nil
}

// take measures processes in turns: each once a round. The first round is a
// warm-up and does not count.
func (b *bench) take(list ...process) ([]series, error) {
	all := make([]series, len(list))
	for round := range b.rounds + 1 {
		for i, p := range list {
			s, err := p.measure()
			if err != nil {
				return nil, err
			}
			if round > 0 {
				all[i] = append(all[i], s)
			}
		}
	}
	return all, nil
}

// wfcCommand is a command of wfc that leaves no trace outside of the session.
func (b *bench) wfcCommand(args ...string) process {
	return process{name: b.wfc, args: args, dir: b.dir, env: []string{"NO_COLOR=1"}}
}
