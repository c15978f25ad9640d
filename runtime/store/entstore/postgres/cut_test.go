package postgres_test

import (
	"bytes"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
)

// A cutter stands between a store and its server and can cut the connection.
type cutter struct {
	listener net.Listener
	server   string
	// at is what the server says for the last time; nil is nothing.
	at atomic.Pointer[string]
	// left is how many more pieces of what the store says are passed on; nothing
	// is cut when it is negative.
	left atomic.Int64
	// cuts counts the connections that were cut.
	cuts atomic.Int64
}

// through returns the URL of a database behind a cutter.
func through(t *testing.T, given string) (*cutter, string) {
	t.Helper()
	u, err := url.Parse(given)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c := &cutter{listener: l, server: u.Host}
	c.left.Store(-1)
	go c.serve()
	u.Host = l.Addr().String()
	return c, u.String()
}

// cut cuts the connection instead of passing on that the server has done a
// command.
func (c *cutter) cut(command string) {
	tag := command + "\x00"
	c.at.Store(&tag)
}

func (c *cutter) serve() {
	for {
		client, err := c.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", c.server)
		if err != nil {
			client.Close()
			continue
		}
		go c.pass(client, server, false)
		go c.pass(server, client, true)
	}
}

func (c *cutter) pass(from, to net.Conn, answers bool) {
	defer from.Close()
	defer to.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if !answers && c.left.Load() >= 0 && c.left.Add(-1) < 0 {
			c.cuts.Add(1)
			return
		}
		if tag := c.at.Load(); answers && tag != nil && bytes.Contains(buffer[:n], []byte(*tag)) && c.at.CompareAndSwap(tag, nil) {
			c.cuts.Add(1)
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// The connection is lost before or after a transaction was committed, and
// nothing says which: it is made once.
func TestCut(t *testing.T) {
	direct := schema(t)
	c, behind := through(t, direct)
	s := openStore(t, behind, postgres.Options{})
	create(t, s, "run")
	commits := 0
	commit := func(cut string) {
		t.Helper()
		before := c.cuts.Load()
		err := s.Commit(t.Context(), "run", flow.Batch{Steps: []flow.Record{started("a")}, Events: []flow.Event{{Time: time.Now(), Type: "e"}}})
		if err != nil {
			t.Fatalf("cut at %s: %v", cut, err)
		}
		if c.cuts.Load() == before && cut != "" {
			t.Fatalf("nothing was cut at %s", cut)
		}
		commits++
	}
	for _, command := range []string{"BEGIN", "COMMIT", "INSERT 0 1", "COMMIT", "BEGIN"} {
		c.cut(command)
		commit(command)
	}
	// A transaction whose statements are prepared is said in two pieces: its beginning with
	// the lock on the run, and the rows with the COMMIT.
	for pieces := range 2 {
		commit("") // prepares them
		c.left.Store(int64(pieces))
		commit("piece " + string(rune('1'+pieces)))
	}
	c.left.Store(2)
	commit("")
	if left := c.left.Load(); left != 0 {
		t.Errorf("after two pieces and a commit, %d are left", left)
	}
	events, _, err := openStore(t, direct, postgres.Options{}).Events(t.Context(), "run", 0)
	if err != nil || len(events) != commits {
		t.Errorf("%d commits are %d events (%v)", commits, len(events), err)
	}
}
