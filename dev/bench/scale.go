//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/testkit/large"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// curves measures what grows with one number, at a quarter of its largest value, at half of
// it and at the whole: the run, and each command that reads it. Linear growth keeps the time
// of a unit. Unless slow is true, the largest value is a tenth: each iteration waits for the
// disk.
func (b *bench) curves(slow bool) error {
	runner := filepath.Join(b.dir, "runner")
	if out, err := exec.Command("go", "build", "-o", runner, "github.com/wfc-lang/wfc/dev/growth/runner").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	for _, c := range []struct {
		shape, unit string
		largest     int
		paused      bool
	}{
		{"layers", "nodes", 10_000, false}, {"iterations", "iterations", 100_000, false},
		{"gates", "open gates", 2_000, true}, {"output", "lines of 25 bytes of output", 2_000_000, false},
	} {
		if !slow {
			c.largest /= 10
		}
		measured := map[string][]string{}
		commands := [][]string{{"run", "-q"}, {"status"}, {"status", "--json"}, {"list"}, {"logs"}, {"logs", "--json"}}
		for _, n := range []int{c.largest / 4, c.largest / 2, c.largest} {
			dir := filepath.Join(b.dir, fmt.Sprintf("%s-%d", c.shape, n))
			if err := os.Mkdir(dir, 0o755); err != nil {
				return err
			}
			for _, args := range commands {
				p := process{name: runner, args: append([]string{c.shape, fmt.Sprint(n)}, args...), dir: dir, env: []string{"WFC_STATE=" + filepath.Join(dir, "state")}, pauses: c.paused}
				s, err := b.measure(p)
				if err != nil {
					return err
				}
				name := strings.Join(args, " ")
				measured[name] = append(measured[name], fmt.Sprintf("%s ms %s", milliseconds(s.wall), megabytes(s.peak)))
			}
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
		}
		for _, args := range commands {
			name := strings.Join(args, " ")
			b.table.add(row{what: fmt.Sprintf("%s: %d, %d, %d %s", name, c.largest/4, c.largest/2, c.largest, c.unit), must: "linear", measured: strings.Join(measured[name], "; ")})
		}
	}
	return b.manyRuns(runner)
}

// manyRuns measures the commands on a store of many runs, each with a folder.
func (b *bench) manyRuns(runner string) error {
	const most = 10_000
	var commands []process
	var names []string
	for _, n := range []int{most / 4, most} {
		dir := filepath.Join(b.dir, fmt.Sprintf("runs-%d", n))
		if err := b.fill(dir, runner, n); err != nil {
			return err
		}
		for _, args := range [][]string{{"list"}, {"list", "--status", "failed"}, {"status", fmt.Sprintf("grows-%06d", n/2)}, {"prune", "--older-than", "365d"}, {"prune", "--keep", fmt.Sprint(most)}} {
			names = append(names, strings.Join(args, " "))
			p := b.wfcCommand(args...)
			p.dir, p.env = dir, append(p.env, "WFC_STATE="+filepath.Join(dir, "state"))
			commands = append(commands, p)
		}
	}
	taken, err := b.take(commands...)
	if err != nil {
		return err
	}
	for i, few := range taken[:len(taken)/2] {
		many := taken[len(taken)/2+i]
		b.table.add(row{fmt.Sprintf("wfc %s, a store of %d and of %d runs", strings.Replace(names[i], fmt.Sprintf("grows-%06d", most/8), "RUN", 1), most/4, most), "100 ms", "",
			fmt.Sprintf("%s, %s; %s, %s", few, megabytes(few.peak()), many, megabytes(many.peak())), ""})
	}
	return nil
}

// fill makes a state folder with the records and folders of n runs of a program.
func (b *bench) fill(dir, runner string, n int) (err error) {
	folder := state.Folder{Path: filepath.Join(dir, "state")}
	if err := os.MkdirAll(folder.Path, 0o700); err != nil {
		return err
	}
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, fmt.Appendf(nil, "#!/bin/sh\nexec '%s' runs %d \"$@\"\n", runner, n), 0o700); err != nil {
		return err
	}
	ctx := context.Background()
	runs, err := entstore.OpenState(ctx, folder.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, runs.Close()) }()
	if err := large.Fill(ctx, runs, n, "grows"); err != nil {
		return err
	}
	for i := range n {
		o := state.Origin{Run: fmt.Sprintf("grows-%06d", i), Workflow: "grows", Program: program, Store: settings.StoreSQLite, Created: time.Now()}
		if err := os.MkdirAll(folder.RunDir(o.Run), 0o700); err != nil {
			return err
		}
		if err := folder.KeepOrigin(o); err != nil {
			return err
		}
	}
	return nil
}
