package shell

import "github.com/wfc-lang/wfc/runtime/internal/process"

// Limited returns a performer with other limits of processes.
func Limited(l process.Limits) *Performer { return &Performer{limits: l} }
