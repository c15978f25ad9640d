package acp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
)

// hearing returns a turn that listens to a program that is not there.
func hearing(t testing.TB, dir string, p policy) (heard *turn, told *strings.Builder) {
	t.Helper()
	told = &strings.Builder{}
	r := &agent.Request{WorkDir: dir, Output: func(piece []byte) { told.Write(piece) }, Notes: func([]byte) {}}
	u := &turn{agent: &client{policy: p}, request: r, name: "x", conn: newConnection(r.Environ), report: newReporter(r)}
	var err error
	if u.files, err = openFiles(dir, "", p); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(u.files.closeRoots)
	u.terminals = newTerminals(u)
	u.conn.notified, u.conn.requested, u.conn.noise = u.handleNotification, u.handleRequest, u.handleNoise
	u.conn.setWriter(context.Background(), io.Discard)
	u.useSession(session{ID: "s"}, false)
	u.heard.listening = true
	return u, told
}

// Whatever a program prints, in whatever pieces it comes, it is understood in the
// same way, and harms nothing.
func FuzzOutput(f *testing.F) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi"}}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"x","kind":"edit","locations":[{"path":"/x"}],"content":[{"type":"diff","path":"y"}]}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"usage_update","cost":{"amount":1e999,"currency":"USD"}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"options":[{"kind":"allow_once","optionId":"a"}],"toolCall":{"toolCallId":"t"}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"fs/read_text_file","params":{"path":"../x","line":-1,"limit":-1}}`,
		`{"jsonrpc":"2.0","id":{},"method":"terminal/create","params":{"command":""}}`,
		`{"jsonrpc":"2.0","id":1,"result":null}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1.5}}`, "noise\n\n[1]\n{}", "\x00\xff{",
	} {
		f.Add([]byte(text+"\n"+text), uint8(3))
	}
	f.Fuzz(func(t *testing.T, text []byte, cut uint8) {
		whole, told := hearing(t, t.TempDir(), mayRead)
		wholeErr := whole.conn.consumeOutput(text)
		whole.conn.stopAndWait()
		whole.report.flushAndClose()

		parts, inParts := hearing(t, t.TempDir(), mayRead)
		var partsErr error
		for rest := text; len(rest) > 0 && partsErr == nil; {
			n := min(len(rest), int(cut)+1)
			partsErr, rest = parts.conn.consumeOutput(rest[:n]), rest[n:]
		}
		parts.conn.stopAndWait()
		parts.report.flushAndClose()
		if (wholeErr == nil) != (partsErr == nil) || told.String() != inParts.String() || whole.buildReply().Text != parts.buildReply().Text {
			t.Errorf("at once: %v %q, in pieces: %v %q", wholeErr, told, partsErr, inParts)
		}
		if told.String() != whole.buildReply().Text {
			t.Errorf("told %q, and the reply is %q", told, whole.buildReply().Text)
		}
	})
}

// No path leads out of the working directory.
func FuzzPath(f *testing.F) {
	for _, path := range []string{"a", "../out", "/etc/passwd", "link/x", "dangling", "in/../../out", "in//link/../x", "./in", "", ".", "IN/x", "IN/../out", "a\x00b", `..\out`} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		base := t.TempDir()
		dir, out := filepath.Join(base, "dir"), filepath.Join(base, "out")
		for _, made := range []string{dir, out, filepath.Join(dir, "in")} {
			if err := os.Mkdir(made, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		for name, target := range map[string]string{"link": out, "dangling": filepath.Join(base, "made"), "in/up": "../.."} {
			if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
				t.Skip("no symbolic links")
			}
		}
		if rest, ok := strings.CutPrefix(path, "IN/"); ok {
			path = dir + "/" + rest
		}
		u, _ := hearing(t, dir, mayEdit)
		inside := u.files.isInside(path)
		err := u.files.writeText(path, "written")
		if err == nil && !inside {
			t.Errorf("%q was written, and is said to be outside", path)
		}
		_ = filepath.WalkDir(base, func(at string, e os.DirEntry, _ error) error {
			if e != nil && e.Type().IsRegular() && !strings.HasPrefix(at, dir+string(filepath.Separator)) {
				t.Errorf("%q wrote %s", path, at)
			}
			return nil
		})
	})
}

func TestLongLinesAreRefused(t *testing.T) {
	u, _ := hearing(t, t.TempDir(), mayRead)
	piece := []byte(strings.Repeat("x", 1<<20))
	var err error
	for n := 0; err == nil; n++ {
		if err = u.conn.consumeOutput(piece); n > stream.LongestLine>>20 {
			t.Fatal("a line of any length is taken")
		}
	}
	if !strings.Contains(err.Error(), "a line of more than 64 MiB") {
		t.Error(err)
	}
}

func TestTooManyRequests(t *testing.T) {
	u, _ := hearing(t, t.TempDir(), mayRead)
	block := make(chan struct{})
	u.conn.requested = func(context.Context, string, json.RawMessage) (any, *rpcError) { <-block; return nil, nil }
	var err error
	for range mostRequests + 1 {
		if err = u.conn.consumeOutput([]byte(`{"jsonrpc":"2.0","id":1,"method":"x"}` + "\n")); err != nil {
			break
		}
	}
	close(block)
	u.conn.stopAndWait()
	if err == nil || !strings.Contains(err.Error(), "more than 256 requests at once") {
		t.Error(err)
	}
}

func TestTokens(t *testing.T) {
	for _, test := range []struct {
		u       usage
		in, out int64
	}{
		{usage{Input: 10, Output: 5}, 10, 5},
		{usage{Input: 10, Output: 5, Total: 15}, 10, 5},
		{usage{Input: 10, Output: 5, CachedRead: 100, CachedWrite: 7, Total: 122}, 117, 5},
		{usage{Input: 110, Output: 5, CachedRead: 100, Total: 115}, 110, 5},
		{usage{Input: 10, Output: 5, Thought: 3, Total: 18}, 10, 8},
		{usage{Input: 10, Output: 5, Thought: 3, CachedRead: 2, Total: 20}, 12, 8},
		{usage{Input: 10, Output: 8, Thought: 3, Total: 18}, 10, 8},
		{usage{Input: -1, Output: 8}, 0, 0},
	} {
		u, _ := hearing(t, t.TempDir(), mayRead)
		u.countTokens(&test.u)
		if m := u.costSoFar(); m.InputTokens != test.in || m.OutputTokens != test.out {
			t.Errorf("%+v: %d in and %d out", test.u, m.InputTokens, m.OutputTokens)
		}
	}
}

// answering is a program that answers a request and ends at once.
type answering struct {
	conn *connection
	end  context.CancelFunc
}

func (a *answering) Write(request []byte) (int, error) {
	var m message
	if err := json.Unmarshal(request, &m); err != nil {
		return 0, err
	}
	err := a.conn.consumeOutput([]byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"sessionId":"x"}}` + "\n"))
	a.end()
	return len(request), err
}

func TestAnAnswerCountsBeforeTheEnd(t *testing.T) {
	for range 50 {
		gone, end := context.WithCancel(context.Background())
		c := newConnection(nil)
		c.setWriter(gone, &answering{c, end})
		if s, err := callMethod[session](t.Context(), c, "session/new", nil); err != nil || s.ID != "x" {
			t.Fatalf("got %+v %v", s, err)
		}
		if _, err := callMethod[session](t.Context(), c, "session/new", make(chan int)); err == nil || errors.Is(err, errGone) {
			t.Fatalf("what cannot be written: %v", err)
		}
	}
}
