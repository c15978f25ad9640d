package testsuite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/internal/testrun"
)

// The golden transcripts of NAME.test.yaml are in NAME.test.golden: for each test a line
// with its name behind `=== `, and below it the transcript, in which no line begins so.

const mark = "=== "

func goldenPath(path string) string { return strings.TrimSuffix(path, ".yaml") + ".golden" }

// readGolden returns the golden transcripts beside a test file, by test.
func readGolden(path string) (map[string]string, error) {
	text, err := wholefile.Output.Read(goldenPath(path))
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the golden transcripts: %w", err)
	}
	golden := map[string]string{}
	name := ""
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\r\n", "\n")) {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			name = strings.TrimSuffix(rest, "\n")
			golden[name] = ""
		} else if name != "" {
			golden[name] += line
		}
	}
	for name, text := range golden {
		golden[name] = strings.TrimRight(text, "\n") + "\n"
	}
	return golden, nil
}

// updateGolden writes the golden transcripts of the file's tests. Those of tests that did not run
// stay.
func (f *File) updateGolden() error {
	if len(f.Faults) > 0 || f.Label != "" {
		return nil
	}
	var b strings.Builder
	for _, t := range f.Tests {
		if t.Snapshot != "" {
			f.golden[t.spec.Name] = t.Snapshot
			t.Failures = slices.DeleteFunc(t.Failures, func(x testrun.Failure) bool { return x.Place == t.spec.SnapshotAt })
		}
	}
	for _, name := range f.snapshots {
		if text, ok := f.golden[name]; ok {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "%s%s\n%s", mark, name, text)
		}
	}
	path := goldenPath(f.Path)
	old, err := wholefile.Output.Read(path)
	switch {
	case b.Len() == 0 && errors.Is(err, fs.ErrNotExist), err == nil && string(old) == b.String():
		return nil
	case b.Len() == 0:
		err = os.Remove(path)
	default:
		err = wholefile.Write(path, []byte(b.String()), 0o644, false)
	}
	if err != nil {
		return fmt.Errorf("write the golden transcripts: %w", err)
	}
	return nil
}
