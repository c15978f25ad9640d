//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A peer is another engine that runs the same graphs of `bash -c true`.
type peer struct {
	name, program string
	// file is the name of its file in the shape's folder, and write the file for a shape.
	file  string
	write func(s shape) string
	// args run the file, and env is added to the environment.
	args []string
	env  func(dir string) []string
}

// peerEngines are the engines without a server.
var peerEngines = []peer{
	{name: "Dagu", program: "dagu", file: "dagu.yaml", write: shape.dagu, args: []string{"start", "--quiet", "dagu.yaml"},
		env: func(dir string) []string { return []string{"DAGU_HOME=" + filepath.Join(dir, "dagu-home")} }},
	{name: "go-task", program: "task", file: "Taskfile.yml", write: shape.taskfile, args: []string{"--concurrency", "2", "--silent"},
		env: func(dir string) []string { return []string{"TASK_TEMP_DIR=" + filepath.Join(dir, "task-temp")} }},
}

// missing returns the reason for which a row is skipped that needs a program, or "".
func missing(program string) string {
	if _, err := exec.LookPath(program); err != nil {
		return "skipped: " + program + " is not on PATH"
	}
	return ""
}

// peers measures other engines beside wfc, each with its own durability. An engine that is
// not on PATH gets a row with the reason.
func (b *bench) peers() error {
	short := *b
	short.table, short.rounds = nil, min(b.rounds, 5)
	for _, s := range measuredShapes() {
		var ours []process // is built if a peer is there
		for _, p := range peerEngines {
			r := row{what: p.name + ": " + s.what, measured: missing(p.program)}
			if r.measured == "" {
				var err error
				if ours == nil {
					if ours, _, err = short.contenders(s.shape); err != nil {
						return err
					}
				}
				if r.measured, err = short.besidePeer(ours[0], p, s.shape); err != nil {
					return err
				}
			}
			b.table.add(r)
		}
	}
	return nil
}

// besidePeer measures a workflow's binary and a peer in turns.
func (b *bench) besidePeer(ours process, p peer, s shape) (string, error) {
	if err := os.WriteFile(filepath.Join(ours.dir, p.file), []byte(p.write(s)), 0o644); err != nil {
		return "", err
	}
	taken, err := b.take(ours, process{name: p.program, args: p.args, dir: ours.dir, env: p.env(ours.dir)})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s, %s; wfc %s, %s: %.1f times wfc", p.name, taken[1], megabytes(taken[1].peak()), taken[0], megabytes(taken[0].peak()), taken[1].ratio(taken[0])), nil
}

// dagu writes the shape for Dagu.
func (s shape) dagu() string {
	var b strings.Builder
	b.WriteString("type: graph\nsteps:\n")
	for i, needs := range s.needs {
		fmt.Fprintf(&b, "  - name: n%d\n    command: bash -c true\n", i)
		if needs != nil {
			fmt.Fprintf(&b, "    depends: [%s]\n", join(needs, ", "))
		}
	}
	return b.String()
}

// taskfile writes the shape for go-task.
func (s shape) taskfile() string {
	var b strings.Builder
	fmt.Fprintf(&b, "version: '3'\nrun: once\ntasks:\n  default:\n    deps: [%s]\n", join(s.all(), ", "))
	for i, needs := range s.needs {
		fmt.Fprintf(&b, "  n%d:\n    deps: [%s]\n    cmds: [bash -c true]\n", i, join(needs, ", "))
	}
	return b.String()
}
