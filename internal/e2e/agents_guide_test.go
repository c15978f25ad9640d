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

	"github.com/wfc-lang/wfc/internal/cli"
)

// A promise is a row of the tables in the guide to agents that say what becomes
// of a run when an agent goes wrong.
type promise struct {
	// event is what happens, in the words of the guide.
	event string
	// reasons are those that the failure may have.
	reasons []string
	// again is what the guide says of trying again.
	again string
}

// promises reads the table of a section of the guide.
func promises(t *testing.T, section string) []promise {
	t.Helper()
	text, err := os.ReadFile("../../docs/guide/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, ok := strings.Cut(string(text), "\n## "+section)
	if !ok {
		t.Fatalf("the guide has no section %q", section)
	}
	part, _, _ = strings.Cut(part, "\n## ")
	_, table, ok := strings.Cut(part, "| what happens | the failure | tried again? |\n|---|---|---|\n")
	if !ok {
		t.Fatalf("the section %q has no table of failures", section)
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

// promised returns the row of what happens.
func promised(t *testing.T, section, event string) promise {
	t.Helper()
	list := promises(t, section)
	i := slices.IndexFunc(list, func(p promise) bool { return p.event == event })
	if i < 0 {
		t.Fatalf("the guide says nothing of %q in the section %q", event, section)
	}
	return list[i]
}

// The settings that the guide shows are taken without a word.
func TestSettingsInTheGuide(t *testing.T) {
	text, err := os.ReadFile("../../docs/guide/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(agents:.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) < 3 {
		t.Errorf("the guide shows settings %d times", len(blocks))
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
