package xprompt_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A step is blamed exactly if some outputs of the steps let it reach an output that a
// condition skipped. Every run of a drawn workflow is tried.
//
// Few steps are blamed needlessly: those whose other reads fail them before.
func TestEveryRun(t *testing.T) {
	drawn := 3_000
	if testing.Short() {
		drawn = 300
	}
	rng := rand.New(rand.NewPCG(31, 2))
	blamed, needless := 0, 0
	for range drawn {
		steps := drawSteps(rng)
		var b strings.Builder
		b.WriteString("steps:\n")
		lines := map[int]string{}
		for _, s := range steps {
			fmt.Fprintf(&b, "  - name: %s\n    output: {p: word, n: int}\n", s.name)
			if s.when != nil {
				fmt.Fprintf(&b, "    if: \"{{ %s }}\"\n", s.when.text)
			}
			lines[strings.Count(b.String(), "\n")+1] = s.name
			fmt.Fprintf(&b, "    bash: \"echo %s\"\n", s.body.text)
		}
		yaml := b.String()
		r := &run{blamed: map[string]bool{}, values: map[string]string{}}
		r.tryAll(steps)
		_, list := compile(t, project(nil), yaml)
		for _, d := range list {
			if d.Code.ID != "WFC360" {
				continue
			}
			blamed++
			pair := lines[d.Span.Position().Line] + " " + d.Span.Text()
			if !r.blamed[pair] {
				needless++
			}
			delete(r.blamed, pair)
		}
		for pair := range r.blamed {
			t.Fatalf("%s\nno finding about %s: %s", yaml, pair, messages(list))
		}
	}
	t.Logf("%d findings, %d of them about reads that no run reaches", blamed, needless)
	if blamed < drawn/10 || needless*30 > blamed {
		t.Error("too few findings, or more than three in a hundred are needless")
	}
}

// A drawn part of a workflow, with its meaning.
type drawn struct {
	text string
	eval func(r *run) bool
}

type drawnStep struct {
	name string
	when *drawn
	body drawn
}

func drawSteps(rng *rand.Rand) []drawnStep {
	steps := []drawnStep{{name: "s0", body: drawn{"x", func(*run) bool { return true }}}}
	for i := 1; i < 3+rng.IntN(3); i++ {
		s := drawnStep{name: fmt.Sprintf("s%d", i)}
		if rng.IntN(3) > 0 {
			when := drawTest(rng, i, 2, true)
			s.when = &when
		}
		read := func() drawn {
			k := fmt.Sprintf("s%d", rng.IntN(i))
			return drawn{k + ".p", func(r *run) bool { r.value(k, "p"); return true }}
		}
		x, y, cond := read(), read(), drawTest(rng, i, 1, false)
		choice := func(r *run) bool {
			if cond.eval(r) {
				return x.eval(r)
			}
			return y.eval(r)
		}
		switch rng.IntN(4) {
		case 0:
			s.body = drawn{"{{ " + x.text + " }}", x.eval}
		case 1:
			s.body = drawn{"{{ " + cond.text + " }}", cond.eval}
		case 2:
			s.body = drawn{"{{ " + x.text + " if " + cond.text + " else " + y.text + " }}", choice}
		case 3:
			s.body = drawn{"{% if " + cond.text + " %}{{ " + x.text + " }}{% else %}{{ " + y.text + " }}{% endif %}", choice}
		}
		steps = append(steps, s)
	}
	return steps
}

// drawTest draws a condition on the steps before one; lenient says that it is the
// condition of the step.
func drawTest(rng *rand.Rand, before, depth int, lenient bool) drawn {
	if depth > 0 && rng.IntN(2) == 0 {
		x, y := drawTest(rng, before, depth-1, lenient), drawTest(rng, before, depth-1, lenient)
		switch rng.IntN(5) {
		case 0, 1:
			return drawn{"(" + x.text + " and " + y.text + ")", func(r *run) bool { return x.eval(r) && y.eval(r) }}
		case 2, 3:
			return drawn{"(" + x.text + " or " + y.text + ")", func(r *run) bool { return x.eval(r) || y.eval(r) }}
		}
		return drawn{"not " + x.text, func(r *run) bool { return !x.eval(r) }}
	}
	k := fmt.Sprintf("s%d", rng.IntN(before))
	read := func(r *run) (string, bool) {
		if lenient && r.skipped[k] {
			return "", false
		}
		return r.value(k, "p"), true
	}
	switch rng.IntN(6) {
	case 0:
		return drawn{k + " is defined", func(r *run) bool { return !r.skipped[k] }}
	case 1:
		return drawn{"s0.n > 3", func(r *run) bool { return r.value("s0", "n") > "3" }}
	case 2, 3:
		return drawn{k + ".p != 'x'", func(r *run) bool { v, _ := read(r); return v != "x" }}
	}
	return drawn{k + ".p == 'x'", func(r *run) bool { v, _ := read(r); return v == "x" }}
}

type run struct {
	skipped map[string]bool
	values  map[string]string
	step    string
	asked   string
	blamed  map[string]bool
}

// stopped is the panic that ends a run, and failed the one that ends a step. The steps
// after that run all the same: each is judged for itself.
type (
	stopped struct{}
	failed  struct{}
)

func (r *run) value(step, field string) string {
	if r.skipped[step] {
		r.blamed[r.step+" "+step] = true
		panic(failed{})
	}
	v, known := r.values[step+"."+field]
	if !known {
		r.asked = step + "." + field
		panic(stopped{})
	}
	return v
}

// tryAll tries all values that the workflow asks for.
func (r *run) tryAll(steps []drawnStep) {
	if r.once(steps); r.asked == "" {
		return
	}
	asked, values := r.asked, []string{"x", "y"}
	if strings.HasSuffix(asked, ".n") {
		values = []string{"1", "5"}
	}
	for _, v := range values {
		r.values[asked] = v
		r.tryAll(steps)
	}
	delete(r.values, asked)
}

func (r *run) once(steps []drawnStep) {
	r.skipped, r.asked = map[string]bool{}, ""
	defer func() {
		if p := recover(); p != nil && p != any(stopped{}) {
			panic(p)
		}
	}()
	for _, s := range steps {
		r.perform(s)
	}
}

func (r *run) perform(s drawnStep) {
	defer func() {
		if p := recover(); p != nil && p != any(failed{}) {
			panic(p)
		}
	}()
	r.step = s.name
	if s.when != nil && !s.when.eval(r) {
		r.skipped[s.name] = true
		return
	}
	s.body.eval(r)
}

// Statements, choices and connectives decide what is there.
func TestConditionsDecideWhatIsThere(t *testing.T) {
	for template, want := range map[string]bool{
		"{{ g.p == 'x' or a.p }}":                                               false,
		"{{ g.p != 'x' and a.p }}":                                              false,
		"{{ g.p == 'x' and a.p }}":                                              true,
		"{{ a.p or g.p == 'x' }}":                                               true,
		"{{ a.p if g.p != 'x' else 1 }}":                                        false,
		"{{ 1 if g.p == 'x' else a.p }}":                                        false,
		"{{ 1 if g.p != 'x' else a.p }}":                                        true,
		"{% if g.p == 'x' %}1{% elif a.p %}2{% endif %}":                        false,
		"{% if g.p == 'y' %}{{ a.p }}{% endif %}":                               false,
		"{% if g.p == 'x' %}1{% endif %}{{ a.p }}":                              true,
		"{% if g.p != 'x' %}{% for i in [1] %}{{ a.p }}{% endfor %}{% endif %}": false,
		"{% set v = 'y' %}{% if v != 'x' %}{{ a.p }}{% endif %}":                true,
	} {
		_, list := compile(t, project(nil), "steps:\n  - {name: g, output: {p: word}, bash: echo p=x}\n  - {name: a, if: \"{{ g.p != 'x' }}\", output: {p: word}, bash: echo p=x}\n"+
			"  - name: b\n    bash: |\n      cat <<'EOF'\n      "+template+"\n      EOF\n")
		if got := slices.Contains(findings(list), "warning maybe-missing a"); got != want {
			t.Errorf("%s: reported %t\n%s", template, got, messages(list))
		}
	}
}
