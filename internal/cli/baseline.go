package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/report"
	"github.com/wfc-lang/wfc/internal/workspace"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// A baseline is the file with the findings that a check leaves out. It names files
// relative to its folder, so it holds from every folder.
type baseline struct {
	path, dir string
	content   *report.Baseline
}

// openBaseline reads the file; create makes an empty one if there is none.
func openBaseline(path string, create bool) (*baseline, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	b := &baseline{path: path, dir: filepath.Dir(abs), content: &report.Baseline{}}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && create:
		return b, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the baseline %s does not exist; --update-baseline writes it", plain.Line(path))
	case err != nil:
		return nil, err
	}
	if b.content, err = report.ParseBaseline(text); err != nil {
		return nil, fmt.Errorf("%s is not a baseline: %w", plain.Line(path), err)
	}
	return b, nil
}

// file is the name of a file in the baseline.
func (b *baseline) file(name string) string {
	abs, err := filepath.Abs(filepath.FromSlash(name))
	if err != nil {
		return name
	}
	rel, err := filepath.Rel(b.dir, abs)
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}

// gone reports whether a file of the baseline does not exist any more.
func (b *baseline) gone(file string) bool {
	return !workspace.Exists(filepath.Join(b.dir, filepath.FromSlash(file)))
}

// applyBaseline takes the known findings out of a report, and says which entries match none.
func (c *check) applyBaseline(r *report.Report) error {
	if c.baseline == "" {
		return nil
	}
	b, err := openBaseline(c.baseline, c.updateBaseline)
	if err != nil {
		return err
	}
	if c.updateBaseline {
		b.content.Update(r, b.file, b.gone)
		if err := os.WriteFile(c.baseline, b.content.Encode(), 0o644); err != nil {
			return fmt.Errorf("write the baseline: %w", err)
		}
		fmt.Fprintf(c.Err, "%s: %s\n", plain.Line(c.baseline), finding.Count(len(b.content.Findings), "finding"))
	}
	stale := b.content.Split(r, b.file, b.gone)
	for _, k := range stale {
		fmt.Fprintf(c.Err, "%s: %s in %s is gone: %s\n", plain.Line(c.baseline), plain.Line(k.Code), plain.Line(k.File), plain.Line(k.Message))
	}
	if len(stale) > 0 {
		fmt.Fprintf(c.Err, "%s: --update-baseline removes the entries of findings that are gone\n", plain.Line(c.baseline))
	}
	return nil
}
