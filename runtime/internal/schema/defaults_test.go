package schema_test

import (
	"reflect"
	"testing"

	"entgo.io/ent"

	"github.com/wfc-lang/wfc/runtime/internal/schema"
)

// generate.sh removes the code that reads defaults, validators and hooks from the schema: no
// default may be another value than zero, and there may be nothing else of the kind.
func TestDefaultsAreZero(t *testing.T) {
	for _, s := range []ent.Interface{schema.Answer{}, schema.Event{}, schema.Session{}, schema.WorkflowRun{}, schema.WorkflowStepRun{}} {
		for _, f := range s.Fields() {
			d := f.Descriptor()
			if d.Default != nil && !reflect.ValueOf(d.Default).IsZero() || d.UpdateDefault != nil || len(d.Validators) > 0 {
				t.Errorf("%T: the field %s has more than a default of zero", s, d.Name)
			}
		}
		if len(s.Hooks()) > 0 || len(s.Interceptors()) > 0 || s.Policy() != nil || len(s.Mixin()) > 0 {
			t.Errorf("%T has hooks, interceptors, mixins or a policy", s)
		}
	}
}
