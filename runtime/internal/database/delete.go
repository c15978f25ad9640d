package database

import (
	"context"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/ent/answer"
	"github.com/wfc-lang/wfc/runtime/internal/ent/event"
	"github.com/wfc-lang/wfc/runtime/internal/ent/workflowrun"
	"github.com/wfc-lang/wfc/runtime/internal/ent/workflowsteprun"
	"github.com/wfc-lang/wfc/runtime/store"
)

// DeleteRun implements store.Store.
func (s *Store) DeleteRun(ctx context.Context, id string) error {
	return s.commit.write(ctx, &deletion{id, time.Now()})
}

type deletion struct {
	id  string
	now time.Time
}

func (c *deletion) apply(w *writer) error {
	if err := w.update(c.id, c.now); err != nil { // only the holder of the lease may
		return err
	}
	ctx := context.Background()
	n, err := w.client.WorkflowRun.Delete().Where(workflowrun.ID(c.id)).Exec(ctx)
	if err == nil && n == 0 {
		return refused("run %s: %w", c.id, store.ErrNotFound)
	}
	if err == nil {
		_, err = w.client.WorkflowStepRun.Delete().Where(workflowsteprun.RunID(c.id)).Exec(ctx)
	}
	if err == nil {
		_, err = w.client.Event.Delete().Where(event.RunID(c.id)).Exec(ctx)
	}
	if err == nil {
		_, err = w.client.Answer.Delete().Where(answer.RunID(c.id)).Exec(ctx)
	}
	return err
}
