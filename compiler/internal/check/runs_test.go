package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/check"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A reader is blamed exactly if some outputs of the nodes let it reach a field of a node
// whose condition, or that of a node before it, skipped it; and a value that the check
// calls present is there in every run. Every run of a drawn workflow is tried.
//
// Few readers are blamed needlessly: those that another value fails before, because its
// node fails whenever the node of the field is skipped.
func TestEveryRun(t *testing.T) {
	drawn := 5_000
	if testing.Short() {
		drawn = 500
	}
	rng := rand.New(rand.NewPCG(31, 2))
	blamed, needless, joins := 0, 0, 0
	for range drawn {
		nodes := drawWorkflow(rng)
		p, list := compiled(t, nodes)
		w := &world{nodes: p.Workflow.Body.All(), blamed: map[string]bool{}, runs: map[string]bool{}, alone: map[string]bool{}}
		w.tryAll()
		if w.broken != "" {
			t.Fatalf("%s\n%s", nodes, w.broken)
		}
		for _, d := range list {
			names := strings.Split(d.Message, "`")
			switch {
			case d.Code == codes.MaybeMissing && strings.Contains(d.Message, "was skipped"):
				blamed++
				pair := names[1] + " " + names[3]
				if !w.blamed[pair] {
					needless++
				}
				delete(w.blamed, pair)
			case strings.Contains(d.Message, "unless both"):
				joins++
				x, y := names[3], names[5]
				if !w.alone[x+" "+y] || !w.alone[y+" "+x] {
					t.Fatalf("%s\n%s, but one runs only with the other", nodes, d.Message)
				}
			case d.Code.ID == "WFC400":
				if w.runs[names[1]] {
					t.Fatalf("%s\n%s, but it does", nodes, d.Message)
				}
			}
		}
		for pair := range w.blamed {
			t.Fatalf("%s\nno finding about %s: %v", nodes, pair, list)
		}
	}
	t.Logf("%d findings, %d of them about reads that no run reaches; %d joins", blamed, needless, joins)
	if blamed < drawn/10 || joins < drawn/1000 {
		t.Error("too few findings: the workflows are too simple")
	}
	if needless*50 > blamed && !testing.Short() { // a few workflows show no share
		t.Error("more than two in a hundred are needless")
	}
}

func compiled(t *testing.T, nodes string) (*ir.Program, []*diag.Diagnostic) {
	var before, bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("w.yaml", []byte("name: w\ndescription: d\nnodes:\n"+nodes)), &before)
	p := archon.Frontend{}.Compile(doc, &dialect.Env{Files: testkit.Memory{}}, &before)
	if before.HasErrors() || p == nil {
		t.Fatalf("%s\ndoes not compile: %s", nodes, before.Sorted()[0].Message)
	}
	check.Run(p, &bag)
	return p, bag.Sorted()
}

// drawWorkflow draws nodes with fields and nodes with texts, whose conditions and bodies
// read the nodes before them.
func drawWorkflow(rng *rand.Rand) string {
	var b strings.Builder
	rules := []string{"all_success", "one_success", "none_failed_min_one_success", "all_done"}
	above := map[int][]int{}
	count := 3 + rng.IntN(4)
	for i := range count {
		var needs []int
		for k := range i {
			if rng.IntN(3) == 0 || k == i-1 && len(needs) == 0 {
				needs = append(needs, k)
				above[i] = append(append(above[i], k), above[k]...)
			}
		}
		fmt.Fprintf(&b, "  - id: n%d\n", i)
		read := ""
		if len(needs) > 0 {
			fmt.Fprintf(&b, "    depends_on: [n%s]\n    trigger_rule: %s\n", strings.Trim(strings.ReplaceAll(fmt.Sprint(needs), " ", ", n"), "[]"), rules[rng.IntN(4)])
			if rng.IntN(3) > 0 {
				fmt.Fprintf(&b, "    when: \"%s\"\n", drawCondition(rng, above[i], 2))
			}
			if k := above[i][rng.IntN(len(above[i]))]; k%3 != 2 && rng.IntN(2) == 0 {
				read = fmt.Sprintf("$n%d.output.p", k)
			}
		}
		if i%3 == 2 {
			fmt.Fprintf(&b, "    bash: echo %s\n", read)
			continue
		}
		fmt.Fprintf(&b, "    prompt: do %s\n    output_format: {type: object, properties: {p: {enum: [x, y]}, n: {type: integer}}, required: [p, n]}\n", read)
	}
	return b.String()
}

func drawCondition(rng *rand.Rand, above []int, depth int) string {
	if depth > 0 && rng.IntN(2) == 0 {
		x, y := drawCondition(rng, above, depth-1), drawCondition(rng, above, depth-1)
		switch rng.IntN(5) {
		case 0, 1:
			return "(" + x + " && " + y + ")"
		case 2, 3:
			return "(" + x + " || " + y + ")"
		}
		return "!(" + x + ")"
	}
	k := above[rng.IntN(len(above))]
	if k%3 == 2 {
		return fmt.Sprintf("$n%d.output %s '%s'", k, []string{"==", "!="}[rng.IntN(2)], []string{"x", ""}[rng.IntN(2)])
	}
	if rng.IntN(4) == 0 {
		return fmt.Sprintf("$n%d.output.n %s 3", k, []string{"<", "<=", ">", ">="}[rng.IntN(4)])
	}
	return fmt.Sprintf("$n%d.output.p %s 'x'", k, []string{"==", "!="}[rng.IntN(2)])
}

type end int

const (
	running end = iota
	completed
	failed
	skipped
	// stopped: skipped, but only after a failure.
	stopped
)

// A world tries every run of a workflow by a simple evaluation of it.
type world struct {
	nodes  []*ir.Node
	values map[string]string
	ends   map[string]end
	reader string
	// asked is a value that the run needs and does not have yet.
	asked string
	// blamed are pairs of reader and producer.
	blamed map[string]bool
	// runs are the nodes that some run performs; alone are pairs of nodes of which, in
	// some run, the first completed and the second was skipped.
	runs, alone map[string]bool
	broken      string
}

// tryAll tries all values that the conditions ask for.
func (w *world) tryAll() {
	w.values = map[string]string{}
	w.tryFrom()
}

func (w *world) tryFrom() {
	w.run()
	if w.asked == "" {
		return
	}
	asked, values := w.asked, []string{"x", "y"}
	switch {
	case strings.HasSuffix(asked, ".n"):
		values = []string{"1", "3", "5"}
	case !strings.HasSuffix(asked, ".p"):
		values = []string{"", "x", "z"}
	}
	for _, v := range values {
		w.values[asked] = v
		w.tryFrom()
	}
	delete(w.values, asked)
}

// A stop is the panic that ends an evaluation: of a node that fails or, if it is true, of
// the run.
type stop bool

func (w *world) run() {
	w.ends, w.asked = map[string]end{}, ""
	defer func() {
		if r := recover(); r != nil && r != stop(true) {
			panic(r)
		}
	}()
	for _, n := range w.nodes {
		w.ends[n.ID] = w.node(n)
	}
	for _, n := range w.nodes {
		for _, m := range w.nodes {
			if w.ends[n.ID] == completed && w.ends[m.ID] == skipped {
				w.alone[n.ID+" "+m.ID] = true
			}
		}
	}
}

func (w *world) node(n *ir.Node) (ended end) {
	var count [stopped + 1]int
	for _, need := range n.Needs {
		count[w.ends[need.Node.ID]]++
	}
	all := len(n.Needs)
	starts := all == 0
	switch n.Rule {
	case ir.AllSuccess:
		starts = count[completed] == all
	case ir.OneSuccess:
		starts = starts || count[completed] > 0
	case ir.NoneFailedMinOneSuccess:
		starts = starts || count[completed] > 0 && count[failed] == 0
	case ir.AllDone:
		starts = true
	}
	switch {
	case starts:
	case count[skipped] == all, n.Rule == ir.AllSuccess && count[skipped] > 0:
		return skipped
	default:
		return stopped
	}
	w.reader = n.ID
	defer func() {
		if r := recover(); r != nil {
			if r != stop(false) {
				panic(r)
			}
			ended = failed
		}
	}()
	if n.When != nil && !w.truth(n.When) {
		return skipped
	}
	w.runs[n.ID] = true
	if prompt, ok := n.Action.(*ir.Prompt); ok {
		for _, h := range prompt.Text.Holes() {
			w.value(h.Expr)
		}
	} else {
		for _, b := range n.Action.(*ir.Bash).Bindings {
			w.value(b.Value)
		}
	}
	return completed
}

func (w *world) truth(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Not:
		return !w.truth(e.X)
	case *expr.Logic:
		if w.truth(e.X) == (e.Op == expr.Or) {
			return e.Op == expr.Or
		}
		return w.truth(e.Y)
	}
	c := e.(*expr.Compare)
	x, y := w.value(c.X), c.Y.(*expr.Literal).Text
	switch c.Op {
	case expr.TextEqual:
		return x == y
	case expr.TextNotEqual:
		return x != y
	case expr.NumberLess:
		return x < y
	case expr.NumberLessEqual:
		return x <= y
	case expr.NumberGreater:
		return x > y
	}
	return x >= y
}

// value reads a value, and compares what the check says of its presence.
func (w *world) value(e expr.Expr) string {
	id, key, presence := "", "", expr.Presence(0)
	switch e := e.(type) {
	case *expr.Output:
		id, key, presence = e.Node, e.Node, e.Presence
	case *expr.Field:
		id, key, presence = e.Node, e.Node+"."+e.Path[0], e.Presence
	}
	ended := w.ends[id]
	if (ended == skipped || ended == stopped) && presence&expr.MaybeSkipped == 0 || ended == failed && presence&expr.MaybeFailed == 0 {
		w.broken = fmt.Sprintf("%s reads %s, which is not there (%d): %v", w.reader, key, ended, w.values)
	}
	if ended == skipped && key == id {
		return ""
	}
	if ended == skipped {
		w.blamed[w.reader+" "+id] = true
	}
	if ended != completed {
		panic(stop(false))
	}
	v, known := w.values[key]
	if !known {
		w.asked = key
		panic(stop(true))
	}
	return v
}

// Nodes that are present when a condition reaches them are not blamed, and those that
// are absent there are.
func TestConditionsDecideWhatIsThere(t *testing.T) {
	const gate = "  - {id: c, prompt: x, output_format: {properties: {ok: {type: boolean}, n: {type: integer}}, required: [ok, n]}}\n" +
		"  - id: r\n    prompt: x\n    depends_on: [c]\n    when: $c.output.ok != 'true'\n    output_format: {properties: {ok: {type: boolean}}, required: [ok]}\n" +
		"  - id: m\n    prompt: x\n    depends_on: [c]\n    when: $c.output.n > 3 && $c.output.ok == 'false'\n    output_format: {properties: {ok: {type: boolean}}, required: [ok]}\n"
	for when, want := range map[string]string{
		"$c.output.ok == 'true' || $r.output.ok == 'true'":                         "",
		"$c.output.ok == 'false' && $r.output.ok == 'true'":                        "",
		"!($c.output.ok == 'true') && $r.output.ok == 'true'":                      "",
		"$c.output.ok == 'false' || $r.output.ok == 'true'":                        "r",
		"$r.output.ok == 'true' || $c.output.ok == 'true'":                         "r",
		"$c.output.ok == 'true' && $r.output.ok == 'true'":                         "r",
		"$c.output.ok == 'false' && $c.output.n > 3 && $m.output.ok == 'true'":     "",
		"$c.output.ok == 'true' || $c.output.n <= 3 || $m.output.ok == 'true'":     "",
		"$c.output.ok == 'true' || $c.output.n > 3 || $m.output.ok == 'true'":      "m",
		"$m.output != '' && $r.output.ok == 'true'":                                "",
		"$r.output != '' && $m.output.ok == 'true'":                                "m",
		"$c.output.ok == 'true' || ($r.output.ok == 'true' && $r.output.ok != '')": "",
	} {
		_, list := compiled(t, gate+"  - id: j\n    bash: echo\n    depends_on: [c, r, m]\n    trigger_rule: none_failed_min_one_success\n    when: \""+when+"\"\n")
		list = slices.DeleteFunc(list, func(d *diag.Diagnostic) bool { return d.Code.ID != "WFC360" })
		got := ""
		for _, d := range list {
			got += strings.Split(d.Message, "`")[3]
		}
		if got != want {
			t.Errorf("%s: blamed for %q, want %q", when, got, want)
		}
	}
}

// A node that waits for branches which are skipped independently is reported, unless its
// condition or its values show that it needs them, or one branch implies the others.
func TestJoinsOfBranches(t *testing.T) {
	const gate = "  - {id: c, prompt: x, output_format: {properties: {a: {type: boolean}, b: {type: boolean}}, required: [a, b]}}\n"
	branch := func(id, needs, when string) string {
		return "  - id: " + id + "\n    bash: echo '{}'\n    depends_on: [" + needs + "]\n    when: " + when + "\n"
	}
	a, b := branch("x", "c", "$c.output.a == 'true'"), branch("y", "c", "$c.output.b == 'true'")
	join := func(keys string) string { return "  - id: j\n    bash: echo\n    " + keys + "\n" }
	for _, c := range []struct {
		name, nodes string
		reported    bool
	}{
		{"two branches", a + b + join("depends_on: [x, y]"), true},
		{"beside others", a + b + join("depends_on: [c, x, y]"), true},
		{"through other nodes", a + b + node("z", "bash: echo, depends_on: [x]") + join("depends_on: [y, z]"), true},
		{"reading whole outputs", a + b + join("depends_on: [x, y]\n    env: {A: $x.output}"), true},
		{"under another condition", a + b + join("depends_on: [x, y]\n    when: $c.output != ''"), true},
		{"under the condition of one branch and another", a + b + join("depends_on: [x, y]\n    when: $c.output.a == 'true'"), false},
		{"under both conditions", a + b + join("depends_on: [x, y]\n    when: $c.output.b == 'true' && $c.output.a == 'true'"), false},
		{"under a condition on a branch", a + b + join("depends_on: [x, y]\n    when: $x.output != ''"), false},
		{"needing fields of both", a + b + "  - id: j\n    prompt: $x.output.k $y.output.k\n    depends_on: [x, y]\n", false},
		{"one branch", a + join("depends_on: [c, x]"), false},
		{"the same condition", a + branch("y", "c", "$c.output.a != 'false'") + join("depends_on: [x, y]"), false},
		{"a narrower condition", a + branch("y", "c", "$c.output.b == 'true' && $c.output.a == 'true'") + join("depends_on: [x, y]"), false},
		{"a chain", a + branch("y", "x", "$c.output.b == 'true'") + join("depends_on: [x, y]"), false},
		{"branches after one", a + node("y", "bash: echo, depends_on: [x]") + node("z", "bash: echo, depends_on: [x]") + join("depends_on: [y, z]"), false},
		{"a join of all cases", a + branch("y", "c", "$c.output.a != 'true'") + node("z", "bash: echo, depends_on: [x, y], trigger_rule: one_success") +
			branch("v", "c", "$c.output.b == 'true'") + join("depends_on: [v, z]"), false},
		{"one_success", a + b + join("depends_on: [x, y]\n    trigger_rule: one_success"), false},
		{"none_failed_min_one_success", a + b + join("depends_on: [x, y]\n    trigger_rule: none_failed_min_one_success"), false},
		{"all_done", a + b + join("depends_on: [x, y]\n    trigger_rule: all_done"), false},
	} {
		_, list := compiled(t, gate+c.nodes)
		found := slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return strings.Contains(d.Message, "unless both") })
		if found != c.reported {
			t.Errorf("%s: reported %t\n%s", c.name, found, c.nodes)
		}
	}
}
