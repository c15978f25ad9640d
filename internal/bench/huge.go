//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
)

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
	dir := filepath.Join(b.dir, s.name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	path := filepath.Join(dir, "huge.yaml")
	if err := os.WriteFile(path, []byte(s.workflow()), 0o644); err != nil {
		return err
	}
	built, err := b.wfcCommand("build", path, "-o", filepath.Join(dir, "huge")).measure()
	if err != nil {
		return err
	}
	ran, err := process{name: filepath.Join(dir, "huge"), args: []string{"run", "-q"}, dir: dir, env: []string{"WFC_STATE=" + filepath.Join(dir, "state")}}.measure()
	if err != nil {
		return err
	}
	b.table.add(row{"a workflow of 10,000 nodes: build, run", "builds, runs", "",
		fmt.Sprintf("build %.1f s, %s; run %.1f s, %s", built.wall.Seconds(), megabytes(built.peak), ran.wall.Seconds(), megabytes(ran.peak)), ""})
	return nil
}
