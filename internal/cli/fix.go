package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/textdiff"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// applyFixes applies the safe fixes to the files of outcomes, which are those
// of the fixed files afterwards.
func (c *check) applyFixes(outcomes []outcome) int {
	code := ExitClean
	for i := range outcomes {
		o := &outcomes[i]
		if o.result == nil {
			continue
		}
		if err := c.fixFile(o); err != nil {
			fmt.Fprintf(c.Err, "wfc: %s\n", plain.Message(err.Error()))
			code = ExitUsage
		}
		if c.diff && o.fixable {
			code = max(code, ExitFindings)
		}
	}
	return code
}

// printFixed prints what came from the standard input, with its fixes, and
// reports whether there was any.
func (c *check) printFixed(outcomes []outcome) (printed bool, err error) {
	for _, o := range outcomes {
		if o.input.content != nil && o.result != nil {
			printed = true
			if _, err := c.Out.Write(o.result.File.Content); err != nil {
				return true, fmt.Errorf("write the fixed workflow: %w", err)
			}
		}
	}
	return printed, nil
}

// fixFile applies the safe fixes to one file, writes it when there were any, and
// says what was fixed and what was not. What came from the standard input is not
// written: printFixed prints it.
func (c *check) fixFile(o *outcome) error {
	opt := c.options(&c.flags, o.input.path, o.project)
	fixing := compiler.Fix(o.result, func(content []byte) *compiler.Result {
		return compiler.Compile(source.NewFile(o.input.name, content), opt)
	})
	if c.diff {
		o.fixable = fixing.Applied > 0
		if err := c.printDiff(o, fixing.Result.File.Content); err != nil {
			return err
		}
	} else if fixing.Applied > 0 {
		if o.input.content == nil {
			if err := replaceFile(o.input.path, fixing.Result.File.Content); err != nil {
				return fmt.Errorf("write the fixes of %s: %w", o.input.name, err)
			}
		}
		fmt.Fprintf(c.Err, "%s: %d fixed\n", plain.Line(o.input.name), fixing.Applied)
	}
	if !c.diff {
		o.result = fixing.Result
	}
	for _, r := range fixing.Refused {
		at := r.Finding.Span.Position()
		fmt.Fprintf(c.Err, "%s:%d:%d: %s not fixed: %s\n", plain.Line(o.input.name), at.Line, at.Column, r.Finding.Code.ID, r.Why)
	}
	if fixing.Unsafe > 0 {
		fmt.Fprintf(c.Err, "%s: suggestions for %d of the findings not applied: they may change the behaviour of the workflow\n", plain.Line(o.input.name), fixing.Unsafe)
	}
	return nil
}

// printDiff prints the difference between a file and its fixed content.
func (c *check) printDiff(o *outcome, fixed []byte) error {
	name := strings.TrimPrefix(plain.Line(o.input.name), "/")
	text := textdiff.Unified("a/"+name, "b/"+name, string(o.result.File.Content), string(fixed))
	_, err := io.WriteString(c.Out, text)
	return err
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
