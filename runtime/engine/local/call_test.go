package local_test

import (
	"context"
	"errors"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
)

func TestCall(t *testing.T) {
	type inputs struct {
		Name string `json:"name"`
	}
	type outputs struct {
		A string `json:"a"`
	}
	w := newWorld(t)
	e := w.engine(t, nil)
	here := func(o *local.Options) { o.WorkDir, o.ID = w.work, "mine" }
	out, err := local.RunTyped[inputs, outputs](context.Background(), e, define("demo", step{key: "a"}), inputs{"x"}, here)
	if err != nil || out.A != "ran a" {
		t.Errorf("%+v %v", out, err)
	}
	if got := string(w.run(t, "mine").Inputs); got != `{"name":"x"}` {
		t.Errorf("inputs %s", got)
	}
	// What there is of outputs comes with the error.
	w.performer.set("b", fails("no luck"))
	def := define("demo", step{key: "a"}, step{key: "b"})
	out, err = local.RunTyped[inputs, outputs](context.Background(), e, def, inputs{}, func(o *local.Options) { o.WorkDir = w.work })
	var failed *local.RunError
	if !errors.As(err, &failed) || failed.Result.Status != flow.Failed || out.A != "ran a" {
		t.Errorf("%+v %v", out, err)
	}
}
