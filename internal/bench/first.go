//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// firstRun measures `wfc run` with an empty cache, and after edits of the
// workflow. The modules themselves are there.
func (b *bench) firstRun() error {
	dir := filepath.Join(b.dir, "first")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	path := filepath.Join(dir, "first.yaml")
	p := process{name: b.wfc, args: []string{"run", path}, dir: dir,
		env: []string{"WFC_CACHE=" + filepath.Join(dir, "cache"), "WFC_STATE=" + filepath.Join(dir, "state")}}
	write := func(text string) error {
		return os.WriteFile(path, []byte(strings.Replace(single().workflow(), "true", text, 1)), 0o644)
	}
	if err := write("true"); err != nil {
		return err
	}
	first, err := p.measure()
	if err != nil {
		return err
	}
	var edits series
	for i := range b.rounds {
		if err := write(fmt.Sprintf("true edit %d", i)); err != nil {
			return err
		}
		s, err := p.measure()
		if err != nil {
			return err
		}
		edits = append(edits, s)
	}
	again, err := b.take(p)
	if err != nil {
		return err
	}
	b.table.add(row{"first wfc run, empty cache", "40 s", "15 s", fmt.Sprintf("%.1f s", first.wall.Seconds()), "recorded: go build of Ent and SQLite 30 s"})
	b.table.add(row{"wfc run after an edit", "1.5 s", "0.8 s", edits.String(), "recorded: go build of it 0.43 s"})
	b.table.add(row{what: "wfc run, nothing changed", measured: again[0].String()})
	return nil
}
