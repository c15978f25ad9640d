//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// runShapes measures durable runs of the four shapes beside serial bash and
// make, which keep nothing.
func (b *bench) runShapes() error {
	shapes := []struct {
		shape
		what, must, aim, recorded string
	}{
		{single(), "one node, durable, start to exit", "20 ms, 30 MB", "10 ms", "dagu 40 ms, Temporal 88 ms"},
		{chain(100), "chain of 100, durable", "200 ms", "140 ms", "DBOS synced 212 ms, dagu 529 ms"},
		{sideBySide(100), "100 side by side, durable", "115 ms", "90 ms", "DBOS synced 166 ms, dagu 546 ms"},
		{layers(1000, 100), "1,000 in 10 layers, durable", "1,000 ms", "800 ms", "DBOS synced 1,315 ms, dagu 33 s"},
	}
	var size int64
	for _, s := range shapes {
		list, binary, err := b.contenders(s.shape)
		if err != nil {
			return err
		}
		taken, err := b.take(list...)
		if err != nil {
			return err
		}
		b.table.add(row{s.what, s.must, s.aim,
			fmt.Sprintf("%s, %s", taken[0], megabytes(taken[0].peak())),
			fmt.Sprintf("make -j2 %s, serial bash %s; recorded: %s", taken[1], taken[2], s.recorded)})
		if size == 0 {
			if size, err = b.firstInFolder(list[0], binary); err != nil {
				return err
			}
		}
	}
	b.table.add(row{"binary, stripped, with the store", "17 MB", "12 MB", megabytes(size), "recorded: Ent and SQLite alone 14.0 MB, dagu 115 MB"})
	return nil
}

// contenders builds the shape and returns the processes to compare: the
// workflow's binary, make, bash.
func (b *bench) contenders(s shape) (list []process, binary string, err error) {
	dir := filepath.Join(b.dir, s.name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, "", err
	}
	files := map[string]string{s.name + ".yaml": s.workflow(), "Makefile": s.makefile(), "serial.sh": s.script()}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, "", err
		}
	}
	binary = filepath.Join(dir, s.name)
	if _, err := b.wfcCommand("build", binary+".yaml", "-o", binary).measure(); err != nil {
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
		s, err := p.measure()
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
