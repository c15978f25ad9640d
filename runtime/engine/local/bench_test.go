package local_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// BenchmarkRun is what the engine itself costs: steps that do nothing, in a
// store that keeps nothing.
func BenchmarkRun(b *testing.B) {
	for _, shape := range []struct {
		name     string
		n, width int
	}{{"one", 1, 1}, {"chain 100", 100, 1}, {"side by side 100", 100, 100}, {"layers 1000", 1000, 100}} {
		var steps []step
		for i := range shape.n {
			s := step{key: fmt.Sprint("n", i)}
			for k := range min(3, shape.width) {
				if i >= shape.width {
					s.after = append(s.after, fmt.Sprint("n", i/shape.width*shape.width-shape.width+(i+k)%shape.width))
				}
			}
			steps = append(steps, s)
		}
		def := define("bench", steps...)
		b.Run(shape.name, func(b *testing.B) {
			b.ReportAllocs()
			folder, work := state.Folder{Path: b.TempDir()}, b.TempDir()
			for b.Loop() {
				e, err := local.New(local.Config{Store: memory.New(), State: folder.Path, Performers: []engine.Performer{newPerformer()}})
				if err != nil {
					b.Fatal(err)
				}
				r, err := e.Run(context.Background(), def, nil, local.Options{WorkDir: work})
				if err != nil || r.Status != flow.Completed {
					b.Fatal(r, err)
				}
			}
		})
	}
}
