//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/dev/growth"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// A measuredShape has its budgets, and the times of other engines that were measured
// before.
type measuredShape struct {
	shape
	what, must, aim, recorded string
	// ratio is the time that it may take for one of make -j2 with the same scripts, 0 for
	// no such budget.
	ratio float64
}

func measuredShapes() []measuredShape {
	return []measuredShape{
		{single(), "one node, durable, start to exit", "20 ms, 30 MB", "10 ms", "dagu 40 ms, Temporal 88 ms", 0},
		{chain(100), "chain of 100, durable", "200 ms", "140 ms", "DBOS synced 212 ms, dagu 529 ms", 1.3},
		{sideBySide(100), "100 side by side, durable", "115 ms", "90 ms", "DBOS synced 166 ms, dagu 546 ms", 1.2},
		{layers(1000, 100), "1,000 in 10 layers, durable", "1,000 ms", "800 ms", "DBOS synced 1,315 ms, dagu 33 s", 1.15},
	}
}

// runShapes measures durable runs of the four shapes beside serial bash and
// make, which keep nothing.
func (b *bench) runShapes() error {
	var size int64
	for _, s := range measuredShapes() {
		list, binary, err := b.contenders(s.shape)
		if err != nil {
			return err
		}
		taken, err := b.take(list...)
		if err != nil {
			return err
		}
		b.table.add(row{s.what, s.must, s.aim,
			fmt.Sprintf("%s, %s; %s", taken[0], megabytes(taken[0].peak()), taken[0].effort(len(s.needs))),
			fmt.Sprintf("make -j2 %s, serial bash %s; recorded: %s", taken[1], taken[2], s.recorded)})
		if s.ratio > 0 {
			b.table.add(row{what: s.what + ", beside make -j2", must: fmt.Sprintf("%.2f times", s.ratio),
				measured: fmt.Sprintf("%.2f times", taken[0].ratio(taken[1]))})
			continue
		}
		b.table.add(row{what: "one node, durable, above bash alone", must: "8 ms", measured: taken[0].above(taken[2])})
		if size, err = b.firstInFolder(list[0], binary); err != nil {
			return err
		}
	}
	b.table.add(row{"binary, stripped, with the store", "17 MB", "12 MB", megabytes(size), "recorded: Ent and SQLite alone 14.0 MB, dagu 115 MB"})
	return nil
}

// contenders builds the shape, with flags of the command build, and returns the processes to
// compare: the workflow's binary, make, bash.
func (b *bench) contenders(s shape, flags ...string) (list []process, binary string, err error) {
	dir, err := b.folder(s.name, map[string]string{s.name + ".yaml": s.workflow(), "Makefile": s.makefile(), "serial.sh": s.script()})
	if err != nil {
		return nil, "", err
	}
	binary = filepath.Join(dir, s.name)
	if _, err := b.measure(b.wfcCommand(append([]string{"build", binary + ".yaml", "-o", binary}, flags...)...)); err != nil {
		return nil, "", err
	}
	return []process{
		{name: binary, args: []string{"run"}, dir: dir, env: []string{"WFC_STATE=" + filepath.Join(dir, "state")}},
		{name: "make", args: []string{"-s", "-j2"}, dir: dir},
		{name: "bash", args: []string{"serial.sh"}, dir: dir},
	}, binary, nil
}

// firstInFolder measures the first run in a new state folder, which makes the
// store, and returns the size of the binary.
func (b *bench) firstInFolder(p process, binary string) (size int64, err error) {
	var taken series
	for i := range b.rounds {
		p.env = []string{"WFC_STATE=" + filepath.Join(p.dir, fmt.Sprintf("state-%d", i))}
		s, err := b.measure(p)
		if err != nil {
			return 0, err
		}
		taken = append(taken, s)
	}
	b.table.add(row{what: "one node, durable, in a new state folder", measured: fmt.Sprintf("%s, %s", taken, megabytes(taken.peak()))})
	info, err := os.Stat(binary)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// firstRun measures `wfc run` with an empty cache. The modules themselves are there.
func (b *bench) firstRun() error {
	p, write, err := b.edited("first")
	if err != nil {
		return err
	}
	p.env = append(p.env, "WFC_CACHE="+filepath.Join(p.dir, "cache"))
	if err := write("true"); err != nil {
		return err
	}
	first, err := b.measure(p)
	if err != nil {
		return err
	}
	b.table.add(row{"first wfc run, empty cache", "40 s", "15 s", fmt.Sprintf("%.1f s, %.1f s of processors", first.wall.Seconds(), first.cpu.Seconds()), "recorded: go build of Ent and SQLite 30 s"})
	return nil
}

// editedRun measures `wfc run` after edits of the workflow, and without one.
func (b *bench) editedRun() error {
	p, write, err := b.edited("edited")
	if err != nil {
		return err
	}
	var edits series
	for i := range b.rounds + 1 {
		if err := write(fmt.Sprintf("true edit %d %d", i, time.Now().UnixNano())); err != nil {
			return err
		}
		s, err := b.measure(p)
		if err != nil {
			return err
		}
		if i > 0 { // the first may have to compile the runtime
			edits = append(edits, s)
		}
	}
	again, err := b.take(p)
	if err != nil {
		return err
	}
	b.table.add(row{"wfc run after an edit", "1.5 s", "0.8 s", edits.String(), "recorded: go build of it 0.43 s"})
	b.table.add(row{what: "wfc run, nothing changed", measured: again[0].String()})
	return nil
}

// edited returns `wfc run` of a workflow of one node in a new folder, and a function that
// writes the workflow with another script.
func (b *bench) edited(name string) (p process, write func(script string) error, err error) {
	dir, err := b.folder(name, nil)
	if err != nil {
		return p, nil, err
	}
	path := filepath.Join(dir, name+".yaml")
	p = process{name: b.wfc, args: []string{"run", path}, dir: dir, env: []string{"WFC_STATE=" + filepath.Join(dir, "state")}}
	return p, func(script string) error {
		return os.WriteFile(path, []byte(strings.Replace(single().workflow(), "true", script, 1)), 0o644)
	}, nil
}

// steps measures how many steps a second go through the engine and the store
// when a hundred are in flight: all are inserted with the run, and each is
// committed when it starts and when it ends. In layers, each step waits for three
// of the layer before.
func (b *bench) steps() error {
	e, closeStore, err := b.engine()
	if err != nil {
		return err
	}
	defer closeStore()
	for _, w := range []struct {
		what string
		def  *flow.Definition
	}{
		{"durable no-op steps through Ent: 10,000, 100 in flight", idle(10_000, 10_000)},
		{"durable no-op steps through Ent: 1,000, 100 wide", idle(1_000, inFlight)},
	} {
		var taken series
		for range min(b.rounds, 5) {
			began := time.Now()
			result, err := e.Run(context.Background(), w.def, nil, local.Options{WorkDir: b.dir})
			if err != nil {
				return err
			}
			if result.Status != flow.Completed {
				return fmt.Errorf("the run is %s: %s", result.Status, result.Error)
			}
			taken = append(taken, sample{wall: time.Since(began)})
		}
		rate := func(d time.Duration) float64 { return float64(len(w.def.Nodes)) / d.Seconds() }
		b.table.add(row{w.what, "10,000/s", "20,000/s",
			fmt.Sprintf("%.0f/s (best %.0f/s)", rate(taken.median()), rate(taken.least())), "recorded: trial 15,000/s, raw SQL 39,000/s"})
	}
	return nil
}

// inFlight is how many of the steps are performed at once.
const inFlight = 100

// engine returns an engine that keeps its runs on disk.
func (b *bench) engine() (e *local.Engine, closeStore func() error, err error) {
	folder := state.Folder{Path: filepath.Join(b.dir, "steps")}
	store, err := entstore.OpenState(context.Background(), folder.Path)
	if err != nil {
		return nil, nil, err
	}
	e, err = local.New(local.Config{Store: store, State: folder.Path, Performers: []engine.Performer{growth.Performer{}}, MaxParallel: inFlight})
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return e, store.Close, nil
}

// idle is a workflow of steps that do nothing, in layers of a width. Each needs
// three of the layer before.
func idle(count, width int) *flow.Definition {
	return growth.Graph(count, func(i int) []int { return growth.Layers(i, width) })
}
