//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/internal/growth"
)

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
