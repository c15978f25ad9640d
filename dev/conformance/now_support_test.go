package conformance

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of recorded cases of today's Archon")

// A nowTable counts verdicts on the cases of today's Archon by group and operation, with
// the reasons of those that do not agree.
type nowTable struct {
	counts  tally
	reasons map[string]int
}

func (n *nowTable) add(c *recorded, verdict, why string) {
	if c.now == nil {
		return
	}
	if n.counts == nil {
		n.counts, n.reasons = tally{}, map[string]int{}
	}
	n.counts.add(c.Group, verdict)
	n.counts.add("all", verdict)
	if verdict == deviates || verdict == notYet {
		n.reasons[verdict+"\t"+why]++
	}
}

func (n *nowTable) String() string {
	var b strings.Builder
	b.WriteString("# The recorded cases of today's Archon. Written by go -C dev test ./conformance -run TestRecordedCases -update\n\n")
	fmt.Fprintf(&b, "%-16s%8s%8s%10s%9s\n", "group", "cases", "agree", "deviate", "not yet")
	groups := slices.DeleteFunc(slices.Sorted(maps.Keys(n.counts)), func(name string) bool { return name == "all" })
	for _, name := range append(groups, "all") {
		row := n.counts[name]
		sum := 0
		for _, count := range row {
			sum += count
		}
		fmt.Fprintf(&b, "%-16s%8d%8d%10d%9d\n", name, sum, row[agrees], row[deviates], row[notYet])
	}
	for _, verdict := range []string{deviates, notYet} {
		title := map[string]string{deviates: "\n# Deviations, by rule (deviations.yaml)\n", notYet: "\n# Not yet, by construct\n"}[verdict]
		for _, key := range slices.SortedFunc(maps.Keys(n.reasons), func(a, b string) int {
			if d := n.reasons[b] - n.reasons[a]; d != 0 {
				return d
			}
			return strings.Compare(a, b)
		}) {
			if why, ok := strings.CutPrefix(key, verdict+"\t"); ok {
				b.WriteString(title)
				title = ""
				fmt.Fprintf(&b, "%4d %s\n", n.reasons[key], why)
			}
		}
	}
	return b.String()
}

// compare compares the table with the file, or writes it.
func (n *nowTable) compare(t *testing.T) {
	t.Helper()
	file := filepath.Join(ownCases, nowFolder, "support.txt")
	if *update {
		if err := os.WriteFile(file, []byte(n.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old, err := os.ReadFile(file); err != nil || string(old) != n.String() {
		t.Errorf("%s is out of date; go test -run TestRecordedCases -update writes:\n%s", file, n)
	}
}
