package mutate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/mutate"
)

// The reports have a row for each file, the reasons for mutants that are not made, and each
// survivor with its difference and the expectation that would notice it.
func TestReports(t *testing.T) {
	mutant := func(id int, content string) *mutate.Mutant {
		return &mutate.Mutant{ID: id, Class: mutate.Limit, Text: "`max` is 1", Node: "a", Line: 2, Hint: "`iterations`", Content: []byte(content)}
	}
	files := []*mutate.File{
		{Name: "a.yaml", Workflow: "a", Text: "one\nmax: 2\n", Results: []mutate.Result{
			{Mutant: mutant(1, "one\nmax: 1\n"), Status: mutate.Survived}, {Mutant: mutant(2, "one\n"), Status: mutate.Killed, How: "test", By: "a/it runs"},
			{Mutant: mutant(3, "max: 2\n"), Status: mutate.NotCovered}, {Mutant: mutant(4, ""), Status: mutate.Killed, How: "crash"},
		}, NotMade: []mutate.NotMade{{Reason: mutate.Rejected, Class: mutate.Rule, Line: 1}, {Reason: mutate.Equivalent, Text: "no run ends more", Line: 2}, {Reason: mutate.Rejected, Line: 3}}},
		{Name: "b.yaml", Workflow: "b"},
	}
	var text, summary, github strings.Builder
	for _, err := range []error{mutate.Text(&text, files, 0), mutate.Summary(&summary, files[:1]), mutate.GitHub(&github, files)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{
		"mutants  made  killed  survived  not covered  not made  score\n", "a.yaml   4     2       1         1            3         50.0%\n",
		"b.yaml   0     0       0         0            0         100.0%\n", "total    4     2       1         1            3         50.0%\n",
		"a.yaml: not made: 1 equivalent: no run ends more\na.yaml: not made: 2 rejected by wfc check\n",
		"\na.yaml:2: survived: limit: `max` is 1\n  --- a.yaml\n  +++ a.yaml (mutant 1)\n  @@ -1,2 +1,2 @@\n   one\n  -max: 2\n  +max: 1\n  to notice it: `iterations`\n",
		"\na.yaml:2: not covered: limit: `max` is 1\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if want := "| a.yaml | 4 | 2 | 1 | 1 | 3 | 50.0% |\n"; !strings.Contains(summary.String(), want) || !strings.Contains(summary.String(), "**a.yaml:2** survived: limit: `max` is 1\n\n```diff\n--- a.yaml\n") {
		t.Error(summary.String())
	}
	lines := strings.Split(strings.TrimSpace(github.String()), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "::warning file=a.yaml,line=2,title=mutant survived::limit: `max` is 1%0A--- a.yaml%0A") {
		t.Errorf("%q", lines)
	}
	document, err := mutate.JSON(files)
	if err != nil {
		t.Fatal(err)
	}
	var got []struct {
		File                   string
		Made, Killed, Survived int
		NotCovered             int `json:"not_covered"`
		Score                  float64
		Mutants                []struct{ Status, How, Diff, Hint, KilledBy string }
		NotMade                []struct{ Reason, Proof string } `json:"not_made"`
	}
	if err := json.Unmarshal(document, &got); err != nil {
		t.Fatal(err)
	}
	a := got[0]
	if len(got) != 2 || a.File != "a.yaml" || a.Made != 4 || a.Killed != 2 || a.Survived != 1 || a.NotCovered != 1 || a.Score != 50 || len(a.NotMade) != 3 || a.NotMade[1].Proof != "no run ends more" ||
		a.Mutants[0].Hint == "" || a.Mutants[0].Diff == "" || a.Mutants[1].Diff != "" || a.Mutants[1].How != "test" {
		t.Errorf("%s", document)
	}
}
