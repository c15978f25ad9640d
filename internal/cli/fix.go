package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
)

// maxFixRounds is the number of times that fixes are applied to a file, each
// round mending what the one before has laid bare.
const maxFixRounds = 10

// applyFixes applies the safe fixes to the files of outcomes, which are those
// of the fixed files afterwards.
func (c *check) applyFixes(outcomes []outcome) int {
	code := ExitClean
	for i := range outcomes {
		o := &outcomes[i]
		if o.result == nil || o.input.content != nil {
			continue
		}
		n, err := c.fixFile(o)
		if err != nil {
			fmt.Fprintf(c.Err, "wfc: %v\n", err)
			code = ExitUsage
		}
		if n > 0 {
			fmt.Fprintf(c.Err, "%s: %d fixed\n", o.input.name, n)
		}
	}
	return code
}

// fixFile applies the safe fixes to one file until there are none left, and
// writes the file when that was to its good.
func (c *check) fixFile(o *outcome) (fixed int, err error) {
	result := o.result
	opt := c.options(&c.flags, o.input.path, o.project)
	for range maxFixRounds {
		content, n := compiler.Fix(result.File, result.Diagnostics)
		if n == 0 {
			break
		}
		fixed += n
		result = compiler.Compile(source.NewFile(o.input.name, content), opt)
	}
	if fixed == 0 {
		return 0, nil
	}
	if errorsIn(result.Diagnostics) > errorsIn(o.result.Diagnostics) {
		return 0, fmt.Errorf("the fixes of %s bring new errors; nothing is changed (this is a fault of wfc, please report it)", o.input.name)
	}
	if err := replaceFile(o.input.path, result.File.Content); err != nil {
		return 0, fmt.Errorf("write the fixes of %s: %w", o.input.name, err)
	}
	o.result = result
	return fixed, nil
}

// replaceFile gives an existing file new content at once: a reader sees the
// old content or the new, and a failure leaves the old. Links are followed.
func replaceFile(path string, content []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(content)
	if err == nil {
		err = tmp.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = tmp.Sync()
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}
