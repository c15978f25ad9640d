package stepkey_test

import (
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
