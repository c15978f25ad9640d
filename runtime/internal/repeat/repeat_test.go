package repeat_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/repeat"
)

func nodes(list ...string) (nodes []flow.NodeInfo) {
	for _, n := range list {
		key, after, _ := strings.Cut(n, "<")
		nodes = append(nodes, flow.NodeInfo{Key: key, Kind: "bash", After: strings.FieldsFunc(after, func(r rune) bool { return r == '+' })})
	}
	return nodes
}

// steps are completed steps; a part with ~ is one that consists of parts, and ? is a question.
func steps(keys string) (list []flow.Record) {
	for key := range strings.FieldsSeq(keys) {
		r := flow.Record{Kind: "bash", Status: flow.Completed, Attempt: 1, Meta: flow.Meta{CostUSD: 1}}
		if k, ok := strings.CutSuffix(key, "~"); ok {
			key, r.Attempt, r.Meta = k, 0, flow.Meta{}
		}
		if k, ok := strings.CutSuffix(key, "?"); ok {
			key, r.Attempt, r.Question = k, 0, &flow.Question{}
		}
		r.Key = key
		list = append(list, r)
	}
	return list
}

func TestSteps(t *testing.T) {
	group := func() []flow.NodeInfo {
		list := nodes("plan", "fix<plan", "report<fix")
		list[1].Inside = nodes("write", "lint<write", "test<write", "note<test")
		return list
	}()
	fork := nodes("a", "check<a", "both<check", "end<both")
	fork[1].Inside = nodes("lint", "size")
	fork[2].Inside = []flow.NodeInfo{{Key: "both", Inside: nodes("x", "y")}}
	last := nodes("a", "b<a", "tidy")
	last[2].Finally = true
	const iterations = "plan fix~ report fix#1.write fix#1.lint fix#1.test fix#1.note fix#1/gate? fix#2.write fix#2.test fix#2.lint fix#2.note"
	for _, c := range []struct {
		name       string
		nodes      []flow.NodeInfo
		steps      string
		from, want string
	}{
		{"a chain", nodes("a", "b<a", "c<b"), "a b c", "b", "b c"},
		{"a diamond", nodes("a", "b<a", "c<a", "d<b+c", "e"), "a b c d e a/deliver /deliver", "b", "b d /deliver"},
		{"what runs at every end", last, "a b tidy", "b", "b tidy"},
		{"an id that begins another one", nodes("a", "a/b", "c<a"), "a a/b c a#1 a/b#1", "a", "a c a#1"},
		{"an iteration", nodes("fix", "end<fix"), "fix~ end fix#1 fix#1/until fix#1/gate? fix#2 fix#2/until fix#3", "fix#2", "fix~ end fix#2 fix#2/until fix#3"},
		{"the gate of an iteration", nodes("fix"), "fix~ fix#1 fix#1/until fix#1/gate? fix#2", "fix#1/gate", "fix~ fix#1/gate? fix#2"},
		{"an attempt", nodes("fix"), "fix~ fix#1 fix/attempt2 fix/attempt2#1 fix/attempt2#2", "fix/attempt2#2", "fix~ fix/attempt2#2"},
		{"a gate with rework", nodes("a", "gate<a", "b<gate"), "a gate~ b gate#1? gate/rework#1 gate#2?", "gate", "gate~ b gate#1? gate/rework#1 gate#2?"},
		{"the second question of a gate", nodes("a", "gate<a", "b<gate"), "a gate~ b gate#1? gate/rework#1 gate#2?", "gate/rework#1", "gate~ b gate/rework#1 gate#2?"},
		{"a review", nodes("plan"), "plan~ plan/make1 plan/review#1? plan/make2 plan/review#2?", "plan/make2", "plan~ plan/make2 plan/review#2?"},
		{"an iteration with nodes", group, iterations, "fix#2", "fix~ report fix#2.write fix#2.test fix#2.lint fix#2.note"},
		{"a node inside an iteration", group, iterations, "fix#1.test", "fix~ report fix#1.test fix#1.note fix#1/gate? fix#2.write fix#2.test fix#2.lint fix#2.note"},
		{"an item", nodes("each", "end<each"), "each~ end each[0] each[1] each[2] each[1]#1", "each[1]", "each~ end each[1] each[1]#1"},
		{"a branch", fork, "a check~ both~ end check/lint check/size both[0]~ both[0]/x both[0]/y both[1]~", "check/lint", "check~ both~ end check/lint both[0]~ both[0]/x both[0]/y both[1]~"},
		{"a branch of an item", fork, "a check~ both~ end both[0]~ both[0]/x both[0]/y both[1]~ both[1]/x both[1]/y", "both[0]/y", "both~ end both[0]~ both[0]/y"},
	} {
		t.Run(c.name, func(t *testing.T) {
			def := &flow.Definition{Nodes: c.nodes}
			all := steps(c.steps)
			chosen, err := repeat.Steps(def, all, c.from)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.NewReplacer("~", "", "?", "").Replace(c.want)
			if got := keysOf(chosen); got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
			for _, p := range repeat.Points(def, all) {
				if _, err := repeat.Steps(def, all, p.Key); err != nil {
					t.Errorf("the point %s: %v", p.Key, err)
				}
			}
		})
	}
}

func keysOf(list []flow.Record) string {
	var keys []string
	for _, r := range list {
		keys = append(keys, r.Key)
	}
	return strings.Join(keys, " ")
}

// walk is a state graph: a, then b with its branches c and d, then a again.
func walk() (*flow.Definition, []flow.Record) {
	def := &flow.Definition{Graph: &flow.GraphInfo{}, Nodes: nodes("a", "b", "c", "d", "e")}
	def.Nodes[1].Branches = []string{"c", "d"}
	return def, steps("a~ b~ c~ d~ e~ START/begun a@1 a@1/state b@2 b@2/state c@3 d@4 a@5#1? a@5/state END/state")
}

func TestVisits(t *testing.T) {
	def, all := walk()
	for from, want := range map[string]string{
		"a@5": "a a@5#1 a@5/state END/state",
		"b":   "a b c d b@2 b@2/state c@3 d@4 a@5#1 a@5/state END/state",
	} {
		chosen, err := repeat.Steps(def, all, from)
		if got := keysOf(chosen); err != nil || got != want {
			t.Errorf("from %s: %s, %v; want %s", from, got, err, want)
		}
		if from == "a@5" {
			if node := repeat.Reset(def, all, chosen)[0]; node.Key != "a" || node.Status != flow.Completed || node.Meta.CostUSD != 2 {
				t.Errorf("the node of an earlier visit: %+v", node)
			}
		}
	}
	var points []string
	for _, p := range repeat.Points(def, all) {
		points = append(points, p.Key)
	}
	if got := strings.Join(points, " "); got != "a@1 b@2 a@5" {
		t.Errorf("points: %s", got)
	}
}

func TestRefusals(t *testing.T) {
	graph, visits := walk()
	chain := &flow.Definition{Nodes: nodes("test", "gate<test", "publish<gate")}
	run := append(steps("test"), flow.Record{Key: "gate", Status: flow.Skipped}, flow.Record{Key: "publish", Status: flow.Pending})
	for _, c := range []struct {
		def        *flow.Definition
		steps      []flow.Record
		from, want string
	}{
		{chain, run, "tset", "unknown step `tset`; did you mean `test`?"},
		{chain, run, "gate", "`gate` has not run in this run: it is skipped, so there is nothing to repeat"},
		{chain, run, "publish", "`publish` has not run in this run: it is pending"},
		{chain, steps("test gone"), "gone", "step `gone` belongs to no node of this version of the workflow"},
		{&flow.Definition{}, steps("test"), "test", "the steps that depend on `test` are unknown, because the definition of the workflow declares no `Nodes`: add them"},
		{graph, visits, "a", "node `a` ran 2 times: use one of `a@1`, `a@5`"},
		{graph, visits, "c", "`c` runs as a branch of `b`: repeat that node"},
		{graph, visits, "c@3", "`c` runs as a branch of `b`: repeat that node"},
		{graph, visits, "e", "`e` has not run"},
		{graph, visits, "END/state", "unknown step `END/state`"},
	} {
		if c.from == "e" {
			c.steps = append([]flow.Record{{Key: "e", Status: flow.Pending}}, c.steps...)
		}
		_, err := repeat.Steps(c.def, c.steps, c.from)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.from, err, c.want)
		}
	}
}
