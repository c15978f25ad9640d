package runfile_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/pgtest"
	"github.com/wfc-lang/wfc/runtime/internal/runfile"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/internal/trace"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

var begin = time.Date(2026, 5, 31, 9, 0, 0, 123456789, time.UTC)

const (
	rootID  = "ship-000001"
	childID = "ship-000001--publish"
)

// fill puts a run with a child, a closed and an open question, costs and bytes that are no
// text into a store, by the way that an engine takes.
func fill(t *testing.T, s store.Store) {
	t.Helper()
	hold(t, s, rootID)
	question := func(key string) *flow.Question {
		return &flow.Question{Key: key, Message: "Ship\x1b?", Choices: []string{"yes", "no"}}
	}
	root := store.Run{
		RunInfo: flow.RunInfo{ID: rootID, Workflow: "ship", Fingerprint: "f1", Inputs: json.RawMessage(`{"a":"<&>"}`), WorkDir: "/elsewhere", DocsDir: "docs/"},
		Status:  flow.Paused, Created: begin, Started: begin, Processes: 2, Settings: json.RawMessage(`{"max_parallel":3}`),
	}
	steps := []flow.Record{
		{Key: "build", Kind: "bash", Status: flow.Failed, Text: "a\xff\x00b", Failure: &flow.Failure{Message: "no", ExitCode: 3, RetryAfter: time.Second}, Attempt: 2, Started: begin, Finished: begin.Add(time.Second)},
		{Key: "gate#1", Kind: "question", Status: flow.Waiting, Question: question("gate#1"), Started: begin},
		{Key: "gate#2", Kind: "question", Status: flow.Waiting, Question: question("gate#2"), Started: begin, Deadline: begin.Add(time.Hour)},
		{Key: "later", Kind: "bash", Status: flow.Pending},
	}
	if err := s.CreateRun(t.Context(), root, steps); err != nil {
		t.Fatal(err)
	}
	if err := s.Answer(t.Context(), rootID, store.Answer{Key: "gate#1", Choice: "yes", Text: "go", By: "ann", From: "here", Given: begin.Add(time.Minute)}); err != nil {
		t.Fatal(err)
	}
	steps[1].Status, steps[1].Finished, steps[1].Text = flow.Completed, begin.Add(2*time.Minute), "go"
	err := s.Commit(t.Context(), rootID, flow.Batch{
		Steps:    steps[1:2],
		Events:   []flow.Event{{Time: begin, Type: "step_retrying", Key: "build", Message: "again"}, {Time: begin, Type: "warning", Message: "careful"}},
		Spending: []flow.Spending{{Key: "build", Node: "build", Attempt: 1, Project: "p", Workflow: "ship", Agent: "claude", Model: "m", Time: begin, State: "settled", Micros: 250_000, Priced: true, Input: 7}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if box, ok := s.(runstore.Mailbox); ok {
		given := begin.Add(time.Minute)
		_, err := box.AddMessages(t.Context(), []runstore.Message{{Box: runstore.BoxApproval, RunID: rootID, Message: flow.Message{
			Key: "h vote ann", Workflow: "ship", Event: "h", Body: json.RawMessage(`{"key":"gate#2","choice":"yes","by":"ann","from":"here"}`), Created: given, Due: given,
		}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	child := store.Run{
		RunInfo: flow.RunInfo{ID: childID, Workflow: "publish", Fingerprint: "f2"}, Status: flow.Completed, Created: begin.Add(time.Second), Finished: begin.Add(time.Minute),
		Settings: json.RawMessage(`{"parent":{"run":"ship-000001","step":"publish"}}`), Outputs: json.RawMessage(`[1]`),
	}
	hold(t, s, childID)
	if err := s.CreateRun(t.Context(), child, nil); err != nil {
		t.Fatal(err)
	}
}

// hold takes the lease on a run of a shared store for the rest of the test.
func hold(t *testing.T, s store.Store, id string) {
	t.Helper()
	if shared, ok := s.(runstore.Store); ok {
		l, err := shared.Lease(t.Context(), id, "test")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(l.Release)
	}
}

// stores returns a store of each kind.
func stores(t *testing.T) map[string]store.Store {
	t.Helper()
	sqlite, err := entstore.OpenState(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sqlite.Close() })
	all := map[string]store.Store{"memory": memory.New(), "sqlite": sqlite}
	if server == nil {
		t.Logf("without PostgreSQL: %v", pgtest.ErrNone)
		return all
	}
	pg, err := postgres.OpenURL(context.Background(), server.Schema(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pg.Close() })
	all["postgres"] = pg
	return all
}

// server is the PostgreSQL server of the tests; nil where there is none.
var server *pgtest.Server

func TestMain(m *testing.M) {
	var err error
	if server, err = pgtest.Start(); err != nil && !errors.Is(err, pgtest.ErrNone) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if server != nil {
		server.Stop()
	}
	os.Exit(code)
}

// export returns the file of the run in a store.
func export(t *testing.T, s store.Store, files string) []byte {
	t.Helper()
	journals, err := trace.Load(t.Context(), s, rootID)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := runfile.Write(&b, journals, func(id string) string { return filepath.Join(files, id) }, begin); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A run wanders through all kinds of stores and back: its last file is its first one.
func TestBetweenStores(t *testing.T) {
	files := t.TempDir()
	for name, content := range map[string]string{"log.jsonl": "{}\n", "payload.json": "1", "artifacts/a/b.bin": "\x00\x01", "lease": "mine", "executable": "ELF"} {
		path := filepath.Join(files, rootID, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, from := range stores(t) {
		fill(t, from)
		first := export(t, from, files)
		for other, to := range stores(t) {
			into := t.TempDir()
			archive, err := runfile.Read(bytes.NewReader(first), into)
			if err != nil {
				t.Fatal(err)
			}
			for i := range archive.Journals {
				hold(t, to, archive.Journals[i].Run.ID)
				if err := runfile.Store(t.Context(), to, &archive.Journals[i]); err != nil {
					t.Fatalf("%s to %s: %v", name, other, err)
				}
			}
			got, want := members(t, export(t, to, into)), members(t, first)
			for _, m := range want {
				if i := slices.IndexFunc(got, func(g member) bool { return g.name == m.name }); i < 0 || !reflect.DeepEqual(got[i], m) {
					t.Errorf("%s to %s: %s\n got  %s\n want %s", name, other, m.name, get(got, i).content, m.content)
				}
			}
			if len(got) != len(want) || get(got, 7).name != "runs/ship-000001/files/artifacts/a/b.bin" || slices.ContainsFunc(got, func(m member) bool { return strings.HasSuffix(m.name, "lease") }) {
				t.Errorf("%s to %s: %d members, want %d; %s", name, other, len(got), len(want), get(got, 7).name)
			}
			if err := runfile.Store(t.Context(), to, &archive.Journals[0]); !errors.Is(err, store.ErrExists) {
				t.Errorf("a second import: %v", err)
			}
			wantUncounted(t, to)
		}
	}
}

// wantUncounted checks that the place that took over the run counts none of its earlier turns.
func wantUncounted(t *testing.T, s store.Store) {
	t.Helper()
	ledger := s.(spending.Ledger)
	if rows, err := ledger.Spending(t.Context(), spending.Filter{}); err != nil || len(rows) > 0 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if index, ok := s.(runstore.Index); ok {
		if sums, err := index.TotalSpending(t.Context(), "", time.Time{}, time.Time{}); err != nil || len(sums) > 0 {
			t.Errorf("%v, %v", sums, err)
		}
	}
	r, err := ledger.Reserve(t.Context(), spending.Request{
		Row:     spending.Row{RunID: rootID, Key: "later", Attempt: 1, Project: "p", Workflow: "ship", Time: begin.Add(time.Hour), Micros: 250_000},
		Budgets: []spending.Budget{{Window: spending.Day, Micros: 250_000}},
	})
	if err != nil || r.Refused != nil {
		t.Errorf("%+v, %v", r.Refused, err)
	}
}

type member struct {
	name, content, link string
	kind                byte
}

func get(list []member, i int) member {
	if i < 0 || i >= len(list) {
		return member{}
	}
	return list[i]
}

// members unpacks a file.
func members(t *testing.T, file []byte) (list []member) {
	t.Helper()
	packed, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		content, err2 := io.ReadAll(r)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		list = append(list, member{h.Name, string(content), h.Linkname, h.Typeflag})
	}
}

// pack packs members, with sums that are right unless the last member has some.
func pack(t *testing.T, list []member) []byte {
	t.Helper()
	var b bytes.Buffer
	packed := gzip.NewWriter(&b)
	w := tar.NewWriter(packed)
	sums := map[string]string{}
	for _, m := range list {
		if m.name == "sums.json" && m.content == "" {
			text, _ := json.Marshal(sums)
			m.content = string(text)
		}
		sum := sha256.Sum256([]byte(m.content))
		sums[m.name] = hex.EncodeToString(sum[:])
		h := &tar.Header{Name: m.name, Typeflag: m.kind, Linkname: m.link, Mode: 0o777, Size: int64(len(m.content))}
		if m.kind != tar.TypeReg {
			h.Size = 0
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, m.content[:h.Size]); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), packed.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Damaged and hostile files are refused, and write nothing outside of their folder.
func TestHostile(t *testing.T) {
	s := memory.New()
	fill(t, s)
	good := export(t, s, t.TempDir())
	plain := func() []member {
		list := members(t, good)
		list[len(list)-1].content = "" // pack sums it
		return list
	}
	add := func(m member) []byte {
		return pack(t, slices.Insert(plain(), 2, m))
	}
	replace := func(name, old, text string) []byte {
		list := plain()
		i := slices.IndexFunc(list, func(m member) bool { return m.name == name })
		list[i].content = strings.ReplaceAll(list[i].content, old, text)
		return pack(t, list)
	}
	reg := func(name string) member { return member{name: name, content: "x", kind: tar.TypeReg} }
	files := "runs/ship-000001/files/"
	flipped := slices.Clone(good)
	flipped[len(flipped)/2] ^= 1
	bad := members(t, good)
	bad[len(bad)-1].content = strings.Replace(bad[len(bad)-1].content, `":"`, `":"0`, 1)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"nothing":             {nil, "gzip"},
		"text":                {[]byte("hello"), "gzip"},
		"cut off":             {good[:len(good)*2/3], "damaged"},
		"a flipped bit":       {flipped, "damaged"},
		"wrong sums":          {pack(t, bad), "sums"},
		"trailing data":       {append(slices.Clone(good), good...), "follows"},
		"a path up":           {add(reg(files + "artifacts/../../../../evil")), "safe name"},
		"an absolute path":    {add(reg("/tmp/evil")), "safe name"},
		"a backslash":         {add(reg(files + `artifacts/..\..\evil`)), "safe name"},
		"a drive":             {add(reg(files + "artifacts/c:evil")), "safe name"},
		"a link":              {add(member{name: files + "artifacts/l", link: "/etc/passwd", kind: tar.TypeSymlink}), "regular file"},
		"a hard link":         {add(member{name: files + "artifacts/l", link: "/etc/passwd", kind: tar.TypeLink}), "regular file"},
		"a device":            {add(member{name: files + "artifacts/l", kind: tar.TypeChar}), "regular file"},
		"a member twice":      {add(reg("runs/ship-000001/run.json")), "damaged"},
		"the program":         {add(reg(files + "executable")), "nobody knows"},
		"a lease":             {add(reg(files + "lease")), "nobody knows"},
		"another run":         {add(reg("runs/other/run.json")), "belongs to no run"},
		"a newer format":      {replace("wfc-run.json", `"wfc_run":1`, `"wfc_run":2`), "newer wfc"},
		"an id with a path":   {replace("wfc-run.json", childID, "../x"), "not the id"},
		"another fingerprint": {replace("runs/ship-000001/run.json", `"f1"`, `"f9"`), "not whole"},
		"a foreign child":     {replace("runs/"+childID+"/run.json", `"run":"ship-000001"`, `"run":"other"`), "does not belong"},
		"no steps":            {pack(t, slices.DeleteFunc(plain(), func(m member) bool { return m.name == "runs/ship-000001/steps.jsonl" })), "not whole"},
		"no JSON":             {replace("runs/ship-000001/steps.jsonl", `{"key"`, `{`), "damaged"},
	} {
		above := t.TempDir()
		into := filepath.Join(above, "into")
		if err := os.Mkdir(into, 0o755); err != nil {
			t.Fatal(err)
		}
		_, err := runfile.Read(bytes.NewReader(c.file), into)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if entries, _ := os.ReadDir(above); len(entries) != 1 {
			t.Errorf("%s: wrote %v", name, entries)
		}
	}
	if _, err := runfile.Read(bytes.NewReader(pack(t, plain())), t.TempDir()); err != nil {
		t.Errorf("the unchanged file: %v", err)
	}
}
