package artifact

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// artifactRefType is the type of an object that refers to an artifact of a run.
const artifactRefType = "archon_artifact"

// CheckRefs fails an action of a run whose output refers to an artifact that the run does
// not have. Actions that need no check keep their results.
func CheckRefs(run *flow.RunInfo, a flow.Action, result flow.Result) flow.Result {
	if !a.CheckArtifactRefs || result.Status != flow.Completed {
		return result
	}
	var output any
	if json.Unmarshal([]byte(result.Text), &output) != nil {
		return result // its schema says what is wrong with it
	}
	problem := missingArtifact(run, output)
	if problem == "" {
		return result
	}
	result.Status = flow.Failed
	result.Failure = &flow.Failure{Reason: "artifact", Class: flow.ClassFatal,
		Message: fmt.Sprintf("the output of step `%s` refers to an artifact, but %s", a.Key, problem)}
	return result
}

// missingArtifact returns the fault of the first faulty artifact to which a JSON value
// refers, or "".
func missingArtifact(run *flow.RunInfo, v any) string {
	var inner []any
	switch v := v.(type) {
	case []any:
		inner = v
	case map[string]any:
		if v["type"] == artifactRefType {
			return wrongArtifact(run, v)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			inner = append(inner, v[name])
		}
	}
	for _, v := range inner {
		if problem := missingArtifact(run, v); problem != "" {
			return problem
		}
	}
	return ""
}

// wrongArtifact returns the fault of a reference to an artifact, or "". Links may not
// lead out of the folder for artifacts.
func wrongArtifact(run *flow.RunInfo, ref map[string]any) string {
	id, _ := ref["run_id"].(string)
	path, _ := ref["path"].(string)
	local := filepath.FromSlash(path)
	switch {
	case id != run.ID:
		return "`run_id` is `" + id + "`, and this run is `" + run.ID + "`"
	case path == "":
		return "it has no `path`"
	case !filepath.IsLocal(local) || strings.HasPrefix(path, `\`) || strings.Contains(path, "\x00") ||
		slices.Contains(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }), ".."):
		return "its path `" + path + "` is not inside the folder for artifacts"
	}
	file, err := os.OpenInRoot(run.ArtifactsDir, local)
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
