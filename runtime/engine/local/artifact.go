package local

import (
	"encoding/json"
	"errors"
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

// keepArtifact writes the output of a node that declares an artifact type to
// the run's artifacts. A failure is noted and fails nothing: the output itself
// is in the journal.
func (h *host) keepArtifact(s flow.Record) {
	kind := h.artifacts[s.Key]
	if kind == "" {
		return
	}
	dir := filepath.Join(h.run.info.ArtifactsDir, "nodes")
	base := filepath.Join(dir, artifactName(s.Key))
	meta, err := json.Marshal(artifactMeta{
		NodeID: s.Key, OutputType: kind, Path: base + ".md", RunID: h.run.info.ID,
		ProducedAt: s.Finished.UTC(), Size: len(s.Text), SessionID: s.Meta.Session,
	})
	err = errors.Join(err, os.MkdirAll(dir, 0o700))
	if err == nil {
		err = errors.Join(os.WriteFile(base+".md", []byte(s.Text), 0o600), os.WriteFile(base+".meta.json", meta, 0o600))
	}
	if err != nil {
		h.run.log.Warn("the artifact was not written", "node", s.Key, "error", err)
	}
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
