package archon

import (
	"slices"
	"strings"
)

// bundledCommands are the commands that the original engine brings with it, in
// `.archon/commands/defaults` of its repository. It finds them without any file in
// the project; wfc has none of them.
var bundledCommands = []string{
	"archon-assist", "archon-auto-fix-review", "archon-code-review-agent", "archon-comment-quality-agent", "archon-confirm-plan",
	"archon-create-plan", "archon-create-pr", "archon-docs-impact-agent", "archon-error-handling-agent", "archon-finalize-pr",
	"archon-fix-issue", "archon-implement", "archon-implement-issue", "archon-implement-review-fixes", "archon-implement-tasks",
	"archon-investigate-issue", "archon-issue-completion-report", "archon-parse-user-request", "archon-plan-setup", "archon-post-review-to-pr",
	"archon-pr-review-scope", "archon-ralph-generate", "archon-ralph-prd", "archon-resolve-merge-conflicts", "archon-self-fix-all",
	"archon-simplify-changes", "archon-sync-pr-with-main", "archon-synthesize-review", "archon-test-coverage-agent", "archon-validate",
	"archon-validate-pr-code-review-feature", "archon-validate-pr-code-review-main", "archon-validate-pr-e2e-feature",
	"archon-validate-pr-e2e-main", "archon-validate-pr-report", "archon-web-research", "archon-workflow-summary",
}

// isBundled reports whether the original engine brings a command of the name with
// it, or is likely to in some version.
func isBundled(name string) bool {
	return strings.HasPrefix(name, "archon-") || slices.Contains(bundledCommands, name)
}
