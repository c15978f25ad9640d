//go:build !windows

package shell

import "github.com/wfc-lang/wfc/runtime/internal/process"

func lookBash(environ []string) (string, error) { return process.LookPath("bash", "", environ) }
