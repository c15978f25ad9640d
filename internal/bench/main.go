//go:build unix

// Command bench measures wfc against the budgets of its design and prints one
// table: what is measured, what must hold, what is aimed at, what was measured
// here, and what neighbours need for the same.
//
//	go run ./internal/bench -wfc bin/wfc
//
// Whole processes are measured as users start them, with their wall-clock time
// and their largest resident memory. What is compared, a workflow's binary with
// serial bash and with make, takes turns in rounds, so that a busy moment of
// the machine meets all of them. The figures are medians, with the least in
// brackets. A budget that is missed fails nothing: the machine may be busy.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// A bench is one session of measuring.
type bench struct {
	wfc    string // path of the wfc binary
	server string // path of a Temporal server, or ""
	dir    string // folder for everything that is made
	rounds int
	log    io.Writer
	table  table
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
	only := flag.String("only", "", "measure only the part of this `NAME`, such as curves")
	slow := flag.Bool("slow", false, "also measure the first build with an empty cache, whole curves, and 10,000 nodes; takes minutes")
	flag.StringVar(&b.wfc, "wfc", "bin/wfc", "the wfc binary")
	flag.StringVar(&b.server, "server", "", "a Temporal server, from test/temporal/server; without it, nothing is measured on a cluster")
	flag.IntVar(&b.rounds, "rounds", 9, "rounds of measuring")
	flag.Parse()
	err := b.prepare(*parent)
	if err == nil {
		err = b.run(*slow, *only)
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
	if parent == "" {
		parent = filepath.Dir(b.wfc)
	}
	b.dir, err = os.MkdirTemp(parent, "bench-")
	return err
}

func (b *bench) run(slow bool, only string) (err error) {
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-stop
		os.RemoveAll(b.dir)
		os.Exit(130)
	}()
	parts := []part{
		{"checking one file", b.checkOne},
		{"checking many files", b.checkMany},
		{"10,000 nodes", b.checkHuge},
		{"files that grow in one way", b.checkShapes},
		{"running workflows beside bash and make", b.runShapes},
		{"workflows on a cluster", b.cluster},
		{"tests of workflows", b.tests},
		{"the language server", b.editor},
		{"curves", func() error { return b.curves(slow) }},
	}
	if slow {
		parts = append(parts, part{"building and running 10,000 nodes", b.runHuge}, part{"the first run with an empty cache", b.firstRun})
	}
	// What is measured within this process comes last: it makes this process
	// large, and the memory of those that it starts counts from its own.
	parts = append(parts, part{"generating", b.generate}, part{"steps through the store", b.steps})
	for _, p := range parts {
		if only != "" && p.name != only {
			continue
		}
		fmt.Fprintf(b.log, "… %s\n", p.name)
		if err := p.do(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	if len(b.table) == 0 {
		return fmt.Errorf("no part is named %q", only)
	}
	fmt.Printf("%s\n\n", machine())
	b.table.write(os.Stdout)
	return nil
}
