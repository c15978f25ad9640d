package cli_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/shell"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// A process pauses its run and still holds it when an answer to a child arrives. The
// command that answers notices that the process gives the run back without the answer, and
// continues it. The child, which still looks for answers, leaves this one alone: it would go on
// without its parent.
func TestAnswerWhileTheHolderPauses(t *testing.T) {
	o, def := newOffice(t), releases()
	st, err := entstore.OpenState(context.Background(), o.state.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	type said struct {
		code int
		out  string
	}
	done := make(chan said, 1)
	counted := &countedLooks{Store: st}
	e, err := local.New(local.Config{Store: counted, Poll: time.Millisecond, State: o.state.Path, Performers: []engine.Performer{&shell.Performer{}}, Watch: func(n local.Notice) {
		if n.End == nil || n.End.Status != flow.Paused || strings.Contains(n.RunID, "--") {
			return
		}
		go func() {
			code, out := o.calls(def, "approve", n.RunID+"--build")
			done <- said{code, out}
		}()
		for answered := false; !answered; time.Sleep(5 * time.Millisecond) {
			list, err := st.Answers(context.Background(), n.RunID+"--build")
			if err != nil {
				t.Error(err)
				return
			}
			answered = len(list) > 0
		}
		for seen := counted.looks.Load(); counted.looks.Load() < seen+3; time.Sleep(time.Millisecond) { // the child sees the answer
			if r, err := st.Run(context.Background(), n.RunID+"--build"); err != nil || r.Status != flow.Paused {
				t.Errorf("the child is %s: %v", r.Status, err)
				return
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Run(context.Background(), def, nil, local.Options{})
	if err != nil || r.Status != flow.Paused {
		t.Fatalf("%+v %v", r, err)
	}
	if got := <-done; got.code != 0 || !strings.Contains(got.out, "run "+r.ID) || !strings.Contains(got.out, "released: it") {
		t.Errorf("%d: %s", got.code, got.out)
	}
}

// countedLooks is a store that counts how often the answers to children were read.
type countedLooks struct {
	store.Store
	looks atomic.Int64
}

func (c *countedLooks) Answers(ctx context.Context, id string) ([]store.Answer, error) {
	list, err := c.Store.Answers(ctx, id)
	if strings.Contains(id, "--") {
		c.looks.Add(1)
	}
	return list, err
}
