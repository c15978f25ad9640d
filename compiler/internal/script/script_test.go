package script_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/script"
	"github.com/wfc-lang/wfc/compiler/source"
)

// A script without holes runs as it is written, whatever is in it.
func TestScriptWithoutHoles(t *testing.T) {
	const text = "console.log(`${1 + 1} $x.output`)\n"
	var bag diag.Bag
	out := script.Rewrite(script.JavaScript, source.PlainText(text), nil, &bag)
	if out == nil || out.Text != text || len(out.Bindings) > 0 || bag.Len() > 0 {
		t.Errorf("%v, %v", out, bag.Sorted())
	}
}
