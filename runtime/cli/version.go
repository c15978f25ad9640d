package cli

import (
	"fmt"
	"runtime"
)

// builtBy is the version of wfc that built the program; the linker sets it.
var builtBy string

// version says which state of the workflow the program is, and what built it.
func (a *app) version() string {
	def := a.program.Definition
	text := fmt.Sprintf("%.12s %s %s/%s", def.Fingerprint, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if builtBy != "" {
		text += ", built by wfc " + builtBy
	}
	return text
}
