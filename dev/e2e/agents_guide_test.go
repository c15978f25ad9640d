//go:build unix

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/cli"
)

// failuresPage is the page of the guide whose table says how an agent's failure ends a turn.
const failuresPage = "../../docs/guide/agents.md"

// A promise is a row of that table.
type promise struct {
	// event is the failure, in the words of the guide.
	event string
	// reasons are those that the failure may have.
	reasons []string
	// again is the cell about retries.
	again string
}

// promises reads the table of failures.
func promises(t *testing.T) []promise {
	t.Helper()
	text, err := os.ReadFile(failuresPage)
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| event | reason | retried? |\n|---|---|---|\n")
	if !ok {
		t.Fatalf("%s has no table of failures", failuresPage)
	}
	code := regexp.MustCompile("`([a-z]+)`")
	var list []promise
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 {
			break
		}
		p := promise{event: strings.TrimSpace(cells[1]), again: strings.TrimSpace(cells[3])}
		for _, m := range code.FindAllStringSubmatch(cells[2], -1) {
			p.reasons = append(p.reasons, m[1])
		}
		list = append(list, p)
	}
	return list
}

// promised returns the row about an event.
func promised(t *testing.T, event string) promise {
	t.Helper()
	list := promises(t)
	i := slices.IndexFunc(list, func(p promise) bool { return p.event == event })
	if i < 0 {
		t.Fatalf("%s has no row %q", failuresPage, event)
	}
	return list[i]
}

// The settings that the guide shows have no findings.
func TestSettingsInTheGuide(t *testing.T) {
	pages, err := filepath.Glob("../../docs/guide/agent*.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks [][]string
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, regexp.MustCompile("(?s)```yaml\n(agents:.*?)```").FindAllStringSubmatch(string(text), -1)...)
	}
	if len(blocks) < 3 {
		t.Errorf("the guide shows settings %d times, want at least 3", len(blocks))
	}
	for _, block := range blocks {
		file := filepath.Join(t.TempDir(), "wfc.yaml")
		if err := os.WriteFile(file, []byte(block[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		code := cli.Main([]string{"check", "--strict", file}, cli.Streams{In: os.Stdin, Out: &out, Err: &errs})
		if code != cli.ExitClean || out.Len() > 0 {
			t.Errorf("exit code %d of\n%s\n%s%s", code, block[1], out.String(), errs.String())
		}
	}
}
