package stepkey_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

func TestNodeOf(t *testing.T) {
	nodes := []flow.NodeInfo{{Key: "a/b"}, {Key: "a"}, {Key: "fix"}, {Key: "fix#2"}}
	for step, want := range map[string]string{
		"a": "a", "a/b": "a/b", "a/b#1": "a/b", "a/rework#1": "a", "ab": "", "fix": "fix", "fix#1/until": "fix",
		"fix#2": "fix#2", "fix#2/gate": "fix#2", "fix#21": "fix", "fixes": "", "items[2]": "",
	} {
		n, ok := stepkey.NodeOf(nodes, step)
		if n.Key != want || ok != (want != "") {
			t.Errorf("step %s is of node %q, %v; want %q", step, n.Key, ok, want)
		}
	}
}

func TestStaticKeys(t *testing.T) {
	for key, want := range map[string]string{
		"a": "a", "a.b": "a.b", "fix#2": "fix#2", "fix#2/until": "fix#2/until", "fix#2.test": "fix.test", "fix#12.polish#3.rub": "fix.polish.rub",
		"each[4].look": "each.look", "fix/attempt2#1.test": "fix.test", "fix#2.test/review#1": "fix.test/review#1",
	} {
		if got := stepkey.Static(key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		step, name string
		want       bool
	}{
		{"fix#2.test", "fix", true}, {"fix#2.test", "fix.test", true}, {"fix#2.test#1", "fix.test", true}, {"fix#2.test#1", "fix#2.test", true},
		{"fix#2.test", "fix#1.test", false}, {"fix#2.test", "test", false}, {"fix#2.tests", "fix.test", false}, {"fix#2", "fix.test", false},
	} {
		if got := stepkey.Matches(c.step, c.name); got != c.want {
			t.Errorf("step %s, name %s: %v", c.step, c.name, got)
		}
	}
}

func TestInside(t *testing.T) {
	nodes := []flow.NodeInfo{{Key: "test", Kind: "bash"}, {Key: "fix", Kind: "loop", Inside: []flow.NodeInfo{
		{Key: "test", Kind: "prompt"}, {Key: "polish", Kind: "loop", Inside: []flow.NodeInfo{{Key: "rub", Kind: "script"}}},
	}}}
	for step, want := range map[string]string{"test": "", "fix": "", "fix#2": "", "fix#2.test": "prompt", "fix#2.polish": "loop", "fix#2.polish#1.rub": "script", "fix#2.test#1": "", "fix#2.none": ""} {
		if n, ok := stepkey.Inside(nodes, step); n.Kind != want || ok != (want != "") {
			t.Errorf("%s is of kind %q, %v", step, n.Kind, ok)
		}
	}
}

func TestWalkSteps(t *testing.T) {
	for key, want := range map[string]bool{"START/begun": true, "END/state": true, "END/state/at": true, "STARTED@1": false, "review@5/state": false} {
		if stepkey.OfWalk(key) != want {
			t.Errorf("%s: %v", key, !want)
		}
	}
}

// The indexes say the same as looking at every node or step.
func TestIndexes(t *testing.T) {
	parts := []string{"a", "fix", "fix#1", "#2", "[3]", "/until", "@1", ".b", "fix/x", ""}
	var keys []string
	for _, a := range parts {
		for _, b := range parts {
			for _, c := range parts {
				if key := a + b + c; !slices.Contains(keys, key) {
					keys = append(keys, key)
				}
			}
		}
	}
	var nodes []flow.NodeInfo
	var steps []flow.Record
	for i, key := range keys {
		if i%3 == 0 {
			nodes = append(nodes, flow.NodeInfo{Key: key, Kind: fmt.Sprint(i)})
		}
		if i%2 == 0 {
			steps = append(steps, flow.Record{Key: key, Meta: flow.Meta{Turns: i}})
		}
	}
	index, known, costs := stepkey.NewNodes(nodes), stepkey.KeysOf(steps), stepkey.CostsOf(steps)
	names := stepkey.NamesOf(func(yield func(string) bool) {
		for _, s := range steps {
			if !yield(s.Key) {
				return
			}
		}
	})
	for _, key := range keys {
		want, wantOK := stepkey.NodeOf(nodes, key)
		if got, ok := index.Of(key); got.Key != want.Key || ok != wantOK {
			t.Errorf("the node of %q is %q, %v; want %q, %v", key, got.Key, ok, want.Key, wantOK)
		}
		outermost, turns, means := key, 0, 0
		for _, s := range steps {
			if stepkey.PartOf(key, s.Key) && len(s.Key) < len(outermost) {
				outermost = s.Key
			}
			if s.Key != key && known[key] && stepkey.PartOf(s.Key, key) {
				turns += s.Meta.Turns
			}
			if stepkey.Matches(s.Key, key) {
				means++
			}
		}
		if known[key] {
			means = 1
		}
		if got := known.Outermost(key); got != outermost {
			t.Errorf("the outermost of %q is %q, want %q", key, got, outermost)
		}
		if got := costs[key].Turns; got != turns {
			t.Errorf("the parts of %q have %d turns, want %d", key, got, turns)
		}
		if got := names.Means(key); got != means {
			t.Errorf("%q means %d steps, want %d", key, got, means)
		}
	}
}
