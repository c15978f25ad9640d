package testsuite

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
	"github.com/wfc-lang/wfc/runtime/internal/testrun"
)

// TextOptions are how the text report looks.
type TextOptions struct {
	// Verbose also lists the tests that passed, with their notes.
	Verbose bool
	// Repeat is the command that runs a test file, such as `wfc test`; "" shows none.
	Repeat string
}

// Text writes a report for people.
func (r *Report) Text(w io.Writer, opt TextOptions) error {
	var b strings.Builder
	for _, f := range r.Files {
		for _, fault := range f.Faults {
			b.WriteString(f.Fault(fault))
		}
		for _, t := range f.Tests {
			switch {
			case t.Failed():
				fmt.Fprintf(&b, "FAIL  %s\n%s", t.title(), indentLines(t.Explain(opt.Repeat), "      "))
			case opt.Verbose:
				fmt.Fprintf(&b, "ok    %s\n", t.title())
				for _, note := range t.Notes {
					fmt.Fprintf(&b, "      note: %s\n", note)
				}
			}
		}
	}
	for _, f := range r.Files {
		ran, failed := f.Counts()
		switch {
		case len(f.Faults) > 0:
			fmt.Fprintf(&b, "FAIL  %s  %s\n", f.Shown, plain.Count(len(f.Faults), "fault"))
		case failed > 0:
			fmt.Fprintf(&b, "FAIL  %s  %d of %s failed\n", f.Shown, failed, plain.Count(ran, "test"))
		case ran > 0:
			fmt.Fprintf(&b, "ok    %s  %s\n", f.Shown, plain.Count(ran, "test"))
		}
	}
	b.WriteString(r.Conclusion() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// Conclusion is how many tests ran and failed, in one line.
func (r *Report) Conclusion() string {
	ran, failed := r.Counts()
	text := plain.Count(ran, "test")
	if failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	return text + r.networkNote()
}

// networkNote says whether programs had a network, if any ran.
func (r *Report) networkNote() string {
	for _, f := range r.Files {
		for _, t := range f.Tests {
			if t.Observed == nil {
				continue
			}
			for _, e := range t.Observed.Entries {
				switch {
				case e.Real && r.Isolated:
					return "; scripts ran without network"
				case e.Real:
					return "; scripts ran with stand-ins on PATH, but the network was not cut off"
				}
			}
		}
	}
	return ""
}

func (t *Test) title() string {
	if t.Round > 0 {
		return fmt.Sprintf("%s (run %d)", t.Name, t.Round)
	}
	return t.Name
}

// Explain returns why the test failed: each failed expectation at its place with the
// actual result, the path of the run, its transcript, and the command that repeats the
// test.
func (t *Test) Explain(repeat string) string {
	var b strings.Builder
	for _, f := range t.Failures {
		b.WriteString(t.File.formatFailure(f))
	}
	if o := t.Observed; o != nil {
		if len(o.Way) > 0 {
			fmt.Fprintf(&b, "way: %s\n", strings.Join(o.Way, " → "))
		}
		fmt.Fprintf(&b, "transcript:\n%s", indentLines(o.Transcript(), "  "))
	}
	for _, note := range t.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	if repeat != "" {
		fmt.Fprintf(&b, "repeat: %s %s --run %s --keep\n", repeat, plain.ShellWord(t.File.Shown), plain.ShellWord("^"+regexp.QuoteMeta(t.Name)+"$"))
	}
	if t.Dir != "" && t.kept {
		fmt.Fprintf(&b, "kept: %s\n", t.Dir)
	}
	return b.String()
}

// formatFailure shows an expectation that does not hold, with its line.
func (f *File) formatFailure(x testrun.Failure) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n%s", f.formatPlace(x.Place), x.What, f.formatLine(x.Place))
	if x.Expected != "" {
		b.WriteString(formatLabelled("expected: ", x.Expected))
		b.WriteString(formatLabelled("happened: ", x.Happened))
	}
	if x.Diff != "" {
		b.WriteString(indentLines(x.Diff, "  "))
	}
	return b.String()
}

// Fault shows a mistake in the file, with its line.
func (f *File) Fault(x testfile.Fault) string {
	return fmt.Sprintf("%s: error: %s\n%s", f.formatPlace(x.Place), x.Message, f.formatLine(x.Place))
}

func (f *File) formatPlace(p testfile.Place) string {
	if p.Line == 0 {
		return f.Shown
	}
	return fmt.Sprintf("%s:%d:%d", f.Shown, p.Line, p.Column)
}

// formatLine shows a line of the file with a mark below a column.
func (f *File) formatLine(p testfile.Place) string {
	if p.Line < 1 || p.Line > len(f.Lines) {
		return ""
	}
	text := strings.TrimRight(f.Lines[p.Line-1], "\r")
	gap := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string([]rune(text)[:min(max(p.Column-1, 0), len([]rune(text)))]))
	number := fmt.Sprint(p.Line)
	return fmt.Sprintf("  %s | %s\n  %s | %s^\n", number, text, strings.Repeat(" ", len(number)), gap)
}

func formatLabelled(label, text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var b strings.Builder
	fmt.Fprintf(&b, "  %s%s\n", label, lines[0])
	for _, line := range lines[1:] {
		b.WriteString(strings.TrimRight("  "+strings.Repeat(" ", len(label))+line, " ") + "\n")
	}
	return b.String()
}

func indentLines(text, by string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(by)
		}
		b.WriteString(line)
	}
	return b.String()
}
