package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/converter"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A memory keeps what a client has read, for cluster.Connection.Remember. A nil memory keeps nothing.
type memory struct {
	mu sync.Mutex
	// states are those of runs by their ids, each with the stamp of its workflow.
	states map[string]remembered
	// silent are the builds whose workers did not answer, with the time.
	silent map[string]time.Time
	// version is the last result of Client.Version for all runs.
	version int64
	seen    time.Time
}

type remembered struct {
	stamp string
	state *wire.RunState
}

const (
	// mostRemembered is how many states a memory keeps.
	mostRemembered = 100
	// silence is how long a build is not asked again, and newness how long a version holds.
	silence = 15 * time.Second
	newness = time.Second
)

func newMemory() *memory {
	return &memory{states: map[string]remembered{}, silent: map[string]time.Time{}}
}

// use calls do for one goroutine at a time.
func (m *memory) use(do func()) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	do()
}

// find returns the state of a run whose history has not grown, or nil.
func (m *memory) find(info *workflowpb.WorkflowExecutionInfo) (s *wire.RunState) {
	m.use(func() {
		if known := m.states[info.GetExecution().GetWorkflowId()]; known.stamp == stamp(info) {
			s = known.state
		}
	})
	return s
}

// keep keeps a state.
func (m *memory) keep(info *workflowpb.WorkflowExecutionInfo, s *wire.RunState) {
	m.use(func() {
		if len(m.states) == mostRemembered {
			clear(m.states)
		}
		m.states[info.GetExecution().GetWorkflowId()] = remembered{stamp(info), s}
	})
}

// stamp differs if a workflow has changed.
func stamp(info *workflowpb.WorkflowExecutionInfo) string {
	return fmt.Sprint(info.GetExecution().GetRunId(), info.GetHistoryLength(), info.GetStatus())
}

// isSilent reports whether the workers of a build did not answer a moment ago, which noteSilence notes.
func (m *memory) isSilent(build string) (silent bool) {
	m.use(func() { silent = time.Since(m.silent[build]) < silence })
	return silent
}

func (m *memory) noteSilence(build string) {
	m.use(func() { m.silent[build] = time.Now() })
}

// buildOf names the workers that can answer for a workflow.
func (c *reader) buildOf(info *workflowpb.WorkflowExecutionInfo) string {
	return info.GetTaskQueue() + " " + c.stateFromAttributes(info).Run.Fingerprint
}

// query asks a worker about a run.
func (c *reader) query(ctx context.Context, info *workflowpb.WorkflowExecutionInfo, name string) (converter.EncodedValue, error) {
	build := c.buildOf(info)
	if c.memory.isSilent(build) {
		return nil, fmt.Errorf("no worker of build %s answers", build)
	}
	asked, stop := context.WithTimeout(ctx, patience)
	defer stop()
	value, err := c.temporal.QueryWorkflow(asked, info.GetExecution().GetWorkflowId(), "", name)
	var refused *serviceerror.QueryFailed // by a worker
	if err != nil && ctx.Err() == nil && !errors.As(err, &refused) {
		c.memory.noteSilence(build)
	}
	return value, err
}

// Description implements cluster.Cluster.
func (c *reader) Description(ctx context.Context, id string) (*flow.Definition, error) {
	d, err := c.temporal.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return nil, err
	}
	value, err := c.query(ctx, d.GetWorkflowExecutionInfo(), wire.Description)
	if err != nil {
		return nil, err
	}
	var text json.RawMessage
	if err := value.Get(&text); err != nil {
		return nil, err
	}
	def := &flow.Definition{}
	return def, json.Unmarshal(text, def)
}

// Missing implements cluster.Cluster.
func (c *reader) Missing(ctx context.Context, id string) (string, error) {
	s, open, err := c.runState(ctx, id)
	switch {
	case err != nil || !s.Partial:
		return "", err
	case open:
		return "No worker of the run's build answers, so only its status and questions are known. Start one with `worker`.", nil
	}
	return "The run's workflow ended without a result, so its steps are unknown.", nil
}

// Version implements cluster.Cluster.
func (c *reader) Version(ctx context.Context, id string) (int64, error) {
	sum := fnv.New64a()
	if id != "" {
		d, err := c.temporal.DescribeWorkflowExecution(ctx, id, "")
		fmt.Fprint(sum, stamp(d.GetWorkflowExecutionInfo()))
		return int64(sum.Sum64() >> 16), err
	}
	if m := c.memory; m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if time.Since(m.seen) < newness {
			return m.version, nil
		}
	}
	var terms []string
	if c.knowsAttributes(ctx) {
		terms = append(terms, wire.AttributeStatus+" IS NOT NULL")
	}
	n := 0
	err := c.eachWorkflow(ctx, terms, mostWatched, func(info *workflowpb.WorkflowExecutionInfo) bool {
		fmt.Fprintln(sum, stamp(info), c.statusFromAttributes(info), readAttribute[[]string](c, info, wire.AttributeWaiting))
		n++
		return n < mostWatched
	})
	version := int64(sum.Sum64() >> 16) // sums of several don't overflow
	if m := c.memory; m != nil && err == nil {
		m.version, m.seen = version, time.Now()
	}
	return version, err
}

// mostWatched is how many runs a version of all runs is about: open ones, then those that ended last.
const mostWatched = 200

// knowsAttributes reports whether queries can name the search attributes of runs.
func (c *reader) knowsAttributes(ctx context.Context) bool {
	if c.attributes.Load() {
		return true
	}
	if c.hasAttributes(ctx) {
		c.attributes.Store(true)
		return true
	}
	return false
}
