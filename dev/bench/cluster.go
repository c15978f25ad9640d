//go:build unix

package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// cluster measures the same workflows on one machine and on a Temporal cluster: a server
// and one worker on this machine. Both are started as users start them.
func (b *bench) cluster() error {
	if b.server == "" {
		b.table.add(row{what: "on a Temporal cluster", measured: "skipped: -server names no server; `make test-temporal` builds bin/temporal-server"})
		return nil
	}
	address, stop, err := b.startServer()
	if err != nil {
		return err
	}
	defer stop()
	for i, s := range []struct {
		shape
		what string
	}{
		{single(), "one node"},
		{chain(100), "chain of 100"},
		{sideBySide(100), "100 side by side"},
		{layers(1000, 100), "1,000 in 10 layers"},
	} {
		local, cluster, err := b.engines(s.shape)
		if err != nil {
			return err
		}
		if i == 0 {
			if err := b.sizes(local.name, cluster.name); err != nil {
				return err
			}
		}
		cluster.env = append(cluster.env, "TEMPORAL_ADDRESS="+address, "WFC_TEMPORAL_BLOBS="+filepath.Join(cluster.dir, "blobs"))
		_, worker, err := starts("ready for steps", process{name: cluster.name, args: []string{"worker", "--concurrency", "100"}, dir: cluster.dir, env: cluster.env})
		if err != nil {
			return err
		}
		taken, err := b.take(local, cluster)
		worker()
		if err != nil {
			return err
		}
		b.table.add(row{what: s.what + ", on a Temporal cluster", measured: taken[1].String(), neighbour: "on one machine " + taken[0].String()})
	}
	return nil
}

// engines builds a shape for both engines.
func (b *bench) engines(s shape) (local, cluster process, err error) {
	dir, err := b.folder("cluster-"+s.name, map[string]string{s.name + ".yaml": s.workflow()})
	if err != nil {
		return local, cluster, err
	}
	file := filepath.Join(dir, s.name+".yaml")
	build := func(engine string) (process, error) {
		name := filepath.Join(dir, s.name+"-"+engine)
		_, err := b.measure(b.wfcCommand("build", "--engine", engine, file, "-o", name))
		return process{name: name, args: []string{"run"}, dir: dir, env: []string{"WFC_STATE=" + filepath.Join(dir, "state-"+engine)}}, err
	}
	if local, err = build("local"); err == nil {
		cluster, err = build("temporal")
	}
	return local, cluster, err
}

// sizes adds the sizes of a program without and with the engine for clusters.
func (b *bench) sizes(without, with string) error {
	sizes := make([]int64, 2)
	for i, name := range []string{without, with} {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		sizes[i] = info.Size()
	}
	b.table.add(row{what: "binary with the engine for Temporal", measured: megabytes(sizes[1]), neighbour: "without it " + megabytes(sizes[0])})
	return nil
}

// startServer starts the server with a separate database. The function stop ends it.
func (b *bench) startServer() (address string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	address = l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	_, stop, err = starts("ready", process{name: b.server, args: []string{"-db", filepath.Join(b.dir, "temporal.db"), "-port", port}, dir: b.dir})
	return address, stop, err
}

// starts starts a process and returns when one of its lines has a word. stop kills it, unless
// it has ended.
func starts(ready string, p process) (started *os.Process, stop func(), err error) {
	cmd := exec.Command(p.name, p.args...)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), p.env...)
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd.Stdout, cmd.Stderr = write, write
	err = cmd.Start()
	write.Close()
	if err != nil {
		read.Close()
		return nil, nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		read.Close()
	}
	var said strings.Builder
	lines := bufio.NewScanner(read)
	for lines.Scan() {
		fmt.Fprintln(&said, lines.Text())
		if strings.Contains(lines.Text(), ready) {
			go func() {
				for lines.Scan() {
				}
			}()
			return cmd.Process, stop, nil
		}
	}
	stop()
	return nil, nil, fmt.Errorf("%s ended before it was ready:\n%s", filepath.Base(p.name), said.String())
}
