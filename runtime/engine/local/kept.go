package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// artifactMeta is what stands beside an artifact; the field names are those
// that readers of archon's artifacts know.
type artifactMeta struct {
	NodeID     string    `json:"nodeId"`
	OutputType string    `json:"outputType"`
	Path       string    `json:"path"`
	RunID      string    `json:"runId"`
	ProducedAt time.Time `json:"producedAt"`
	// Size is in bytes.
	Size      int    `json:"size"`
	SessionID string `json:"sessionId,omitempty"`
}

// keepArtifact writes the output of a completed node that declares an artifact
// type to the run's artifacts. A failure is noted and fails nothing: the output
// itself is in the journal.
func (r *run) keepArtifact(s flow.Record) {
	a := r.artifactOf(s.Key)
	if a.kind == "" {
		return
	}
	base := r.artifactBase(a)
	about := artifactMeta{
		NodeID: stepkey.Static(s.Key), OutputType: a.kind, Path: base + ".md", RunID: r.info.ID,
		ProducedAt: s.Finished.UTC(), Size: len(s.Text), SessionID: s.Meta.Session,
	}
	meta, err := json.Marshal(about)
	err = errors.Join(err, os.MkdirAll(filepath.Dir(base), 0o700))
	if err == nil {
		err = errors.Join(os.WriteFile(base+".md", []byte(s.Text), 0o600), os.WriteFile(base+".meta.json", meta, 0o600))
	}
	if err != nil {
		r.log.Warn("the artifact was not written", "node", s.Key, "error", err)
		return
	}
	r.listed = append(slices.DeleteFunc(r.listed, func(other artifactMeta) bool { return other.NodeID == about.NodeID }), about)
	r.listArtifacts()
}

// listArtifacts writes the list of the run's typed artifacts, by their types and in the
// order in which they came, for workflows that read it. Paths are relative to the folder
// for artifacts.
func (r *run) listArtifacts() {
	if !r.def.ListsArtifacts {
		return
	}
	list := struct {
		RunID  string                    `json:"runId"`
		ByType map[string][]artifactMeta `json:"artifactsByType"`
		Errors []string                  `json:"errors"`
	}{r.info.ID, map[string][]artifactMeta{}, []string{}}
	for _, a := range r.listed {
		if path, err := filepath.Rel(r.info.ArtifactsDir, a.Path); err == nil {
			a.Path = filepath.ToSlash(path)
		}
		list.ByType[a.OutputType] = append(list.ByType[a.OutputType], a)
	}
	path := r.info.ArtifactList()
	text, err := json.Marshal(list)
	if err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700)); err == nil {
		// A script may be reading the list.
		if err = os.WriteFile(path+".new", text, 0o600); err == nil {
			err = os.Rename(path+".new", path)
		}
	}
	if err != nil {
		r.log.Warn("the list of artifacts was not written", "error", err)
	}
}

// restoreArtifact writes the artifact of a node that an earlier process
// completed, if that died before it had written it.
func (r *run) restoreArtifact(s flow.Record) {
	a := r.artifactOf(s.Key)
	if a.kind == "" {
		return
	}
	if _, err := os.Stat(r.artifactBase(a) + ".meta.json"); r.def.ListsArtifacts || errors.Is(err, os.ErrNotExist) {
		r.keepArtifact(s)
	}
}

// artifact says under which type and which name a node's output is kept.
type artifact struct{ kind, name string }

// artifactOf returns how a node's output is kept; the kind is "" when it is not.
func (r *run) artifactOf(key string) artifact {
	if r.artifacts == nil {
		r.artifacts = map[string]artifact{}
		r.addArtifacts(r.def.Nodes, "", map[string]bool{})
	}
	return r.artifacts[stepkey.Static(key)]
}

// addArtifacts notes the nodes with artifacts, and those inside them, whose ids begin with
// around. taken are the names that other nodes have.
func (r *run) addArtifacts(nodes []flow.NodeInfo, around string, taken map[string]bool) {
	for _, n := range nodes {
		id := around + n.Key
		if n.Kind == "loop" || n.Kind == "include" {
			r.addArtifacts(n.Inside, id+".", taken)
		}
		if n.Artifact == "" {
			continue
		}
		// Two ids may have one name, and must not have one file, also where
		// names are not told apart by their case.
		name := artifactName(id)
		for i := 2; taken[strings.ToLower(name)]; i++ {
			name = fmt.Sprintf("%s_%d", artifactName(id), i)
		}
		taken[strings.ToLower(name)] = true
		r.artifacts[id] = artifact{n.Artifact, name}
	}
}

// artifactBase is the path of an artifact without its endings.
func (r *run) artifactBase(a artifact) string {
	return filepath.Join(r.info.ArtifactsDir, "nodes", a.name)
}

// artifactName is the node's id with everything but letters, digits, _ and -
// replaced.
func artifactName(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, id)
}

// persistent returns the key under which the session of an action's agent is
// kept for the next run of the workflow, or "" when it is not kept. Agents do
// not know each other's sessions, so each has its own.
func persistent(a flow.Action) string {
	p, ok := a.Payload.(flow.Prompt)
	if !ok || !p.Persist {
		return ""
	}
	return strconv.Quote(p.Agent) + " " + a.Key
}

// continued returns the action with the session that the last run of the
// workflow left, when it is to go on with that.
func (h *host) continued(ctx context.Context, a flow.Action) (flow.Action, error) {
	key := persistent(a)
	p, _ := a.Payload.(flow.Prompt)
	if key == "" || p.Session != "" || p.FreshSession || p.Fork {
		return a, nil
	}
	session, err := h.engine.cfg.Store.Session(ctx, h.run.info.Workflow, key)
	p.Session = session
	a.Payload = p
	return a, err
}

// keepSessions keeps the sessions of committed steps for the next run. One that
// cannot be kept costs that run its memory, and this one nothing.
func (h *host) keepSessions(steps []flow.Record) {
	for _, s := range steps {
		key := h.persistent[s.Key]
		if key == "" || s.Status != flow.Completed || s.Meta.Session == "" || s.Meta.Replayed.Turns > 0 {
			continue // a session out of a recording is not what the next run goes on with
		}
		delete(h.persistent, s.Key)
		err := h.whileLeased(func(ctx context.Context) error {
			return h.engine.cfg.Store.KeepSession(ctx, h.run.info.Workflow, key, s.Meta.Session)
		})
		if err != nil {
			h.run.log.Warn("the agent's session was not kept for the next run", "node", s.Key, "error", err)
		}
	}
}
