//go:build !windows

package shell

import "github.com/wfc-lang/wfc/runtime/process"

func lookBash(environ []string) (string, error) { return process.LookPath("bash", "", environ) }
