package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
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
	meta, err := json.Marshal(artifactMeta{
		NodeID: s.Key, OutputType: a.kind, Path: base + ".md", RunID: r.info.ID,
		ProducedAt: s.Finished.UTC(), Size: len(s.Text), SessionID: s.Meta.Session,
	})
	err = errors.Join(err, os.MkdirAll(filepath.Dir(base), 0o700))
	if err == nil {
		err = errors.Join(os.WriteFile(base+".md", []byte(s.Text), 0o600), os.WriteFile(base+".meta.json", meta, 0o600))
	}
	if err != nil {
		r.log.Warn("the artifact was not written", "node", s.Key, "error", err)
	}
}

// restoreArtifact writes the artifact of a node that an earlier process
// completed, if that died before it had written it.
func (r *run) restoreArtifact(s flow.Record) {
	a := r.artifactOf(s.Key)
	if a.kind == "" {
		return
	}
	if _, err := os.Stat(r.artifactBase(a) + ".meta.json"); errors.Is(err, os.ErrNotExist) {
		r.keepArtifact(s)
	}
}

// artifact says under which type and which name a node's output is kept.
type artifact struct{ kind, name string }

// artifactOf returns how a node's output is kept; the kind is "" when it is not.
func (r *run) artifactOf(key string) artifact {
	if r.artifacts == nil {
		r.artifacts = map[string]artifact{}
		taken := map[string]bool{}
		for _, n := range r.def.Nodes {
			if n.Artifact == "" {
				continue
			}
			// Two ids may have one name, and must not have one file, also where
			// names are not told apart by their case.
			name := artifactName(n.Key)
			for i := 2; taken[strings.ToLower(name)]; i++ {
				name = fmt.Sprintf("%s_%d", artifactName(n.Key), i)
			}
			taken[strings.ToLower(name)] = true
			r.artifacts[n.Key] = artifact{n.Artifact, name}
		}
	}
	return r.artifacts[key]
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
