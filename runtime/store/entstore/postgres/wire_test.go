package postgres_test

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"
)

// What a wire does with what it is given.
const (
	passes   = "passes"
	refuses  = "refuses"
	swallows = "swallows"
	delays   = "delays"
)

// A wire is a proxy between a store and its server that makes faults of the network.
type wire struct {
	address, server string
	// by is how long a piece takes while the wire delays.
	by time.Duration

	mu       sync.Mutex
	mode     string
	listener net.Listener // nil while it refuses
	conns    map[net.Conn]bool
	changed  chan struct{} // closed when the mode changes
	// faults counts what was refused, swallowed or delayed, and asked the pieces of stores.
	faults, asked int
	// held is a statement: the first piece with it is kept until release is closed, while
	// the store's end of the connection is closed.
	held    []byte
	release chan struct{}
}

// wired returns the URL of a database behind a wire.
func wired(t *testing.T, given string) (*wire, string) {
	t.Helper()
	u, err := url.Parse(given)
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{address: "127.0.0.1:0", server: u.Host, mode: passes, conns: map[net.Conn]bool{}, changed: make(chan struct{})}
	if err := w.listen(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.set(t, refuses) })
	u.Host = w.address
	return w, u.String()
}

func (w *wire) listen() (err error) {
	if w.listener, err = net.Listen("tcp", w.address); err == nil {
		w.address = w.listener.Addr().String()
		go w.serve(w.listener)
	}
	return err
}

// set changes what the wire does. One that refuses or passes again has lost all
// connections, with the pieces that it delayed.
func (w *wire) set(t *testing.T, mode string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mode = mode
	if mode == refuses || mode == passes {
		for c := range w.conns {
			c.Close()
		}
	}
	close(w.changed) // after the connections, so that no delayed piece arrives
	w.changed = make(chan struct{})
	switch {
	case mode == refuses && w.listener != nil:
		w.listener.Close()
		w.listener = nil
		w.faults++
	case mode != refuses && w.listener == nil:
		if err := w.listen(); err != nil {
			t.Error(err)
		}
	}
}

func (w *wire) serve(l net.Listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", w.server)
		if err != nil {
			client.Close()
			continue
		}
		w.mu.Lock()
		w.conns[client], w.conns[server] = true, true
		w.mu.Unlock()
		go w.pass(client, server, true)
		go w.pass(server, client, false)
	}
}

// fault is what is to be done with a piece now.
func (w *wire) fault() (mode string, changed chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mode != passes {
		w.faults++
	}
	return w.mode, w.changed
}

func (w *wire) seen() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.faults
}

// hold keeps the first execution of a statement on its way.
func (w *wire) hold(statement string) (release chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held, w.release = []byte(statement), make(chan struct{})
	return w.release
}

// asks returns how many pieces stores have sent.
func (w *wire) asks() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked
}

// holds counts a piece of a store, and reports whether it has the statement to hold.
func (w *wire) holds(piece []byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	if w.held == nil || !bytes.Contains(piece, w.held) {
		return false
	}
	w.held = nil
	return true
}

func (w *wire) pass(from, to net.Conn, asks bool) {
	defer func() {
		w.mu.Lock()
		delete(w.conns, from)
		w.mu.Unlock()
		from.Close()
		to.Close()
	}()
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if asks && w.holds(buffer[:n]) {
			from.Close()
			<-w.release
			_, _ = to.Write(buffer[:n])
			return
		}
		switch mode, changed := w.fault(); mode {
		case swallows:
			continue
		case delays:
			select {
			case <-time.After(w.by):
			case <-changed:
			}
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}
