package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

func sample(t *testing.T) *Report {
	f := source.NewFile("a b/flow.yaml", []byte("# é\nwhen: $a.kinds\n"))
	d := diagnosed(errorCode, at(t, f, "$a.kinds", 0), "no field `kinds`,\n100%").
		WithRelated(at(t, f, "when", 0), "here").WithHelp("see <docs>").
		WithSureFix("replace", at(t, f, "kinds", 0), "kind")
	w := diagnosed(warningCode, at(t, f, "é", 0), "odd")
	return &Report{Groups: []Group{{Name: f.Name, Diagnostics: []*diag.Diagnostic{w, d}}}, Files: 1}
}

func written(t *testing.T, format Format) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, format, sample(t), Options{Version: "1.2"}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestOneLine(t *testing.T) {
	want := "a b/flow.yaml:1:3: warning[WFC902]: odd\n" +
		"a b/flow.yaml:2:7: error[WFC901]: no field `kinds`, 100%\n"
	if got := written(t, OneLine); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestGitHub(t *testing.T) {
	want := "::warning file=a b/flow.yaml,line=1,endLine=1,col=3,endColumn=4,title=WFC902 a-warning::odd\n" +
		"::error file=a b/flow.yaml,line=2,endLine=2,col=7,endColumn=15,title=WFC901 an-error::no field `kinds`,%0A100%25%0Asee <docs>\n"
	if got := written(t, GitHub); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestJSON(t *testing.T) {
	var got struct {
		SchemaVersion int `json:"schema_version"`
		Summary       struct{ Files, Errors, Warnings int }
		Diagnostics   []struct {
			Code, Slug, Severity, Message string
			At                            struct {
				File       string
				Start, End struct{ Offset, Line, Column int }
			}
			Fixes []struct {
				Safe  bool
				Edits []struct{ New string }
			}
		}
	}
	if err := json.Unmarshal([]byte(written(t, JSON)), &got); err != nil {
		t.Fatal(err)
	}
	if got.SchemaVersion != 1 || got.Summary.Errors != 1 || got.Summary.Warnings != 1 || len(got.Diagnostics) != 2 {
		t.Fatalf("%+v", got)
	}
	d := got.Diagnostics[1]
	if d.Code != "WFC901" || d.Slug != "an-error" || d.Severity != "error" || d.At.File != "a b/flow.yaml" ||
		d.At.Start.Line != 2 || d.At.Start.Column != 7 || d.At.Start.Offset != 11 || d.At.End.Column != 15 ||
		!d.Fixes[0].Safe || d.Fixes[0].Edits[0].New != "kind" {
		t.Errorf("%+v", d)
	}
}

func TestJSONWithoutFindings(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, JSON, &Report{Files: 3}, Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `"diagnostics": []`) {
		t.Errorf("an empty list must be written as one:\n%s", b.String())
	}
}

func TestJSONL(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(written(t, JSONL)), "\n")
	var kinds []string
	for _, line := range lines {
		var v struct {
			Type          string
			SchemaVersion int `json:"schema_version"`
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil || v.SchemaVersion != 1 {
			t.Fatalf("%q: %v", line, err)
		}
		kinds = append(kinds, v.Type)
	}
	if got := strings.Join(kinds, " "); got != "diagnostic diagnostic summary" {
		t.Error(got)
	}
}

func TestSARIF(t *testing.T) {
	var got struct {
		Version string
		Runs    []struct {
			ColumnKind string
			Tool       struct {
				Driver struct {
					Version string
					Rules   []struct{ ID string }
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn, EndColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(written(t, SARIF)), &got); err != nil {
		t.Fatal(err)
	}
	run := got.Runs[0]
	if got.Version != "2.1.0" || run.ColumnKind != "unicodeCodePoints" || run.Tool.Driver.Version != "1.2" || len(run.Tool.Driver.Rules) != 2 {
		t.Errorf("%+v", got)
	}
	res := run.Results[1]
	place := res.Locations[0].PhysicalLocation
	if run.Tool.Driver.Rules[res.RuleIndex].ID != "WFC901" || place.ArtifactLocation.URI != "a%20b/flow.yaml" ||
		place.Region.StartLine != 2 || place.Region.StartColumn != 7 || place.Region.EndColumn != 15 {
		t.Errorf("%+v", res)
	}
}

func TestUnknownFormat(t *testing.T) {
	if err := Write(&strings.Builder{}, "xml", &Report{}, Options{}); err == nil {
		t.Error("no error")
	}
}
