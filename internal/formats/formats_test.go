package formats

import (
	"slices"
	"testing"
)

// A named version has the rules of the last version that is not later.
func TestRulesOfVersions(t *testing.T) {
	for version, want := range map[string]string{
		"0.4": "0.5", "0.5": "0.5", "0.8": "0.5", "0.9": "0.9", "0.9.7": "0.9", "0.10": "0.10", "0.10.1": "0.10", "0.12": "0.11", "1.0": "0.11",
	} {
		if got := Archon.RulesOf(version).Version.Name; got != want {
			t.Errorf("version %s: the rules of %s, want %s", version, got, want)
		}
	}
	// Two rules come from texts after 0.9.
	nine, eleven := Archon.RulesOf("0.9"), Archon.RulesOf("0.11")
	for _, r := range []Rule{CheckedPrograms, FailureBefore} {
		if nine.Holds(r) || !eleven.Holds(r) || !Archon.Newest().Holds(r) || Archon.Oldest().Holds(r) {
			t.Errorf("%s holds for the wrong versions", r)
		}
	}
	if Archon.Newest().Holds(RemovedThinking) || !eleven.Holds(RemovedThinking) {
		t.Error("`thinking` is refused in a project that names no version, or not in one that does")
	}
}

// Every row names versions of its format, and every rule has a row.
func TestTables(t *testing.T) {
	for _, f := range All {
		if Named(f.Name) != f || len(f.Versions) == 0 {
			t.Errorf("%s: the table has no versions", f.Name)
		}
		for _, v := range f.Versions {
			if v.Origin() == "" || v.Title == "" || v.Repository == "" {
				t.Errorf("%s %s: nothing says what wfc was compared with", f.Name, v.Name)
			}
		}
		for _, c := range f.Changes {
			if f.position(c.Since) < 1 {
				t.Errorf("%s: %s: no version %s after the first one", f.Name, c.Topic, c.Since)
			}
		}
	}
	if slices.Contains([]*Format{Named("none")}, &Archon) {
		t.Error("an unknown format has a table")
	}
}
