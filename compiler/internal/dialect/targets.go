package dialect

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// CheckTarget returns the fault of a delivery target at a place, or nil. channels are those
// that wfc.yaml configures.
func CheckTarget(at source.Span, text source.Text, channels []settings.Channel) *diag.Diagnostic {
	t, err := target.Parse(text.Value)
	if err != nil {
		return finding.BadTarget(at, err.Error())
	}
	known := target.Kinds()
	for _, c := range channels {
		if c.Name == t.String() {
			return nil
		}
		known = append(known, c.Name)
	}
	if slices.Contains(known, t.Channel) {
		return nil
	}
	start := strings.Index(text.Value, t.Channel)
	return finding.UnknownChannel(text.Span(start, start+len(t.Channel)), t.Channel, known)
}
