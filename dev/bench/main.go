//go:build unix

// Command bench measures wfc against the budgets of its design and prints one table: the
// measurement, its limit, its goal, the figure measured here, and the figures of similar
// engines.
//
//	go -C dev run ./bench -wfc ../bin/wfc
//
// It measures whole processes as users start them: their wall-clock time and their
// largest resident memory. Comparisons, such as a workflow's binary with serial bash and
// with make, take turns in rounds, so that a busy moment of the machine affects all of
// them. The figures are medians, with the least in brackets. A missed budget fails
// nothing: the machine may be busy.
//
// -results FILE also writes the table to a file. -peers measures other engines instead of the
// budgets: those that are on PATH, and the Temporal server of -server. A row whose engine is
// missing gives the reason.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// A bench is one session of measuring.
type bench struct {
	wfc      string // path of the wfc binary
	server   string // path of a Temporal server, or ""
	dir      string // folder for all files that it makes
	launcher string // path of the program that starts the measured ones
	rounds   int
	log      io.Writer
	table    table
}

// A choice says which parts are measured.
type choice struct {
	slow, peers bool
	only        string // the name of the only part, or ""
}

// A part is one group of measurements.
type part struct {
	name string
	do   func() error
}

func main() {
	var b bench
	b.log = os.Stderr
	parent := flag.String("dir", "", "folder for workflows and state, on a disk (default: the one of the wfc binary)")
	var c choice
	flag.StringVar(&c.only, "only", "", "measure only the part of this `NAME`, such as curves")
	flag.BoolVar(&c.slow, "slow", false, "also measure the first build with an empty cache, whole curves, and 10,000 nodes; takes minutes")
	flag.BoolVar(&c.peers, "peers", false, "measure other engines that are on PATH beside wfc")
	results := flag.String("results", "", "also write the table to this `FILE`, as Markdown")
	flag.StringVar(&b.wfc, "wfc", "bin/wfc", "the wfc binary")
	flag.StringVar(&b.server, "server", "", "a Temporal server, from dev/temporal/server; without it, nothing is measured on a cluster")
	flag.IntVar(&b.rounds, "rounds", 9, "rounds of measuring")
	flag.Parse()
	err := b.prepare(*parent)
	if err == nil {
		err = b.run(c)
	}
	if err == nil && *results != "" {
		err = b.keep(*results)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// prepare makes the session's folder.
func (b *bench) prepare(parent string) error {
	var err error
	if b.wfc, err = filepath.Abs(b.wfc); err != nil {
		return err
	}
	if _, err := os.Stat(b.wfc); err != nil {
		return fmt.Errorf("the wfc binary: %w; `make build` makes it", err)
	}
	if b.rounds < 1 {
		return errors.New("-rounds is less than 1")
	}
	if b.server != "" {
		if b.server, err = filepath.Abs(b.server); err != nil {
			return err
		}
	}
	parent = cmp.Or(parent, filepath.Dir(b.wfc))
	if b.dir, err = os.MkdirTemp(parent, "bench-"); err != nil {
		return err
	}
	if b.launcher, err = b.compiled("dev/bench/launcher"); err != nil {
		return errors.Join(err, os.RemoveAll(b.dir))
	}
	return nil
}

// parts returns the measurements in order.
func (b *bench) parts(c choice) []part {
	if c.peers {
		return []part{{"peers", b.peers}, {"workflows on a cluster", b.cluster}}
	}
	parts := []part{
		{"checking one file", b.checkOne},
		{"checking many files", b.checkMany},
		{"10,000 nodes", b.checkHuge},
		{"files that grow in one way", b.checkShapes},
		{"running workflows beside bash and make", b.runShapes},
		{"runs in the sandbox", b.sandboxed},
		{"many runs at once", b.many},
		{"running after an edit", b.editedRun},
		{"workflows on a cluster", b.cluster},
		{"tests of workflows", b.tests},
		{"the language server", b.editor},
		{"runs that wait for 30 days", b.waits},
		{"curves", func() error { return b.curves(c.slow) }},
		{"generating", b.generate},
		{"steps through the store", b.steps},
	}
	if c.slow {
		parts = append(parts, part{"building and running 10,000 nodes", b.runHuge}, part{"the first run with an empty cache", b.firstRun})
	}
	return parts
}

func (b *bench) run(c choice) (err error) {
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-stop
		os.RemoveAll(b.dir)
		os.Exit(130)
	}()
	for _, p := range b.parts(c) {
		if c.only != "" && p.name != c.only {
			continue
		}
		fmt.Fprintf(b.log, "… %s\n", p.name)
		if err := p.do(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	if len(b.table) == 0 {
		return fmt.Errorf("no part is named %q", c.only)
	}
	return b.report(os.Stdout)
}

// report writes the facts of the machine and the table.
func (b *bench) report(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s\n\n", machine()); err != nil {
		return err
	}
	b.table.write(w)
	return nil
}

// keep writes the report to a file.
func (b *bench) keep(path string) error {
	var text bytes.Buffer
	text.WriteString("# Results of the benchmarks\n\n`make bench RESULTS=FILE` writes this page. Its columns are explained in `dev/bench/main.go`.\n\n")
	if err := b.report(&text); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

// machine describes this machine: its system, processors, memory and load. Facts that the
// system does not show are left out.
func machine() string {
	facts := []string{runtime.GOOS + "/" + runtime.GOARCH, fmt.Sprintf("%d processors", runtime.NumCPU())}
	if model := field("/proc/cpuinfo", "model name"); model != "" {
		facts = append(facts, model)
	}
	if memory := field("/proc/meminfo", "MemTotal"); memory != "" {
		facts = append(facts, "memory "+memory)
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		facts = append(facts, "load "+strings.Join(strings.Fields(string(load))[:3], " "))
	}
	return strings.Join(append(facts, runtime.Version()), ", ")
}

// field returns the first value of a field in a file of Linux, or "".
func field(path, name string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
