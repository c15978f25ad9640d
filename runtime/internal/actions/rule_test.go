package actions_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/settings"
)

func TestSomebodyElseThanTheStarter(t *testing.T) {
	ann := actions.Person{Name: "ann", Roles: actions.AllRoles()}
	for _, c := range []struct {
		by   *actions.Actor
		want string
	}{
		{nil, "nobody knows who that was"},
		{&actions.Actor{Name: "ann"}, "ann started run"},
		{&actions.Actor{Name: "Ann", From: "page"}, "ann started run"},
		{&actions.Actor{Name: "ben"}, ""},
		{&actions.Actor{From: "schedule"}, ""},
	} {
		terms := actions.Terms{StartedBy: c.by}
		err := terms.Refuse(settings.GateRule{NotStarter: true}, "gate#1", "ship-000001", ann)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.by, err, c.want)
		}
		if err := terms.Refuse(settings.GateRule{}, "gate#1", "ship-000001", ann); err != nil {
			t.Errorf("without the rule, %+v: %v", c.by, err)
		}
	}
}
