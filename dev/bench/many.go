//go:build unix

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// manyRatio is the time that many runs at once may take for one of as many runs of make.
const manyRatio = "1.40 times"

// many measures many runs at once beside as many of make: of eight processes at once on one
// store, and of one process with all runs. Beside the former on SQLite, it measures dev/bench/floor
// as often.
func (b *bench) many() error {
	embedded, err := b.compiled("dev/bench/many")
	if err != nil {
		return err
	}
	floor, err := b.compiled("dev/bench/floor")
	if err != nil {
		return err
	}
	stores := []struct{ name, url string }{{name: "sqlite"}}
	url, stop, err := b.postgres()
	if err != nil {
		b.table.add(row{what: "many runs at once, postgres", measured: "skipped: " + err.Error()})
	} else {
		defer stop()
		stores = append(stores, struct{ name, url string }{"postgres", url})
	}
	for _, s := range stores {
		for _, w := range []struct {
			runs int
			shape
			what string
		}{{40, chain(100), "40 runs of a chain of 100, 8 processes at once"}, {400, single(), "400 runs of one node, 8 processes at once"}} {
			if err := b.beside(w.what+", "+s.name, w.shape, s.name, w.runs, func(list []process) []process {
				ours := []process{parallel(w.runs, list[0], s.url)}
				if s.url == "" {
					dir := list[0].dir
					ours = append(ours, parallel(w.runs, process{name: floor, args: []string{filepath.Join(dir, "floor.db"), fmt.Sprint(len(w.needs))}, dir: dir}, ""))
				}
				return ours
			}); err != nil {
				return err
			}
		}
		const runs, nodes = 100, 20
		if err := b.beside(fmt.Sprintf("%d runs of a chain of %d at once in one process, %s", runs, nodes, s.name), chain(nodes), s.name, runs, func(list []process) []process {
			state := filepath.Join(list[0].dir, "embedded")
			return []process{{name: embedded, args: []string{state, fmt.Sprint(runs), fmt.Sprint(nodes)}, dir: list[0].dir, env: []string{"WFC_DATABASE_URL=" + s.url}}}
		}); err != nil {
			return err
		}
	}
	return nil
}

// beside measures the runs of a shape beside as many of make. ours returns their process from
// the one of a single run, and perhaps the process of as many floors.
func (b *bench) beside(what string, s shape, store string, runs int, ours func(list []process) []process) error {
	s.name += "-" + store
	list, _, err := b.contenders(s, "--store", store)
	if err != nil {
		return err
	}
	taken, err := b.take(append([]process{parallel(runs, list[1], "")}, ours(list)...)...)
	if err != nil {
		return err
	}
	nodes, makes, us := runs*len(s.needs), taken[0], taken[1]
	neighbour := fmt.Sprintf("make -j2 %s; %s", makes, makes.effort(nodes))
	if len(taken) > 2 {
		neighbour += fmt.Sprintf("; only bash and commits, in Go %.2f times: %s; %s", taken[2].ratio(makes), taken[2], taken[2].effort(nodes))
	}
	b.table.add(row{what: what, must: manyRatio,
		measured:  fmt.Sprintf("%.2f times: %s, %s; %s", us.ratio(makes), us, megabytes(us.peak()), us.effort(nodes)),
		neighbour: neighbour})
	return os.RemoveAll(list[0].dir)
}

// parallel is a process that runs another one many times, eight at once.
func parallel(runs int, p process, url string) process {
	const script = `n=$1; shift; seq "$n" | xargs -P 8 -I{} "$@"`
	args := append([]string{"-c", script, "sh", fmt.Sprint(runs), p.name}, p.args...)
	return process{name: "sh", args: args, dir: p.dir, env: append(p.env, "WFC_DATABASE_URL="+url)}
}

// compiled builds a program of this module, and returns its path.
func (b *bench) compiled(folder string) (string, error) {
	path := filepath.Join(b.dir, filepath.Base(folder))
	if out, err := exec.Command("go", "build", "-o", path, "github.com/wfc-lang/wfc/"+folder).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", folder, err, out)
	}
	return path, nil
}

// postgres runs a PostgreSQL server, and returns the URL of its database. The function stop
// ends it.
func (b *bench) postgres() (url string, stop func(), err error) {
	path, err := b.compiled("runtime/internal/pgtest/pgserver")
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command(path)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := cmp.Or(inErr, outErr, cmd.Start()); err != nil {
		return "", nil, err
	}
	stop = func() {
		in.Close()
		_ = cmd.Wait() // its end says nothing about the measurements
	}
	url, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(url), stop, nil
}
