//go:build unix

package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A sample is the cost of one process and of the children that it waited for.
type sample struct {
	wall time.Duration
	// cpu is the processor time, and switches the number of voluntary context switches.
	cpu      time.Duration
	switches int64
	// peak is the largest resident memory of one of the processes, in bytes.
	peak int64
}

// A process is a command to measure.
type process struct {
	name string
	args []string
	dir  string
	env  []string // added to this process's environment
	// finds says that the exit code 1 is not an error: the process reports findings.
	finds bool
	// rest is a pause after the process, in which the system may finish what it began for it.
	rest time.Duration
	// pauses says that the exit code 3 is not an error: the process runs a workflow that
	// pauses.
	pauses bool
}

// measure runs the process to its end. An exit code that is not expected is an error.
func (b *bench) measure(p process) (sample, error) {
	cmd, result, err := b.command(p)
	if err != nil {
		return sample{}, err
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	err = cmd.Run()
	code := cmd.ProcessState.ExitCode() // -1 if it was not started
	if err != nil && !(p.finds && code == 1) && !(p.pauses && code == 3) {
		os.Remove(result)
		return sample{}, fmt.Errorf("%s %s: %w\n%.2000s", filepath.Base(p.name), strings.Join(p.args, " "), err, errs.String())
	}
	return readSample(result)
}

// command returns the command that runs a process by the launcher, and the file with its
// sample after its end.
func (b *bench) command(p process) (cmd *exec.Cmd, result string, err error) {
	path, err := exec.LookPath(p.name)
	if err != nil {
		return nil, "", err
	}
	file, err := os.CreateTemp(filepath.Dir(b.launcher), "sample-")
	if err != nil {
		return nil, "", err
	}
	if err := file.Close(); err != nil {
		return nil, "", err
	}
	cmd = exec.Command(b.launcher, append([]string{file.Name(), path}, p.args...)...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), p.env...)
	return cmd, file.Name(), nil
}

// readSample reads the file of a launcher that has ended, and removes it.
func readSample(path string) (s sample, err error) {
	text, err := os.ReadFile(path)
	if err = errors.Join(err, os.Remove(path)); err != nil {
		return s, err
	}
	if _, err := fmt.Sscan(string(text), &s.wall, &s.peak, &s.cpu, &s.switches); err != nil {
		return s, fmt.Errorf("the launcher's line %q: %w", text, err)
	}
	return s, nil
}

// take measures processes in turns: each once a round. The first round is a
// warm-up and does not count.
func (b *bench) take(list ...process) ([]series, error) {
	all := make([]series, len(list))
	for round := range b.rounds + 1 {
		for i, p := range list {
			s, err := b.measure(p)
			if err != nil {
				return nil, err
			}
			time.Sleep(p.rest)
			if round > 0 {
				all[i] = append(all[i], s)
			}
		}
	}
	return all, nil
}

// folder makes a folder with files, unless an earlier part of the bench made it, and returns its path.
func (b *bench) folder(name string, files map[string]string) (string, error) {
	dir := filepath.Join(b.dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// wfcCommand is a command of wfc that leaves no trace outside of the session.
func (b *bench) wfcCommand(args ...string) process {
	return process{name: b.wfc, args: args, dir: b.dir, env: []string{"NO_COLOR=1"}}
}

// A series is what several runs of one process took.
type series []sample

// median returns the wall-clock time of the middle run.
func (s series) median() time.Duration {
	return middle(s, func(i int) time.Duration { return s[i].wall })
}

// least returns the wall-clock time of the quickest run.
func (s series) least() time.Duration {
	return slices.MinFunc(s, func(a, b sample) int { return cmp.Compare(a.wall, b.wall) }).wall
}

// middle returns the middle of the values of the runs of a series.
func middle[T cmp.Ordered](s series, value func(i int) T) T {
	list := make([]T, len(s))
	for i := range s {
		list[i] = value(i)
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// ratio returns the median of the ratios to the times of another series, round by round: a
// busy moment of the machine meets both.
func (s series) ratio(other series) float64 {
	return middle(s, func(i int) float64 { return s[i].wall.Seconds() / other[i].wall.Seconds() })
}

// above returns by how much the series takes longer than another one, round by round: the
// median, and the difference of the quickest runs in brackets.
func (s series) above(other series) string {
	above := middle(s, func(i int) time.Duration { return s[i].wall - other[i].wall })
	return fmt.Sprintf("%s (%s) ms", milliseconds(above), milliseconds(s.least()-other.least()))
}

// effort returns the figures that do not depend on the load of the machine: the processor
// time, and the context switches of a node.
func (s series) effort(nodes int) string {
	switches := middle(s, func(i int) int64 { return s[i].switches })
	return fmt.Sprintf("processors %s ms, %.0f context switches a node", milliseconds(s.processors()), float64(switches)/float64(nodes))
}

// processors returns the middle of the processor times.
func (s series) processors() time.Duration {
	return middle(s, func(i int) time.Duration { return s[i].cpu })
}

// peak returns the middle of the largest memories, in bytes.
func (s series) peak() int64 {
	return middle(s, func(i int) int64 { return s[i].peak })
}

// String is the median with the least in brackets, in milliseconds.
func (s series) String() string {
	return fmt.Sprintf("%s (%s) ms", milliseconds(s.median()), milliseconds(s.least()))
}

// milliseconds is a time with the digits that matter.
func milliseconds(d time.Duration) string {
	ms := d.Seconds() * 1000
	if ms < 100 {
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.0f", ms)
}

// megabytes is a size in units of a million bytes.
func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// A row is one line of the table. Texts that begin with "recorded" are of
// earlier measurements; everything else was measured in this session.
type row struct {
	what, must, aim, measured, neighbour string
}

type table []row

func (t *table) add(r row) { *t = append(*t, r) }

// write prints the table in Markdown, with columns of one width.
func (t table) write(w io.Writer) {
	rows := append([]row{{"what", "must", "aim", "measured", "neighbour"}}, t...)
	var cells [][]string
	for _, r := range rows {
		cells = append(cells, []string{r.what, r.must, r.aim, r.measured, r.neighbour})
	}
	width := make([]int, 5)
	for _, line := range cells {
		for i, c := range line {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	for n, line := range cells {
		for i, c := range line {
			fmt.Fprintf(w, "| %s%s ", c, strings.Repeat(" ", width[i]-utf8.RuneCountInString(c)))
		}
		fmt.Fprintln(w, "|")
		if n == 0 {
			for _, n := range width {
				fmt.Fprintf(w, "|%s", strings.Repeat("-", n+2))
			}
			fmt.Fprintln(w, "|")
		}
	}
}
