package wire

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// Names of the activities of runs whose files Prepare provided.
const (
	// PerformGit performs an attempt at an action in a clone: Call to Performed.
	PerformGit = "perform_git"
	// Join makes the changes of an attempt part of the run's branch: Joining to Joined.
	Join = "join"
	// Hold takes the locks of a run again on the worker that has its files: Preparation to
	// Place.
	Hold = "hold"
	// Release gives back what Prepare took for a run: Returned.
	Release = "release"
)

// A Checkout is the state of the files of a run with WorkspaceGit.
type Checkout struct {
	// Repository is the URL of the repository, and Default its default branch or "".
	Repository string `json:"repository"`
	Default    string `json:"default,omitempty"`
	// Root is the path of the clone, and Place.WorkDir the folder in it where steps work.
	// Each attempt has a clone of its own, and its worker replaces the path.
	Root string `json:"root"`
	// Work and Artifacts are the last commits of the working folder and of the artifacts.
	Work      string `json:"work"`
	Artifacts string `json:"artifacts"`
}

// A Performed is the end of an attempt in a clone.
type Performed struct {
	Result Result `json:"result"`
	// Attempt tells the attempt from all others.
	Attempt string `json:"attempt,omitempty"`
	// Work and Artifacts are the commits of what it changed, or "".
	Work      string `json:"work,omitempty"`
	Artifacts string `json:"artifacts,omitempty"`
}

// A Joining asks a worker to make the changes of an attempt part of a run's branch.
type Joining struct {
	Run      string   `json:"run"`
	Step     string   `json:"step"`
	Checkout Checkout `json:"checkout"`
	// Attempt, Work and Artifacts are those of Performed.
	Attempt   string `json:"attempt,omitempty"`
	Work      string `json:"work,omitempty"`
	Artifacts string `json:"artifacts,omitempty"`
}

// A Joined has the last commits of the run.
type Joined struct {
	Work      string `json:"work"`
	Artifacts string `json:"artifacts"`
	// Conflict says why the changes cannot be part of the branch, or is "".
	Conflict string `json:"conflict,omitempty"`
}

// A Returned asks a worker to give back what Prepare took for a run.
type Returned struct {
	Run   flow.RunInfo `json:"run"`
	Place Place        `json:"place"`
}

// TagQueue returns the task queue of workers that have tags, which are in order; without
// tags it is the queue of all workers.
func TagQueue(queue string, tags []string) string {
	return strings.Join(append([]string{queue}, tags...), "+")
}

// RunTags returns the tags that one worker needs to perform all steps of a workflow and of
// the workflows that it runs, in order.
func RunTags(def *flow.Definition) []string {
	var tags []string
	for _, n := range def.Nodes {
		tags = append(tags, n.Tags...)
	}
	for _, child := range def.Children {
		tags = append(tags, RunTags(child)...)
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// Map returns v with all its strings changed by f.
func Map[T any](v T, f func(string) string) T { return mapped(v, f) }
