package conformance

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/settings"
)

var update = flag.Bool("update", false, "write the table of supported constructs")

// nowTable lists how wfc differs from the recorded cases. It is information: a
// difference fails no test.
var nowTable = filepath.Join(ownCases, nowFolder, "support.txt")

// runsTitle begins the part of the table that only -update writes: it needs a
// program with the workflows of all cases.
const runsTitle = "\n# Replayed `run` cases\n\n"

// TestNowSupport compiles the workflow of every `load` case and compares the
// verdict. It logs a table that is out of date. With -update it also replays
// `run` cases, and writes the table.
func TestNowSupport(t *testing.T) {
	all := readNow(t)
	var table nowTally
	for _, c := range all {
		if c.load != nil {
			table.add(c, compileNow(&c.in))
		}
	}
	loads := table.String()
	summary(t, "verdicts of wfc on `load` cases of %s: %s", nowFolder, &table.all)
	if *update {
		if err := os.WriteFile(nowTable, []byte(loads+runsTitle+nowRuns(t, all)), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	old, err := os.ReadFile(nowTable)
	if before, _, _ := strings.Cut(string(old), runsTitle); err != nil || before != loads {
		t.Logf("%s is out of date (go test -run TestNowSupport -update writes it):\n%s", nowTable, loads)
	}
}

// compileNow compiles workflow w at its place in the project.
func compileNow(in *nowInput) *compiler.Result {
	name, text := in.workflow()
	memory := testkit.Memory{}
	for file, content := range namedFiles(text) {
		memory[path.Join("/project", file)] = content
	}
	for file, content := range in.Files {
		memory[path.Join("/project", file)] = content
	}
	memory[path.Join("/project", name)] = text
	return compiler.Compile(source.NewFile("w.yaml", []byte(text)), compiler.Options{
		Path: path.Join("/project", name), Dialect: "archon", Root: "/project", Home: "/home", Files: memory,
		Settings: settings.Project{ArchonVersion: nowVersion},
	})
}

// nowVerdicts counts verdicts. Those that agree include refusals elsewhere,
// which are not at the node that the engine names.
type nowVerdicts struct{ cases, agree, elsewhere, refused, accepted int }

func (v *nowVerdicts) String() string {
	return fmt.Sprintf("%3d cases, %3d agree (%d at another node), %3d only wfc refuses, %2d only the engine refuses",
		v.cases, v.agree, v.elsewhere, v.refused, v.accepted)
}

// A nowTally counts verdicts by group, and the causes of those that differ.
type nowTally struct {
	all    nowVerdicts
	groups map[string]*nowVerdicts
	// refused and ignored count by diagnostic and key, accepted by fault class.
	refused, ignored, accepted map[string]int
}

func (n *nowTally) add(c *nowCase, r *compiler.Result) {
	if n.groups == nil {
		n.groups = map[string]*nowVerdicts{}
		n.refused, n.ignored, n.accepted = map[string]int{}, map[string]int{}, map[string]int{}
	}
	group := n.groups[c.Group]
	if group == nil {
		group = &nowVerdicts{}
		n.groups[c.Group] = group
	}
	errs := errorsOf(r)
	if c.load.Accepted {
		// The engine looks for the files that nodes name only when it runs them.
		errs = slices.DeleteFunc(errs, func(d *diag.Diagnostic) bool { return slices.Contains(absent, d.Code.Slug) })
	}
	for _, v := range []*nowVerdicts{group, &n.all} {
		v.cases++
		switch {
		case c.load.Accepted == (len(errs) == 0):
			v.agree++
			if f := c.load.Fault; f != nil && f.Node != "" && !slices.ContainsFunc(errs, func(d *diag.Diagnostic) bool { return findingNode(d) == f.Node }) {
				v.elsewhere++
			}
		case c.load.Accepted:
			v.refused++
		default:
			v.accepted++
		}
	}
	switch {
	case c.load.Accepted:
		countSubjects(n.refused, errs)
		countSubjects(n.ignored, slices.DeleteFunc(slices.Clone(r.Diagnostics), func(d *diag.Diagnostic) bool { return d.Code.Slug != "newer-key" }))
	case len(errs) == 0:
		n.accepted[c.load.Fault.Class]++
	}
}

// countSubjects counts a case once for each code and the first word that its message quotes.
func countSubjects(counts map[string]int, list []*diag.Diagnostic) {
	seen := map[string]bool{}
	for _, d := range list {
		subject := d.Code.ID + " " + d.Code.Slug
		if parts := strings.SplitN(d.Message, "`", 3); len(parts) == 3 {
			subject += " " + parts[1]
		}
		seen[subject] = true
	}
	for subject := range seen {
		counts[subject]++
	}
}

func (n *nowTally) String() string {
	var b strings.Builder
	b.WriteString("# How wfc judges the `load` cases, by group. Written by go test ./internal/conformance -run TestNowSupport -update\n\n")
	for _, name := range slices.Sorted(maps.Keys(n.groups)) {
		fmt.Fprintf(&b, "%-14s %v\n", name, n.groups[name])
	}
	fmt.Fprintf(&b, "%-14s %v\n", "all", &n.all)
	b.WriteString("\n# Only wfc refuses: its errors, with the number of cases\n")
	writeCounts(&b, n.refused)
	b.WriteString("\n# The engine accepts, and wfc ignores a key\n")
	writeCounts(&b, n.ignored)
	b.WriteString("\n# Only the engine refuses: its fault classes, with the number of cases\n")
	writeCounts(&b, n.accepted)
	return b.String()
}

// writeCounts writes counts in descending order.
func writeCounts(b *strings.Builder, counts map[string]int) {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	for _, name := range names {
		fmt.Fprintf(b, "%4d %s\n", counts[name], name)
	}
}
