package local

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// remoteHead returns the default branch of the remote origin of the checkout
// that dir is in, as git has it noted, or "" when there is no telling.
func remoteHead(ctx context.Context, dir string) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "origin/")
}
