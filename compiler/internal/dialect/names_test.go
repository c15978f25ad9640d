package dialect_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/runtime/settings"
)

func TestModelNamed(t *testing.T) {
	c := dialect.Env{Settings: settings.Project{Models: []settings.Model{{Name: "small", Model: "s"}, {Name: "@fast", Model: "f"}}}}
	at := source.Span{File: source.NewFile("w.yaml", []byte("model: x"))}
	for name, want := range map[string]string{"small": "s", "@small": "s", "@fast": "f", "fast": "", "gpt": "", "@fats": ""} {
		var bag diag.Bag
		m := c.ModelNamed(name, at, &bag)
		if got := m != nil; got != (want != "") || got && m.Model != want {
			t.Errorf("%s is %+v, not %q", name, m, want)
		}
		if reported := bag.Len() > 0; reported != (name == "@fats") {
			t.Errorf("%s: reported is %v", name, reported)
		}
	}
}
