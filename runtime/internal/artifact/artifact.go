// Package artifact keeps the outputs of nodes that declare an artifact type as files of
// the run, for all engines that run on this machine.
package artifact

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// A Keeper writes the artifacts of a run. It is not safe for concurrent use.
type Keeper struct {
	run   *flow.RunInfo
	lists bool
	files map[string]file // by node
	// listed are the artifacts that were written, in order.
	listed []meta
}

// A file says under which type and which name a node's output is kept.
type file struct{ kind, name string }

// A meta describes an artifact, in a file beside it. The field names are those that
// readers of archon's artifacts know.
type meta struct {
	NodeID     string    `json:"nodeId"`
	OutputType string    `json:"outputType"`
	Path       string    `json:"path"`
	RunID      string    `json:"runId"`
	ProducedAt time.Time `json:"producedAt"`
	// Size is in bytes.
	Size      int    `json:"size"`
	SessionID string `json:"sessionId,omitempty"`
}

// New returns a keeper for a run of a workflow.
func New(run *flow.RunInfo, d *flow.Definition) *Keeper {
	k := &Keeper{run: run, lists: d.Uses.ArtifactList, files: map[string]file{}}
	k.addNodes(d.Nodes, "", map[string]bool{})
	return k
}

// addNodes notes the nodes with artifacts, and those inside them, whose ids begin with around.
// taken are the names that other nodes have.
func (k *Keeper) addNodes(nodes []flow.NodeInfo, around string, taken map[string]bool) {
	for _, n := range nodes {
		id := around + n.Key
		if n.Kind == "loop" || n.Kind == "include" {
			k.addNodes(n.Inside, id+".", taken)
		}
		if n.ArtifactType == "" {
			continue
		}
		// Two ids may have one name, but need separate files, even if the file system
		// ignores case.
		name := fileName(id)
		for i := 2; taken[strings.ToLower(name)]; i++ {
			name = fmt.Sprintf("%s_%d", fileName(id), i)
		}
		taken[strings.ToLower(name)] = true
		k.files[id] = file{n.ArtifactType, name}
	}
}

// Keep writes the output of a completed step if its node declares an artifact type.
func (k *Keeper) Keep(s flow.Record) error {
	f, ok := k.files[stepkey.Static(s.Key)]
	if !ok {
		return nil
	}
	base := k.basePath(f)
	about := meta{
		NodeID: stepkey.Static(s.Key), OutputType: f.kind, Path: base + ".md", RunID: k.run.ID,
		ProducedAt: s.Finished.UTC(), Size: len(s.Text), SessionID: s.Meta.Session,
	}
	text, err := json.Marshal(about)
	if err == nil {
		err = errors.Join(k.writeFile(base+".md", []byte(s.Text)), k.writeFile(base+".meta.json", text))
	}
	if err != nil {
		return err
	}
	k.listed = append(slices.DeleteFunc(k.listed, func(other meta) bool { return other.NodeID == about.NodeID }), about)
	return k.List()
}

// writeFile writes a file below the folder for artifacts, as one step: a script may be reading it.
// A script may also have put a link there. None leads out of the folder.
func (k *Keeper) writeFile(path string, text []byte) error {
	name, err := filepath.Rel(k.run.ArtifactsDir, path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(k.run.ArtifactsDir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(k.run.ArtifactsDir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	if err := root.Remove(name + ".new"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := root.WriteFile(name+".new", text, 0o600); err != nil {
		return err
	}
	return root.Rename(name+".new", name)
}

// Restore writes the artifact of a step that an earlier process completed, if that died
// before it had written it.
func (k *Keeper) Restore(s flow.Record) error {
	f, ok := k.files[stepkey.Static(s.Key)]
	if !ok {
		return nil
	}
	if _, err := os.Stat(k.basePath(f) + ".meta.json"); k.lists || errors.Is(err, os.ErrNotExist) {
		return k.Keep(s)
	}
	return nil
}

// List writes the list of the run's typed artifacts, by their types and in the order in
// which they came, for workflows that read it. Paths are relative to the folder for
// artifacts.
func (k *Keeper) List() error {
	if !k.lists {
		return nil
	}
	list := struct {
		RunID  string            `json:"runId"`
		ByType map[string][]meta `json:"artifactsByType"`
		Errors []string          `json:"errors"`
	}{k.run.ID, map[string][]meta{}, []string{}}
	for _, a := range k.listed {
		if path, err := filepath.Rel(k.run.ArtifactsDir, a.Path); err == nil {
			a.Path = filepath.ToSlash(path)
		}
		list.ByType[a.OutputType] = append(list.ByType[a.OutputType], a)
	}
	path := k.run.ArtifactList()
	text, err := json.Marshal(list)
	if err == nil {
		err = k.writeFile(path, text)
	}
	if err != nil {
		return fmt.Errorf("the list of artifacts: %w", err)
	}
	return nil
}

// basePath is the path of an artifact without its endings.
func (k *Keeper) basePath(f file) string { return filepath.Join(k.run.ArtifactsDir, "nodes", f.name) }

// fileName is the node's id with everything but letters, digits, _ and - replaced.
func fileName(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, id)
}
