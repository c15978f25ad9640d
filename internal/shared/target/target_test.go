package target_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/target"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]target.Target{
		"slack": {Channel: "slack"}, " telegram:-100 ": {Channel: "telegram", ID: "-100"}, "webhook:ci": {Channel: "webhook", ID: "ci"},
		"ops": {Channel: "ops"}, "slack:C1:thread": {Channel: "slack", ID: "C1:thread"}, "telegram:@news": {Channel: "telegram", ID: "@news"},
	} {
		got, err := target.Parse(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v %v", text, got, err)
		}
		if again, err := target.Parse(got.String()); err != nil || again != got {
			t.Errorf("%q is written %q", text, got)
		}
	}
	for _, text := range []string{"", "  ", ":C1", "slack:", "webhook", "a b", "https://example.com"} {
		if got, err := target.Parse(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// Requirement 002, workflow delivery channel resolution.
func TestResolve(t *testing.T) {
	for _, c := range []struct {
		name     string
		workflow []string
		session  string
		defaults []string
		want     []string
	}{
		{"YAML deliver_to specified", []string{"discord", "webhook:ci"}, "slack:C1", []string{"telegram"}, []string{"discord", "webhook:ci"}},
		{"Auto-detect from Slack session", nil, "slack:C1:U2", []string{"telegram"}, []string{"slack:C1"}},
		{"a session without a receiver", nil, "telegram:", nil, []string{"telegram"}},
		{"Config default used", nil, "cli:me", []string{"telegram:42"}, []string{"telegram:42"}},
		{"no session", nil, "", []string{"ops"}, []string{"ops"}},
		{"a session that only begins like one", nil, "slackish", []string{"ops"}, []string{"ops"}},
		{"No delivery channel", nil, "workflow:w:1:a", nil, nil},
		{"nothing that can be read", []string{" "}, "", []string{":"}, nil},
	} {
		if got := target.Resolve(c.workflow, c.session, c.defaults); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"slack", "telegram:42", ":", "a:b:c", "webhook:"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := target.Parse(text)
		if err != nil {
			return
		}
		if again, err := target.Parse(got.String()); err != nil || again != got {
			t.Errorf("%q is %+v, which is written %q: %+v %v", text, got, got, again, err)
		}
	})
}
