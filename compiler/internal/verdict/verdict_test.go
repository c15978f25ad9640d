package verdict_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wfc-lang/wfc/compiler/internal/verdict"
)

// An interpreter finds that programs have an even length, and counts its starts.
type interpreter struct {
	mu     sync.Mutex
	asked  [][]string
	absent bool
}

func (i *interpreter) ask(programs []string) ([]bool, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked = append(i.asked, programs)
	var list []bool
	for _, p := range programs {
		list = append(list, len(p)%2 == 0)
	}
	return list, !i.absent
}

func TestOfAsksOnlyAboutNewPrograms(t *testing.T) {
	c := verdict.New[bool](3)
	var python interpreter
	for _, step := range []struct {
		name     string
		by       string
		programs []string
		want     []bool
		asked    string
	}{
		{"all are new", "python", []string{"a", "bb"}, []bool{false, true}, "a bb"},
		{"all are kept", "python", []string{"bb", "a"}, []bool{true, false}, ""},
		{"one is new", "python", []string{"a", "ccc", "bb"}, []bool{false, false, true}, "ccc"},
		{"none", "python", nil, []bool{}, ""},
		{"another interpreter drops the oldest", "python3.9", []string{"a"}, []bool{false}, "a"},
		{"the newest are kept", "python", []string{"bb", "ccc"}, []bool{true, false}, ""},
		{"the oldest is asked about again", "python", []string{"a"}, []bool{false}, "a"},
		{"more programs than the limit", "python", []string{"1", "22", "333", "4444"}, []bool{false, true, false, true}, "1 22 333 4444"},
	} {
		python.asked = nil
		got, ok := c.Of(step.by, step.programs, python.ask)
		if !ok || !slices.Equal(got, step.want) {
			t.Errorf("%s: verdicts %v, %v; want %v", step.name, got, ok, step.want)
		}
		var asked []string
		for _, list := range python.asked {
			asked = append(asked, strings.Join(list, " "))
		}
		if strings.Join(asked, "|") != step.asked {
			t.Errorf("%s: asked about %q, want %q", step.name, asked, step.asked)
		}
	}
}

func TestOfKeepsNothingOfAnAbsentInterpreter(t *testing.T) {
	c := verdict.New[bool](3)
	python := interpreter{absent: true}
	if got, ok := c.Of("python", []string{"a"}, python.ask); ok || got != nil {
		t.Errorf("an absent interpreter has verdicts %v", got)
	}
	python.absent = false
	if _, ok := c.Of("python", []string{"a"}, python.ask); !ok || len(python.asked) != 2 {
		t.Errorf("asked %d times, want 2", len(python.asked))
	}
}

func TestOfIsSafeForConcurrentUse(t *testing.T) {
	c := verdict.New[bool](5)
	var python interpreter
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 100 {
				p := strings.Repeat("x", (n+i)%9)
				if got, ok := c.Of("python", []string{p}, python.ask); !ok || got[0] != (len(p)%2 == 0) {
					panic(fmt.Sprintf("verdict about %q: %v, %v", p, got, ok))
				}
			}
		})
	}
	all.Wait()
}
