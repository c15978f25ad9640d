package attempt

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/checkout"
	"github.com/wfc-lang/wfc/runtime/internal/git"
)

// artifactRefType is the type of an object that refers to an artifact of a run.
const artifactRefType = "archon_artifact"

// refersToFiles fails an action whose output refers to an artifact that the run does not
// have.
func (s *Site) refersToFiles(a flow.Action, result flow.Result) flow.Result {
	if !a.CheckArtifactRefs || result.Status != flow.Completed {
		return result
	}
	var output any
	if json.Unmarshal([]byte(result.Text), &output) != nil {
		return result // its schema says what is wrong with it
	}
	problem := s.missingArtifact(output)
	if problem == "" {
		return result
	}
	failure := Failed("artifact", "the output of step `%s` refers to an artifact, but %s", a.Key, problem)
	failure.Text, failure.Meta = result.Text, result.Meta
	return failure
}

// missingArtifact returns the fault of the first faulty artifact to which a JSON value
// refers, or "".
func (s *Site) missingArtifact(v any) string {
	var inner []any
	switch v := v.(type) {
	case []any:
		inner = v
	case map[string]any:
		if v["type"] == artifactRefType {
			return s.wrongArtifact(v)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			inner = append(inner, v[name])
		}
	}
	for _, v := range inner {
		if problem := s.missingArtifact(v); problem != "" {
			return problem
		}
	}
	return ""
}

// wrongArtifact returns the fault of a reference to an artifact, or "". Links may not
// lead out of the folder for artifacts.
func (s *Site) wrongArtifact(ref map[string]any) string {
	id, _ := ref["run_id"].(string)
	path, _ := ref["path"].(string)
	local := filepath.FromSlash(path)
	switch {
	case id != s.Run.ID:
		return "`run_id` is `" + id + "`, and this run is `" + s.Run.ID + "`"
	case path == "":
		return "it has no `path`"
	case !filepath.IsLocal(local) || strings.HasPrefix(path, `\`) || strings.Contains(path, "\x00") ||
		slices.Contains(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }), ".."):
		return "its path `" + path + "` is not inside the folder for artifacts"
	}
	file, err := os.OpenInRoot(s.Run.ArtifactsDir, local)
	if errors.Is(err, fs.ErrNotExist) {
		return "the file `" + path + "` is missing in the folder for artifacts"
	}
	if err != nil {
		return "the file `" + path + "` cannot be read: " + err.Error()
	}
	defer func() { _ = file.Close() }() // it was only read
	switch info, err := file.Stat(); {
	case err != nil || !info.Mode().IsRegular():
		return "`" + path + "` is not a file"
	case info.Size() == 0:
		return "the file `" + path + "` is empty"
	}
	return ""
}

// readCheckout returns the state of the checkout, for an action that must not change it; nil for
// other actions.
func (s *Site) readCheckout(ctx context.Context, a flow.Action) (checkout.State, error) {
	if !a.ReadOnly {
		return nil, nil
	}
	return checkout.Read(ctx, s.Run, git.Folder{Path: s.Run.WorkDir, Environ: s.Environ}.Run)
}

// failIfChanged fails an action that has changed the checkout.
func (s *Site) failIfChanged(ctx context.Context, a flow.Action, before checkout.State, result flow.Result) flow.Result {
	if before == nil || result.Status != flow.Completed {
		return result
	}
	after, err := s.readCheckout(ctx, a)
	if err != nil {
		return checkout.Unknown(a.Key, err)
	}
	return checkout.Unchanged(a.Key, before, after, result)
}
