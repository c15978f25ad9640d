package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
)

// TestReferenceOfSettings compares the page about the keys of wfc.yaml with the tables.
func TestReferenceOfSettings(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "reference", "config.md")
	page, err := pageOf(config.Format(), "Keys of wfc.yaml", "[Configuration](../guide/configuration.md) explains how these keys work together. Unknown keys are errors.")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(path); err != nil || string(have) != page {
		t.Errorf("%s is not what the tables say (%v); `make docs` writes it", path, err)
	}
}

// unknowable are starts of messages about values that a schema cannot know, each with its
// reason.
var unknowable = map[string]string{
	"`agents.a.use`": "the agents of the file decide",
	"`agents.a` must be a mapping with either": "the value of `use` decides",
	"`agents.a.on_quota.use`":                  "the agents of the file decide",
	"`on_quota.use`":                           "the agents of the file decide",
	"`concurrency.a`":                          "the agents of the file decide",
	"`models.a.agent`":                         "the agents of the file decide",
	"`models.a`":                               "names that start with @ are aliases",
	"`delivery.channels.a`":                    "a channel whose name is not a kind needs one",
	"`delivery.default":                        "the notation of targets",
	"`archon.version`":                         "JSON does not tell 1.0 from 1",
	"`database`":                               "the notation of URLs",
	"`dialects.":                               "the notation of patterns",
	"`exclude":                                 "the notation of patterns",
	"`workflows.":                              "the notations of schedules and targets",
	"`agents.a.base_url`":                      "the notation of URLs",
	"`grant_sets.a.":                           "the notations of hosts and paths",
	"`notify.":                                 "the notations of targets and templates, and the time zones",
	"`grants":                                  "the sets of the file decide",
	"unknown key `a` in `sandbox.agents`":      "the agents of the file decide",
	"unknown key `a` in `grants.agents`":       "the agents of the file decide",
}

// compareSettings returns how the schema and Parse differ about a file, or "".
func compareSettings(schema *validator, text string) string {
	_, findings := config.Parse(source.NewFile(config.FileName, []byte(text)))
	refused, isYAML := schema.Check(text)
	if !isYAML {
		return "not YAML: " + text
	}
	if refused != nil && len(findings) == 0 {
		return "the schema refuses what Parse accepts: " + refused.Error() + "\n" + text
	}
	if refused != nil {
		return ""
	}
	for _, d := range findings {
		message := strings.NewReplacer(".b`", ".a`", ".b.", ".a.", ".c`", ".a`", ".c.", ".a.").Replace(d.Message)
		isKnown := d.Code.ID > "WFC2" || d.Code.ID == "WFC154"
		for start := range unknowable {
			isKnown = isKnown || strings.HasPrefix(message, start)
		}
		if !isKnown {
			return "the schema accepts what Parse refuses: " + d.Message + "\n" + text
		}
	}
	return ""
}

// TestSchemaOfKeysOfSettings tries every key with many values.
func TestSchemaOfKeysOfSettings(t *testing.T) {
	schema := newValidator(t, config.Schema())
	for _, p := range probesOf(config.Format()) {
		if fault := compareSettings(schema, p.File); fault != "" {
			t.Errorf("`%s` %s: %s", p.Key, p.Where, fault)
		}
	}
	files := drawFiles(config.Format())
	rapid.Check(t, func(t *rapid.T) {
		if fault := compareSettings(schema, files.Draw(t, "file")); fault != "" {
			t.Error(fault)
		}
	})
}

// TestSchemaOfFilesOfSettings checks that the schema accepts the wfc.yaml of the guide and of the
// examples.
func TestSchemaOfFilesOfSettings(t *testing.T) {
	schema := newValidator(t, config.Schema())
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "guide", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(guide), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	texts := []string{"", "# nothing\n", example}
	for _, pattern := range []string{"../../examples/*/wfc.yaml", "../../examples/*/*/wfc.yaml"} {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(content))
		}
	}
	for _, text := range texts {
		if refused, _ := schema.Check(text); refused != nil {
			t.Errorf("refused: %v\n%s", refused, text)
		}
	}
}

// TestSchemaOfBadExamplesOfSettings checks that the schema refuses the bad examples about wfc.yaml.
func TestSchemaOfBadExamplesOfSettings(t *testing.T) {
	schema := newValidator(t, config.Schema())
	for _, c := range codes.All() {
		for _, e := range codes.DocumentOf(c).Examples {
			if !e.IsConfig || c.ID > "WFC2" {
				continue
			}
			inherited := c == codes.UnsuitableKey // agents inherit their kind from each other
			if refused, _ := schema.Check(e.Bad); (refused == nil) != inherited {
				t.Errorf("%s: the schema says of the bad example: %v", c, refused)
			}
			if refused, _ := schema.Check(e.Good); refused != nil {
				t.Errorf("%s: the schema refuses the good example: %v", c, refused)
			}
		}
	}
}
