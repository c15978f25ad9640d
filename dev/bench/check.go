//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/dev/growth"
	"github.com/wfc-lang/wfc/gen"
)

// checkOne measures a cold process that checks one file.
func (b *bench) checkOne() error {
	path := filepath.Join(b.dir, "sample.yaml")
	if err := os.WriteFile(path, []byte(sampleWorkflow(1)), 0o644); err != nil {
		return err
	}
	quick := *b
	quick.rounds *= 3
	taken, err := quick.take(b.wfcCommand("check", "--strict", path), b.wfcCommand("version"), process{name: "bash", args: []string{"-c", "true"}})
	if err != nil {
		return err
	}
	b.table.add(row{"wfc check, one 100-line file, cold process", "12 ms, 25 MB", "6 ms",
		fmt.Sprintf("%s, %s", taken[0], megabytes(taken[0].peak())),
		fmt.Sprintf("wfc version %s, bash -c true %s; recorded: actionlint 2.4 ms, dagu 44 ms", taken[1], taken[2])})
	return b.besideActionlint(quick.rounds, path)
}

// besideActionlint measures a cold check beside a checker of other workflows that only
// prints its version. `go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.7` installs
// that.
func (b *bench) besideActionlint(rounds int, path string) error {
	long := *b
	long.rounds = rounds
	r := row{what: "wfc check, cold, above actionlint -version", must: "1 ms"}
	if reason := missing("actionlint"); reason != "" {
		r.measured = reason
		b.table.add(r)
		return nil
	}
	taken, err := long.take(b.wfcCommand("check", "--strict", path), process{name: "actionlint", args: []string{"-version"}, dir: b.dir})
	if err != nil {
		return err
	}
	r.measured, r.neighbour = taken[0].above(taken[1]), fmt.Sprintf("wfc check %s, actionlint -version %s", taken[0], taken[1])
	b.table.add(r)
	return nil
}

// checkMany measures checking folders of a quarter, a half and all of the files: linear growth
// keeps the time and the memory of a file.
func (b *bench) checkMany() error {
	const count = 10_000
	size := 0
	var list []process
	var dirs []string
	for _, n := range []int{count / 4, count / 2, count} {
		files := map[string]string{}
		size = 0
		for i := range n {
			text := sampleWorkflow(i)
			size += len(text)
			files[fmt.Sprintf("sample-%d.yaml", i)] = text
		}
		dir := fmt.Sprintf("many-%d", n)
		if _, err := b.folder(dir, files); err != nil {
			return err
		}
		list, dirs = append(list, b.wfcCommand("check", dir)), append(dirs, fmt.Sprint(n))
	}
	short := *b
	short.rounds = min(b.rounds, 5)
	taken, err := short.take(list...)
	if err != nil {
		return err
	}
	all := taken[len(taken)-1]
	speed := func(d time.Duration) string {
		return fmt.Sprintf("%.0f files/s, %.1f MB/s", count/d.Seconds(), float64(size)/1e6/d.Seconds())
	}
	b.table.add(row{"wfc check, 10,000 files with bash", "12,000 files/s or 12 MB/s", "",
		fmt.Sprintf("%s (best %s), %s", speed(all.median()), speed(all.least()), megabytes(all.peak())),
		"recorded: actionlint 10 MB/s, 3,300-4,000 files/s"})
	var curve []string
	for _, s := range taken {
		curve = append(curve, fmt.Sprintf("%s, processors %s ms, %s", s, milliseconds(s.processors()), megabytes(s.peak())))
	}
	b.table.add(row{what: "wfc check: " + strings.Join(dirs, ", ") + " files", must: "linear", measured: strings.Join(curve, "; ")})
	return nil
}

// generate measures the generator alone, in this process, on workflows that
// were checked before.
func (b *bench) generate() error {
	const count = 200
	var checked []*compiler.Result
	for i := range count {
		r := compiler.Compile(source.NewFile("sample.yaml", []byte(sampleWorkflow(i))), compiler.Options{Path: filepath.Join(b.dir, "sample.yaml"), Root: b.dir})
		if r.HasErrors() {
			return fmt.Errorf("sample %d: %s", i, r.Diagnostics[0].Message)
		}
		checked = append(checked, r)
	}
	var taken series
	for range b.rounds {
		began := time.Now()
		for _, r := range checked {
			gen.Generate(r.Workflow, gen.Options{})
		}
		taken = append(taken, sample{wall: time.Since(began) / count})
	}
	b.table.add(row{"wfc gen after check, a workflow of 100 lines", "3 ms", "1 ms",
		fmt.Sprintf("%.2f (%.2f) ms", taken.median().Seconds()*1000, taken.least().Seconds()*1000), ""})
	return nil
}

const huge = 10_000

// checkHuge measures checking a workflow of 10,000 nodes, and how time and
// memory grow from one of half the size.
func (b *bench) checkHuge() error {
	var list []process
	for _, n := range []int{huge / 2, huge} {
		s := layers(n, 100)
		path := filepath.Join(b.dir, s.name+".yaml")
		if err := os.WriteFile(path, []byte(s.workflow()), 0o644); err != nil {
			return err
		}
		list = append(list, b.wfcCommand("check", path))
	}
	short := *b
	short.rounds = min(b.rounds, 5)
	taken, err := short.take(list...)
	if err != nil {
		return err
	}
	half, whole := taken[0], taken[1]
	b.table.add(row{"check of a workflow of 10,000 nodes", "2 s, memory linear", "1 s",
		fmt.Sprintf("%s, %s; half of it: %s, %s", whole, megabytes(whole.peak()), half, megabytes(half.peak())), ""})
	return nil
}

// runHuge measures building and running it.
func (b *bench) runHuge() error {
	s := layers(huge, 100)
	s.name = "huge"
	dir, err := b.folder(s.name, map[string]string{"huge.yaml": s.workflow()})
	if err != nil {
		return err
	}
	built, err := b.measure(b.wfcCommand("build", filepath.Join(dir, "huge.yaml"), "-o", filepath.Join(dir, "huge")))
	if err != nil {
		return err
	}
	ran, err := b.measure(process{name: filepath.Join(dir, "huge"), args: []string{"run", "-q"}, dir: dir, env: []string{"WFC_STATE=" + filepath.Join(dir, "state")}})
	if err != nil {
		return err
	}
	b.table.add(row{"a workflow of 10,000 nodes: build, run", "builds, runs", "",
		fmt.Sprintf("build %.1f s, %s; run %.1f s, %s", built.wall.Seconds(), megabytes(built.peak), ran.wall.Seconds(), megabytes(ran.peak)), ""})
	return nil
}

// checkShapes measures checking one file of each shape that could take more time
// than its size warrants.
func (b *bench) checkShapes() error {
	short := *b
	short.rounds = min(b.rounds, 3)
	for i, s := range growth.Shapes {
		path := filepath.Join(b.dir, fmt.Sprintf("shape-%d.yaml", i))
		if err := os.WriteFile(path, []byte(s.Make(s.Largest)), 0o644); err != nil {
			return err
		}
		p := b.wfcCommand("check", path)
		p.finds = true
		taken, err := short.take(p)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("wfc check, %d %s", s.Largest, s.Name)
		if s.Refused {
			what += " (refused)"
		}
		b.table.add(row{what, "1 s", "", fmt.Sprintf("%s, %s", taken[0], megabytes(taken[0].peak())), ""})
	}
	return nil
}
