package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// nowFolder holds the recorded cases of today's Archon; its README describes them.
const nowFolder = "archon-now"

// nowVersion is the version by whose rules they are compiled, unless a case names another.
const nowVersion = "0.9"

// A nowCase is one recorded case of today's Archon. One of the results is set.
type nowCase struct {
	Group, Name, Op, Section, Remark string
	Input, Expect                    json.RawMessage

	in        nowInput
	load      *nowLoad
	run       *nowRun
	condition *nowCondition
	dry       *nowDry
	findings  *nowFindings
	effort    *nowEffort
}

func (c *nowCase) id() string { return nowFolder + "/" + c.Group + "/" + c.Name }

// A nowInput is the union of the inputs of all operations.
type nowInput struct {
	// Version is the version of Archon whose texts the case was recorded with; "" means
	// nowVersion.
	Version   string
	YAML      string
	Files     map[string]string
	Inputs    json.RawMessage // a list of NAME=VALUE; of a condition, values by name
	Arguments string

	AI                   map[string][]nowReply
	replies              map[string][]json.RawMessage
	Steps                []nowStep
	Worktrees, Unordered bool

	Stubs                                          json.RawMessage
	ExecCode, DefaultStubs, PauseAtGates, Scaffold bool

	Config struct{ Tiers, Aliases map[string]nowModel }

	Effort  string
	Offered []string

	Expr    string
	Outputs map[string]producer
}

// workflow returns the path and text of workflow w.
func (in *nowInput) workflow() (path, text string) {
	if in.YAML != "" {
		return ".archon/workflows/w.yaml", in.YAML
	}
	for _, path := range slices.Sorted(maps.Keys(in.Files)) {
		if filepath.Base(path) == "w.yaml" {
			return path, in.Files[path]
		}
	}
	return "", ""
}

// A nowModel is a model tier or an alias of a project.
type nowModel struct{ Provider, Model, Effort string }

// A nowReply is a scripted reply: a string, or an object.
type nowReply struct {
	Text       *string
	Structured json.RawMessage
	Cost       float64
	Throw, For string
}

func (r *nowReply) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &r.Text)
	}
	type object nowReply // without this method
	return strict(text, (*object)(r))
}

// A nowStep is an answer of a person, or a resume. Approve and Reject are true or a string.
type nowStep struct {
	Approve, Reject, Resume any
	Respond, Text, Run      string
}

type nowFault struct{ Class, Node, Group, Key, Name string }

type nowLoad struct {
	Accepted   bool
	Fault      *nowFault
	Others     map[string]nowFault
	Notes      []struct{ Kind, Node, Key, Name string }
	Definition map[string]any
}

type nowNode struct {
	State, Cause, Fault string
	Output              *string
	Value               any
	Iteration           int
	Iterations          int
}

type nowPause struct {
	Node, Kind, Message string
	Iteration           int
}

type nowRun struct {
	Refused         string
	Fault           nowRunFault
	Status, Outcome string
	Summary         *string
	Cost            float64
	Reason          string
	Paused          *nowPause
	Nodes           map[string]nowNode
	Body            map[string][]nowNode
	Iterations      map[string]int
	Phases          []struct {
		Status, Fault, Resume string
		Paused                *nowPause
		Refused               bool
	}
	Calls    []nowCall
	Children []nowChild
}

// A nowCall is a turn of an agent.
type nowCall struct {
	Node, Prompt, Provider, Resume, Model, Effort, SystemPrompt string
	Fork                                                        bool
	MaxBudgetUsd                                                float64
	SettingSources                                              []string
	Allowed                                                     []string `json:"allowed_tools"`
}

// A nowChild is a run that a step began.
type nowChild struct {
	nowRun
	Node, Workflow, Arguments string
	Index                     *int
	Inputs                    map[string]any
	Worktree                  bool
}

// A nowRunFault is the class of a run that failed, or the fault of one that did not start.
type nowRunFault struct{ nowFault }

func (f *nowRunFault) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &f.Class)
	}
	return strict(text, &f.nowFault)
}

type nowCondition struct {
	OK           *struct{ Result, Parsed bool }
	Throws, Name string
}

type nowDry struct {
	Outcome, Refused, Fault, Node string
	Summary                       *string
	Missing, Unused, Keys         []string
	Scaffold                      map[string]any
	Trace                         []struct {
		Node, Type, State, Cause, Fault string
		Text, Output                    *string
		EndedBy                         string `json:"ended_by"`
		Iteration, Iterations           int
		Provider, Model, Effort         string
		Conflict                        bool
	}
}

type nowFindings struct {
	Findings []struct {
		Severity, Node, Key, Class string
		Suggestions                []string
	}
}

type nowEffort struct{ Effort *string }

// strict decodes JSON and refuses unknown fields.
func strict(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// readNow reads the cases of today's Archon in a folder.
func readNow(dir string) (all []*nowCase, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var cases []*nowCase
		if err := strict(text, &cases); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, c := range cases {
			if group := strings.TrimSuffix(filepath.Base(file), ".json"); c.Group != group {
				return nil, fmt.Errorf("%s is in file %s", c.id(), group)
			}
			if err := c.decode(); err != nil {
				return nil, fmt.Errorf("%s: %w", c.id(), err)
			}
		}
		all = append(all, cases...)
	}
	return all, nil
}

// readNow adds the cases of a folder of today's Archon.
func (all *collection) readNow(dir string) error {
	list, err := readNow(dir)
	for _, c := range list {
		all.cases = append(all.cases, &recorded{Group: c.Group, Name: c.Name, Op: c.Op, Input: c.Input, Expect: c.Expect, dialect: nowFolder, now: c})
	}
	return err
}

func (c *nowCase) decode() error {
	if err := strict(c.Input, &c.in); err != nil {
		return err
	}
	var raw struct{ AI map[string][]json.RawMessage }
	if err := json.Unmarshal(c.Input, &raw); err != nil {
		return err
	}
	c.in.replies = raw.AI
	switch c.Op {
	case "load":
		return strict(c.Expect, &c.load)
	case "run":
		return strict(c.Expect, &c.run)
	case "condition":
		return strict(c.Expect, &c.condition)
	case "dryrun":
		return strict(c.Expect, &c.dry)
	case "validate":
		return strict(c.Expect, &c.findings)
	case "effort":
		return strict(c.Expect, &c.effort)
	}
	return fmt.Errorf("unknown operation %q", c.Op)
}

// TestNowCases checks the form of the cases: unique names, known fields, YAML
// that parses, fault classes that the README explains.
func TestNowCases(t *testing.T) {
	all, err := readNow(filepath.Join(ownCases, nowFolder))
	if err != nil || len(all) == 0 {
		t.Fatalf("no cases of %s: %v", nowFolder, err)
	}
	count, seen, classes := map[string]int{}, map[string]bool{}, map[string]bool{}
	for _, c := range all {
		if seen[c.id()] {
			t.Errorf("%s appears twice", c.id())
		}
		seen[c.id()] = true
		count[c.Op]++
		if c.Name == "" || c.Section == "" {
			t.Errorf("%s has no name or no section", c.id())
		}
		path, text := c.in.workflow()
		if (text == "") != (c.Op == "condition" || c.Op == "effort") {
			t.Errorf("%s: workflow w is at %q", c.id(), path)
		}
		for path, text := range c.in.Files {
			if filepath.Ext(path) == ".yaml" {
				checkYAML(t, c, path, text)
			}
		}
		checkYAML(t, c, path, text)
		for _, m := range faultClass.FindAllSubmatch(c.Expect, -1) {
			classes[string(m[1])] = true
		}
	}
	explained := explainedClasses(t)
	for class := range classes {
		if !explained[class] {
			t.Errorf("README.md does not explain the class %q", class)
		}
	}
	for class := range explained {
		if !classes[class] {
			t.Errorf("README.md explains the class %q, which no case has", class)
		}
	}
	summary(t, "%d cases of %s: %v", len(all), nowFolder, count)
}

var faultClass = regexp.MustCompile(`"(?:class|fault|throws|unresolved)": "([a-z-]+)"`)

// explainedClasses returns the classes in the last table of the README.
func explainedClasses(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(ownCases, nowFolder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## Fault classes\n")
	classes := map[string]bool{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for _, m := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(cells[1], -1) {
			classes[m[1]] = true
		}
	}
	return classes
}

func checkYAML(t *testing.T, c *nowCase, path, text string) {
	t.Helper()
	var bag diag.Bag
	yamlsrc.Parse(source.NewFile(path, []byte(text)), &bag)
	for _, d := range bag.Sorted() {
		if d.Severity == diag.Error {
			t.Errorf("%s: %s:%d: %s", c.id(), path, d.Span.Position().Line, d.Message)
		}
	}
}
