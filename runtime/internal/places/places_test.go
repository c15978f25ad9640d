package places_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/places"
)

// TestMain is the other process of the tests if it gets a folder: for each line of its input it
// takes a place, and says so; at the end of its input it keeps them.
func TestMain(m *testing.M) {
	folder := os.Getenv("PLACES_TEST_FOLDER")
	if folder == "" {
		os.Exit(m.Run())
	}
	q := places.InFolder(folder, time.Millisecond)
	lines := bufio.NewScanner(os.Stdin)
	var leaves []func()
	for lines.Scan() {
		if lines.Text() == "leave" {
			leaves[0]()
			leaves = leaves[1:]
			fmt.Println("left")
			continue
		}
		leave, err := q.Take(context.Background(), "claude", 2, func() { fmt.Println("waiting") })
		if err != nil {
			panic(err)
		}
		leaves = append(leaves, leave)
		fmt.Println("taken")
	}
	select {}
}

// other is another process.
type other struct {
	t   *testing.T
	cmd *exec.Cmd
	in  interface{ WriteString(string) (int, error) }
	out *bufio.Reader
}

func startOther(t *testing.T, folder string) *other {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PLACES_TEST_FOLDER="+folder)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return &other{t, cmd, in.(interface{ WriteString(string) (int, error) }), bufio.NewReader(out)}
}

// say sends a line, and expect reads one.
func (o *other) say(line string) {
	o.t.Helper()
	if _, err := o.in.WriteString(line + "\n"); err != nil {
		o.t.Fatal(err)
	}
}

func (o *other) expect(want string) {
	o.t.Helper()
	if got, err := o.out.ReadString('\n'); err != nil || got != want+"\n" {
		o.t.Fatalf("got %q %v, want %q", got, err, want)
	}
}

// Two processes share the places, first come first served, and those of a killed process are free.
func TestTwoProcesses(t *testing.T) {
	folder := t.TempDir()
	a, b := startOther(t, folder), startOther(t, folder)
	a.say("take")
	a.expect("taken")
	b.say("take")
	b.expect("taken")
	// a is third, this process fourth, b fifth.
	a.say("take")
	a.expect("waiting")
	q := places.InFolder(folder, time.Millisecond)
	waits, got := make(chan bool, 1), make(chan func(), 1)
	go func() {
		leave, err := q.Take(context.Background(), "claude", 2, func() { waits <- true })
		if err != nil {
			t.Error(err)
		}
		got <- leave
	}()
	<-waits
	b.say("take")
	b.expect("waiting")
	// b, which waits itself, dies with its place: a gets it.
	if err := b.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	a.expect("taken")
	select {
	case <-got:
		t.Fatal("a place too many")
	default:
	}
	a.say("leave")
	a.expect("left")
	(<-got)()
	left, err := filepath.Glob(filepath.Join(folder, "claude", "[0-9]*"))
	if err != nil || len(left) > 2 {
		t.Errorf("left: %v %v", left, err)
	}
}

// Many turns of two queues, which stand for processes, get one place one after another, in the
// order of their asking.
func TestFairness(t *testing.T) {
	folder := t.TempDir()
	queues := []*places.Queue{places.InFolder(folder, time.Millisecond), places.InFolder(folder, time.Millisecond)}
	first, err := queues[0].Take(t.Context(), "claude", 1, func() { t.Error("waits") })
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var order []int
	var wait sync.WaitGroup
	for i := range 40 {
		waits := make(chan bool)
		wait.Go(func() {
			leave, err := queues[i%2].Take(t.Context(), "claude", 1, func() { close(waits) })
			if err != nil {
				t.Error(err)
				return
			}
			defer leave()
			if !mu.TryLock() {
				t.Error("two have the place")
				return
			}
			defer mu.Unlock()
			order = append(order, i)
		})
		<-waits
	}
	first()
	wait.Wait()
	if !slices.IsSorted(order) || len(order) != 40 {
		t.Errorf("%v", order)
	}
}

// A turn that stops waiting leaves the line, and a folder that cannot be used is an error.
func TestTakeEnds(t *testing.T) {
	folder := t.TempDir()
	q := places.InFolder(folder, time.Millisecond)
	leave, err := q.Take(t.Context(), "a/b ../c", 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := q.Take(ctx, "a/b ../c", 1, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	leave()
	leave()
	again, err := q.Take(t.Context(), "a/b ../c", 1, func() { t.Error("waits") })
	if err != nil {
		t.Fatal(err)
	}
	again()
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("%v %v", entries, err)
	}
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := places.InFolder(file, time.Millisecond).Take(t.Context(), "a", 1, func() {}); err == nil || !strings.Contains(err.Error(), "file") {
		t.Errorf("%v", err)
	}
}

// Fifty waits for the same reset end one after another, in the order in which they began, within a
// minute; those for another reset don't mind them.
func TestDelay(t *testing.T) {
	folder := t.TempDir()
	queues := []*places.Queue{places.InFolder(folder, time.Second), places.InFolder(folder, time.Second)}
	reset := time.Now().Add(time.Hour)
	var ends []time.Duration
	for i := range 50 {
		// The service says the reset as a span, so it differs by parts of a second.
		at := reset.Add(time.Duration(i*37%400) * time.Millisecond)
		ends = append(ends, at.Add(queues[i%2].Delay(t.Context(), "claude", at)).Sub(reset))
	}
	if !slices.IsSorted(ends) || ends[0] < time.Second || ends[49] > time.Minute {
		t.Errorf("%v", ends)
	}
	for i := 1; i < 50; i++ {
		if gap := ends[i] - ends[i-1]; gap < time.Second {
			t.Errorf("wait %d ends %v after the one before", i, gap)
		}
	}
	for range 50 {
		if d := queues[0].Delay(t.Context(), "claude", reset); d > time.Minute {
			t.Errorf("%v", d)
		}
	}
	if d := queues[0].Delay(t.Context(), "claude", reset.Add(time.Hour)); d != time.Second {
		t.Errorf("%v", d)
	}
	if d := queues[0].Delay(t.Context(), "codex", reset); d != time.Second {
		t.Errorf("%v", d)
	}
}
