package compare

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// addTriggers adds the triggers, which are in the configuration. Two of them differ in what they
// wait for.
func (c *collector) addTriggers(list []*ir.Trigger) {
	for _, t := range list {
		on := &t.On
		name, does := strings.TrimSpace("branch "+on.Branch+" "+on.Repository), []string{"starts a run"}
		switch {
		case on.Webhook != "":
			name = strings.Join(append([]string{string(on.Webhook), on.Path}, on.Events...), " ")
			does = append(does, "secret $"+on.SecretVariable)
			if on.Signature != (settings.Signature{}) {
				does = append(does, fmt.Sprintf("signature %+v", on.Signature))
			}
			if on.PerMinute != 0 {
				does = append(does, fmt.Sprintf("%d per minute", on.PerMinute))
			}
		case on.Files != "":
			name = "files " + on.Files
		}
		if on.Every != 0 {
			does = append(does, "every "+on.Every.String())
		}
		if s := t.Signal; s != nil {
			does[0] = strings.TrimRight("reports "+s.Event+" "+s.Run+" "+s.Payload, " ")
			does = append(does, mappedTexts(s.Match)...)
		}
		switch {
		case t.When.Value != "":
			does = append(does, "when "+t.When.Value)
		case t.Filter != nil:
			does = append(does, "when "+filterText(t.Filter))
		}
		c.add(fact{class: Flow, what: "trigger `" + name + "`", value: strings.Join(append(does, mappedTexts(t.Inputs)...), ", "), at: t.Span})
	}
}

func mappedTexts(list []settings.MappedValue) (texts []string) {
	for _, m := range list {
		text := m.Name + "=" + m.Pointer + m.Literal
		if m.Default != "" {
			text += " or " + m.Default
		}
		texts = append(texts, text)
	}
	return texts
}

// filterText writes a condition that comes from Archon's configuration.
func filterText(e expr.Expr) string {
	switch e := e.(type) {
	case *expr.Logic:
		return "(" + filterText(e.X) + [...]string{" and ", " or "}[e.Op] + filterText(e.Y) + ")"
	case *expr.Not:
		return "not " + filterText(e.X)
	case *expr.Compare:
		return filterText(e.X) + " is " + filterText(e.Y)
	case *expr.Payload:
		return strings.Join(e.Path, ".")
	}
	return exprText(e)
}
