//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/dev/growth"
	"github.com/wfc-lang/wfc/internal/shared/state"
)

// month is the length of the waits.
const month = 30 * 24 * time.Hour

// idleFor is how long an idle process is watched.
const idleFor = 10 * time.Second

const gateWorkflow = `name: gate
description: Waits for a person.
nodes:
  - id: before
    bash: "true"
  - id: ask
    depends_on: [before]
    approval: {message: Continue?}
  - id: after
    depends_on: [ask]
    bash: "true"
`

// monthWorkflow has a process that stays, because a node works beside the one that waits.
const monthWorkflow = `name: month
description: Waits for a month beside a node that works.
nodes:
  - id: soak
    wait: {duration_ms: 2592000000}
  - id: work
    bash: exec sleep 2592000
    timeout: 2592000000
`

// waits measures runs that wait for a month: one at a gate, whose process has ended, and one
// at a time, whose process stays.
func (b *bench) waits() error {
	gate, err := b.program("gate", gateWorkflow)
	if err != nil {
		return err
	}
	if err := b.gates(gate); err != nil {
		return err
	}
	timer, err := b.program("month", monthWorkflow)
	if err != nil {
		return err
	}
	return b.idle(timer)
}

// program builds a workflow in a new folder of its name.
func (b *bench) program(name, text string) (process, error) {
	dir, err := b.folder(name, map[string]string{name + ".yaml": text})
	if err != nil {
		return process{}, err
	}
	binary := filepath.Join(dir, name)
	_, err = b.measure(b.wfcCommand("build", binary+".yaml", "-o", binary))
	return process{name: binary, dir: dir}, err
}

// gates measures the commands on a run that has waited at a gate for a minute and for a month.
// Between the commands, nothing of the run is left but its store and its folder.
func (b *bench) gates(gate process) error {
	commands := [][]string{{"status"}, {"resume"}, {"approve"}}
	taken := make([][2]series, len(commands))
	var waiting string
	for round := range b.rounds + 1 {
		for age, waited := range []time.Duration{time.Minute, month} {
			folder := state.Folder{Path: filepath.Join(gate.dir, fmt.Sprintf("state-%d-%d", round, age))}
			p := gate
			p.env = []string{"WFC_STATE=" + folder.Path}
			p.args, p.pauses = []string{"run"}, true
			if _, err := b.measure(p); err != nil {
				return err
			}
			if err := growth.Age(context.Background(), folder.Database(), waited); err != nil {
				return err
			}
			if waiting == "" {
				text, err := left(folder)
				if err != nil {
					return err
				}
				waiting = text
			}
			for i, args := range commands {
				p.args = args
				s, err := b.measure(p)
				if err != nil {
					return err
				}
				if round > 0 { // the first is a warm-up
					taken[i][age] = append(taken[i][age], s)
				}
			}
		}
	}
	b.table.add(row{what: "a run that waits at a gate", must: "no process", measured: waiting})
	for i, args := range commands {
		minute, days := taken[i][0], taken[i][1]
		b.table.add(row{what: args[0] + " at a gate, after 30 days beside after a minute", must: "1.1 times",
			measured: fmt.Sprintf("%.2f times: %s, %s", days.ratio(minute), days, megabytes(days.peak())), neighbour: fmt.Sprintf("after a minute %s", minute)})
	}
	return nil
}

// left describes the resources of a waiting run: processes with its state folder, and the
// bytes of its files. The kept copy of the program is left out: all runs of a program
// share it.
func left(folder state.Folder) (string, error) {
	var size int64
	err := filepath.WalkDir(folder.Path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if filepath.Dir(path) == filepath.Dir(folder.BinaryFile("any")) || d.Name() == filepath.Base(folder.Executable("any")) {
			return nil
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	processes := 0
	environs, _ := filepath.Glob("/proc/[0-9]*/environ") // none elsewhere
	for _, path := range environs {
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), "WFC_STATE="+folder.Path+"\x00") {
			processes++
		}
	}
	counted := fmt.Sprintf("%d processes", processes)
	if len(environs) == 0 {
		counted = "processes not counted: there is no /proc"
	}
	return fmt.Sprintf("%s; %d kB of files", counted, size/1000), err
}

// idle measures a process after it has reported that it waits for a time.
func (b *bench) idle(p process) (err error) {
	r := row{what: "a process that waits for a month, idle", must: "0.5 % of a processor"}
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		r.measured = "skipped: there is no /proc/self/schedstat"
		b.table.add(r)
		return nil
	}
	p.args, p.env = []string{"run"}, []string{"WFC_STATE=" + filepath.Join(p.dir, "state")}
	started, stop, err := starts("soak waits", p)
	if err != nil {
		return err
	}
	defer func() {
		// It also ends its step when it is interrupted.
		err = errors.Join(err, started.Signal(os.Interrupt))
		_, _ = started.Wait() // its exit code says that it was interrupted
		stop()
	}()
	before, err := usage(started.Pid)
	if err != nil {
		return err
	}
	time.Sleep(idleFor)
	after, err := usage(started.Pid)
	if err != nil {
		return err
	}
	used := after.cpu - before.cpu
	r.measured = fmt.Sprintf("%.3f %% of a processor, %.1f context switches a second, %s, during %v",
		100*used.Seconds()/idleFor.Seconds(), float64(after.switches-before.switches)/idleFor.Seconds(), megabytes(after.peak), idleFor)
	b.table.add(r)
	return nil
}

// usage returns the processor time, the context switches and the resident memory of a process
// that runs, on Linux.
func usage(pid int) (s sample, err error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil {
		return s, err
	}
	for _, path := range tasks {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended
		}
		var spent int64
		if _, err := fmt.Sscan(string(text), &spent); err != nil {
			return s, fmt.Errorf("%s: %w", path, err)
		}
		s.cpu += time.Duration(spent)
		n, err := strconv.ParseInt(field(filepath.Join(filepath.Dir(path), "status"), "voluntary_ctxt_switches"), 10, 64)
		if err != nil {
			continue
		}
		s.switches += n
	}
	kib, err := strconv.ParseInt(strings.TrimSuffix(field(fmt.Sprintf("/proc/%d/status", pid), "VmRSS"), " kB"), 10, 64)
	s.peak = kib * 1024
	return s, err
}
