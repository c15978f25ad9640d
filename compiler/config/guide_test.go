package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGuide keeps the example of the guide right and complete.
func TestGuide(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("..", "..", "docs", "guide", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(content), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	if _, faults := parse(t, example); len(faults) > 0 {
		t.Errorf("the guide's example is wrong: %v", faults)
	}
	for _, k := range (&decoder{config: &Config{}}).rootKeys() {
		if !strings.Contains("\n"+example, "\n"+k.Name+":") {
			t.Errorf("the guide does not show `%s`", k.Name)
		}
	}
}
