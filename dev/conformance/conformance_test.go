package conformance

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestRecordedCases runs every recorded case: all workflows are compiled, built
// into one program and executed there, and then each case is judged in its own
// subtest.
func TestRecordedCases(t *testing.T) {
	setting, set := os.LookupEnv("WFC_CONFORMANCE")
	folders, complete, err := caseFolders(setting, set)
	if err != nil {
		t.Fatal(err)
	}
	all, err := collect(folders)
	if err != nil {
		t.Fatal(err)
	}
	known := readDeviations(t)
	b := newBench(t)
	plans := make([]plan, len(all.cases))
	for i, c := range all.cases {
		plans[i] = b.plan(c)
	}
	outcomes := b.execute(plans)
	count, ran := tally{}, 0
	byFormat := tally{}
	var now nowTable
	for i, c := range all.cases {
		t.Run(c.id(), func(t *testing.T) {
			ran++
			if why := plans[i].skip; why != "" {
				count.add(c.Op, skips)
				t.Skip(why)
			}
			if construct := plans[i].later; construct != "" {
				known.expect(c)
				count.add(c.Op, notYet)
				now.add(c, notYet, construct)
				t.Skip("not yet supported: ", construct)
			}
			if plans[i].judge == nil {
				t.Fatal("the case was not planned")
			}
			verdict, why := known.verdict(c, plans[i].judge(outcomes[i]))
			count.add(c.Op, verdict)
			byFormat.add(c.dialect, verdict)
			now.add(c, verdict, why)
			switch verdict {
			case failed:
				t.Error(why)
			case deviates:
				t.Log("deviates: ", why)
			}
		})
	}
	if complete && ran == len(all.cases) {
		now.compare(t)
		byFormat.compareAgreement(t)
	}
	died, deaths := 0, 0
	for _, out := range outcomes {
		if out != nil && out.Family != nil && out.Family.Crashes > 0 {
			died, deaths = died+1, deaths+out.Family.Crashes-1
		}
	}
	summary(t, "%d runs of %d cases ended in the same way after their process died", deaths, died)
	switch list := known.unused(); {
	case complete && ran == len(all.cases) && len(list) > 0:
		t.Errorf("deviations.yaml lists what no case is:\n%s", strings.Join(list, "\n"))
	case !complete && !set:
		summary(t, "%s is not here; only the cases of the repository ran", sharedCases)
	}
	for _, dialect := range slices.Sorted(maps.Keys(all.foreign)) {
		summary(t, "skipped %d cases of %s, which is not built yet", all.foreign[dialect], dialect)
	}
	summary(t, "cases by operation, %d generated packages:\n%s", b.batch.Size(), count)
}

func (b *bench) plan(c *recorded) (p plan) {
	make, ok := ops[c.Op]
	if c.now != nil {
		make, ok = planNow, true
	}
	if !ok {
		b.t.Errorf("%s: there is no operation %q", c.id(), c.Op)
		return plan{}
	}
	p, err := make(b, c)
	if err != nil {
		b.t.Errorf("%s: %v", c.id(), err)
	}
	return p
}

// A tally counts verdicts by operation.
type tally map[string]map[string]int

func (c tally) add(op, verdict string) {
	if c[op] == nil {
		c[op] = map[string]int{}
	}
	c[op][verdict]++
}

func (c tally) String() string {
	var b strings.Builder
	sum := map[string]int{}
	row := func(name string, counts map[string]int) {
		fmt.Fprintf(&b, "%-10s ran %3d: %3d agree, %3d deviate, %3d fail; %3d skipped, %3d not yet\n", name,
			counts[agrees]+counts[deviates]+counts[failed], counts[agrees], counts[deviates], counts[failed], counts[skips], counts[notYet])
	}
	for _, op := range slices.Sorted(maps.Keys(c)) {
		row(op, c[op])
		for verdict, n := range c[op] {
			sum[verdict] += n
		}
	}
	row("all", sum)
	return b.String()
}
