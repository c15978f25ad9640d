package arrows

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math/rand/v2"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/graph"
)

// TestFilesPointOneWay limits how many arrows between the files of a package point
// backward. A file has an arrow to each file whose package-level declarations or methods it
// uses. An order of the files with few backward arrows is an order in which they can be
// read. The package go/types of the standard library has 14 % in its best order.
func TestFilesPointOneWay(t *testing.T) {
	for _, test := range []struct {
		dir   string
		limit float64 // in percent
	}{
		{"compiler/internal/dialect/graphloop", 14},
		{"gen", 2},
		{"runtime/cli", 14},
	} {
		t.Run(path.Base(test.dir), func(t *testing.T) {
			uses := usesOf(t, filepath.Join("../..", test.dir))
			back := uses.backward()
			share := 100 * float64(len(back)) / float64(len(uses))
			t.Logf("%d of %d arrows between files point backward: %.1f %%", len(back), len(uses), share)
			if share <= test.limit {
				return
			}
			slices.SortFunc(back, func(a, b arrow) int {
				return cmp.Or(cmp.Compare(len(uses[a]), len(uses[b])), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
			})
			var lines strings.Builder
			for _, a := range back {
				fmt.Fprintf(&lines, "\n%s uses of %s: %s", a.from, a.to, strings.Join(slices.Sorted(maps.Keys(uses[a])), ", "))
			}
			t.Errorf("in the best order of the files of %s, %.1f %% of the arrows between them point backward, more than %v %%. "+
				"Move declarations to where readers expect them. The backward arrows with the fewest declarations are the first:%s",
				test.dir, share, test.limit, lines.String())
		})
	}
}

// An arrow leads from a file to another one that declares something it uses.
type arrow struct{ from, to string }

// fileUses are the names that make up each arrow.
type fileUses map[arrow]map[string]bool

// usesOf reads the files that a package has on Linux. Their imports are not read: types
// and methods of other packages are no part of an arrow.
func usesOf(t *testing.T, dir string) fileUses {
	t.Helper()
	context := build.Default
	context.GOOS, context.GOARCH = "linux", "amd64"
	p, err := context.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: noImports{}, Error: func(error) {}}
	pkg, _ := config.Check(dir, fset, files, &info) // without imports there are errors
	fileOf := func(at token.Pos) string { return filepath.Base(fset.Position(at).Filename) }
	uses := fileUses{}
	for id, o := range info.Uses {
		if o.Pkg() != pkg || o.Parent() != pkg.Scope() && !isMethod(o) {
			continue
		}
		a := arrow{fileOf(id.Pos()), fileOf(o.Pos())}
		if a.from == a.to {
			continue
		}
		if uses[a] == nil {
			uses[a] = map[string]bool{}
		}
		uses[a][o.Name()] = true
	}
	return uses
}

func isMethod(o types.Object) bool {
	f, ok := o.(*types.Func)
	return ok && f.Signature().Recv() != nil
}

// noImports has an empty package for each import path.
type noImports struct{}

func (noImports) Import(name string) (*types.Package, error) {
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}

// backward returns the arrows that point backward in an order of the files with few of
// them. Only arrows within a cycle of files have to.
func (uses fileUses) backward() []arrow {
	arrows := slices.SortedFunc(maps.Keys(uses), func(a, b arrow) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	var names []string
	for _, a := range arrows {
		names = append(names, a.from, a.to)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	next := make([][]int, len(names))
	for _, a := range arrows {
		from, _ := slices.BinarySearch(names, a.from)
		to, _ := slices.BinarySearch(names, a.to)
		next[from] = append(next[from], to)
	}
	var back []arrow
	for _, cycle := range graph.Components(len(names), func(n int) []int { return next[n] }) {
		for _, a := range leastBackward(cycle, next) {
			back = append(back, arrow{names[a[0]], names[a[1]]})
		}
	}
	return back
}

// leastBackward returns the backward edges of a good order of nodes. It starts from several
// orders, moves each node to its best place until nothing gets better, and returns the best
// result.
func leastBackward(nodes []int, next [][]int) [][2]int {
	const starts = 40
	var best [][2]int
	for start := range starts {
		order := slices.Sorted(slices.Values(nodes))
		rand.New(rand.NewPCG(1, uint64(start))).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for moved := true; moved; {
			moved = false
			for _, n := range nodes {
				at := slices.Index(order, n)
				others := slices.Delete(slices.Clone(order), at, at+1)
				if to := bestPlace(n, at, others, next); to != at {
					order, moved = slices.Insert(others, to, n), true
				}
			}
		}
		var back [][2]int
		for i, n := range order {
			for _, before := range order[:i] {
				if slices.Contains(next[n], before) {
					back = append(back, [2]int{n, before})
				}
			}
		}
		if start == 0 || len(back) < len(best) {
			best = back
		}
	}
	return best
}

// bestPlace returns the index in an order at which a node has the fewest backward edges: at,
// unless another one is better.
func bestPlace(n, at int, order []int, next [][]int) int {
	costs := make([]int, len(order)+1)
	for _, other := range order {
		if slices.Contains(next[other], n) {
			costs[0]++
		}
	}
	for i, other := range order {
		costs[i+1] = costs[i]
		if slices.Contains(next[other], n) {
			costs[i+1]--
		}
		if slices.Contains(next[n], other) {
			costs[i+1]++
		}
	}
	if least := slices.Min(costs); least < costs[at] {
		return slices.Index(costs, least)
	}
	return at
}
