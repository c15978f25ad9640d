package target_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/target"
)

func TestFill(t *testing.T) {
	values := map[string]string{"run": "r-1", "question": "{{run}} }} {{", "workflow": "w"}
	for text, want := range map[string]string{
		"":                          "",
		"plain }} text":             "plain }} text",
		"{{run}}":                   "r-1",
		"a {{ run }}{{workflow}} b": "a r-1w b",
		"{{question}}{{run}}":       "{{run}} }} {{r-1",
		"{{error}}.":                ".",
	} {
		faults := target.CheckTemplate(text)
		if got := target.FillTemplate(text, values); len(faults) > 0 || got != want {
			t.Errorf("%q: %q %v, want %q", text, got, faults, want)
		}
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"a {{rum}}":      "{{rum}}: unknown placeholder `rum`",
		"{{run}} {{x y}": "{{: `{{` without `}}`",
		"é {{}} {{Run}}": "{{}}: unknown placeholder ``",
	} {
		faults := target.CheckTemplate(text)
		if len(faults) == 0 || !strings.HasPrefix(text[faults[0].Start:faults[0].End]+": "+faults[0].Problem, want) {
			t.Errorf("%q: %+v, want %s", text, faults, want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, text := range []string{"{{run}}", "{{", "a{{b}}c", "}}{{"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		faults := target.CheckTemplate(text)
		if got := target.FillTemplate(text, nil); len(faults) == 0 && !strings.Contains(text, "{{") && got != text {
			t.Errorf("%q became %q", text, got)
		}
		for _, fault := range faults {
			if fault.Start < 0 || fault.End > len(text) || fault.Start >= fault.End {
				t.Errorf("%q: %+v", text, fault)
			}
		}
	})
}
