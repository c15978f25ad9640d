package claim_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/claim"
	"github.com/wfc-lang/wfc/runtime/internal/pgtest"
)

// server is the PostgreSQL server of all tests; nil if this machine has none.
var server *pgtest.Server

func TestMain(m *testing.M) {
	flag.Parse()
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

// kinds are the kinds of stores: for each a function that opens stores at one new place.
var kinds = map[string]func(t *testing.T) *place{
	"folder": func(t *testing.T) *place {
		dir := t.TempDir()
		return &place{at: dir, age: func(t *testing.T, sum string, by time.Duration) {
			t.Helper()
			files, err := filepath.Glob(filepath.Join(dir, "*", "values", "*", sum))
			if err != nil || len(files) != 1 {
				t.Fatalf("%v %v", files, err)
			}
			then := time.Now().Add(-by)
			if err := os.Chtimes(files[0], then, then); err != nil {
				t.Fatal(err)
			}
		}}
	},
	"PostgreSQL": func(t *testing.T) *place {
		if server == nil {
			t.Skip(pgtest.ErrNone)
		}
		url := server.Schema(t)
		_, schema, _ := strings.Cut(url, "search_path=")
		return &place{at: url, age: func(t *testing.T, sum string, by time.Duration) {
			t.Helper()
			server.Exec(t, "UPDATE "+schema+".workflow_blobs SET used = clock_timestamp() - $1 * interval '1 second' WHERE sum = $2", by.Seconds(), sum)
		}}
	},
}

// place is the place of a store.
type place struct {
	at string
	// age makes the last use of a blob so long ago.
	age func(t *testing.T, sum string, by time.Duration)
}

func (p *place) open(t *testing.T, namespace string) claim.Store {
	t.Helper()
	s, _, err := claim.Open(t.Context(), p.at, namespace)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// put stores a blob and returns its sum.
func put(t *testing.T, s claim.Store, blob []byte) string {
	t.Helper()
	sum := sha256.Sum256(blob)
	name := hex.EncodeToString(sum[:])
	if err := s.Put(name, blob); err != nil {
		t.Fatal(err)
	}
	return name
}

func has(t *testing.T, s claim.Store, sum string) bool {
	t.Helper()
	_, err := s.Get(sum)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

func TestStores(t *testing.T) {
	for kind, make := range kinds {
		t.Run(kind, func(t *testing.T) {
			p := make(t)
			one, two, other := p.open(t, "default"), p.open(t, "default"), p.open(t, "a/b")
			for _, blob := range [][]byte{{}, []byte("a\x00b\xff"), bytes.Repeat([]byte("0123456789abcdef"), 1<<18)} {
				sum := put(t, one, blob)
				put(t, two, blob) // the same once more
				back, err := two.Get(sum)
				if err != nil || !bytes.Equal(back, blob) {
					t.Errorf("%d of %d bytes came back: %v", len(back), len(blob), err)
				}
				if has(t, other, sum) {
					t.Error("another namespace has the value")
				}
			}
		})
	}
}

// Several processes put and get the same blobs at once.
func TestConcurrentStores(t *testing.T) {
	for kind, make := range kinds {
		t.Run(kind, func(t *testing.T) {
			p := make(t)
			var wait sync.WaitGroup
			for range 4 {
				s := p.open(t, "default")
				wait.Go(func() {
					for i := range 20 {
						blob := bytes.Repeat([]byte{byte(i)}, 20<<10)
						sum := sha256.Sum256(blob)
						name := hex.EncodeToString(sum[:])
						if err := s.Put(name, blob); err != nil {
							t.Error(err)
						} else if back, err := s.Get(name); err != nil || !bytes.Equal(back, blob) {
							t.Errorf("%d bytes: %v", len(back), err)
						}
					}
				})
			}
			wait.Wait()
		})
	}
}

// Prune removes the blobs that nobody has used since a time. Getting or putting a blob is a
// use.
func TestPrune(t *testing.T) {
	const day = 24 * time.Hour
	for kind, make := range kinds {
		t.Run(kind, func(t *testing.T) {
			p := make(t)
			s, other := p.open(t, "default"), p.open(t, "other")
			old, kept, got, again, fresh := put(t, s, []byte("old")), put(t, s, []byte("kept")), put(t, s, []byte("got")), put(t, s, []byte("again")), put(t, s, []byte("fresh"))
			foreign := put(t, other, []byte("foreign"))
			for _, sum := range []string{old, kept, got, again, foreign} {
				p.age(t, sum, 10*day)
			}
			has(t, s, got)
			put(t, s, []byte("again"))
			prune := func(dry bool) claim.Pruned {
				t.Helper()
				pruned, err := s.Prune(t.Context(), time.Now().Add(-2*day), map[string]bool{kept: true}, dry)
				if err != nil {
					t.Fatal(err)
				}
				return pruned
			}
			want := claim.Pruned{Blobs: 1, Bytes: int64(len("old"))}
			if p := prune(true); p != want {
				t.Errorf("a dry run counts %+v", p)
			}
			if p := prune(false); p != want {
				t.Errorf("removed %+v", p)
			}
			if p := prune(false); p.Blobs != 0 {
				t.Errorf("removed again: %+v", p)
			}
			for _, tt := range []struct {
				name  string
				store claim.Store
				sum   string
				want  bool
			}{{"old", s, old, false}, {"kept", s, kept, true}, {"got", s, got, true}, {"again", s, again, true}, {"fresh", s, fresh, true}, {"foreign", other, foreign, true}} {
				if has(t, tt.store, tt.sum) != tt.want {
					t.Errorf("%s: stored %t", tt.name, !tt.want)
				}
			}
			put(t, s, []byte("old")) // it can be stored again
		})
	}
}

// Blobs are put while others are pruned: whoever has put one, finds it.
func TestPruneWhilePutting(t *testing.T) {
	for kind, make := range kinds {
		t.Run(kind, func(t *testing.T) {
			p := make(t)
			s := p.open(t, "default")
			for i := range 30 {
				blob := fmt.Appendf(nil, "blob %d", i)
				sum := put(t, s, blob)
				p.age(t, sum, 48*time.Hour)
				var wait sync.WaitGroup
				wait.Go(func() {
					if _, err := s.Prune(t.Context(), time.Now().Add(-24*time.Hour), nil, false); err != nil {
						t.Error(err)
					}
				})
				if err := s.Put(sum, blob); err != nil {
					t.Error(err)
				}
				wait.Wait()
				if !has(t, s, sum) {
					t.Fatal("a blob that was put is gone")
				}
			}
		})
	}
}

// A blob of which a crash has left a half is put whole.
func TestPutRepairs(t *testing.T) {
	dir := t.TempDir()
	s := claim.Folder(dir)
	blob := []byte("a whole blob")
	sum := put(t, s, blob)
	file := blobs(t, dir)[0]
	if err := os.WriteFile(file, blob[:5], 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, s, blob)
	if back, err := s.Get(sum); err != nil || !bytes.Equal(back, blob) {
		t.Errorf("%q, %v", back, err)
	}
	if files := blobs(t, dir); len(files) != 1 {
		t.Errorf("the folder has %v", files)
	}
}

// The rest of an interrupted Put is removed, but is not counted as a blob.
func TestPruneRests(t *testing.T) {
	dir := t.TempDir()
	s := claim.Folder(dir)
	sum := put(t, s, []byte("blob"))
	rest := filepath.Join(dir, "values", sum[:2], ".new-1")
	if err := os.WriteFile(rest, []byte("blo"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := s.Prune(t.Context(), time.Now().Add(time.Hour), map[string]bool{sum: true}, false)
	if _, gone := os.Stat(rest); err != nil || p.Blobs != 0 || !errors.Is(gone, fs.ErrNotExist) {
		t.Errorf("%+v %v %v", p, err, gone)
	}
}

func TestOpenErrors(t *testing.T) {
	for _, tt := range []struct{ place, namespace, want string }{
		{"s3://bucket/x", "default", "unknown kind of store s3://"},
		{"postgres://ann:12/34@host/name", "default", "the database's URL cannot be read"},
		{t.TempDir(), "..", "cannot be the name of a folder"},
	} {
		_, _, err := claim.Open(t.Context(), tt.place, tt.namespace)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "12/34") {
			t.Errorf("%s: %v", tt.place, err)
		}
	}
	if s, folder, err := claim.Open(t.Context(), "", "default"); s != nil || folder != "" || err != nil {
		t.Errorf("%v %q %v", s, folder, err)
	}
}

// A server that restarts is waited for, and no error shows the password.
func TestDatabaseRestarts(t *testing.T) {
	if server == nil {
		t.Skip(pgtest.ErrNone)
	}
	p := kinds["PostgreSQL"](t)
	s := p.open(t, "default")
	sum := put(t, s, []byte("blob"))
	server.Kill()
	done := make(chan error, 1)
	go func() { done <- s.Put(sum, []byte("blob")) }()
	if err := server.Run(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if back, err := s.Get(sum); err != nil || string(back) != "blob" {
		t.Errorf("%q %v", back, err)
	}
	_, _, err := claim.Open(t.Context(), strings.Replace(p.at, "/postgres?", "/missing?", 1), "default")
	if err == nil || strings.Contains(err.Error(), "p@ss") || strings.Contains(err.Error(), "p%40ss") {
		t.Errorf("%v", err)
	}
}
