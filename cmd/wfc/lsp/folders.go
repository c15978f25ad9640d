package lsp

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/wfc-lang/wfc/cmd/wfc/search"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// workflowFiles returns the paths of the YAML files of all folders, and of open documents
// outside of them. The disk keeps the list.
func (v *view) workflowFiles(ctx context.Context) ([]string, error) {
	seen := map[string]bool{}
	for _, folder := range v.folders {
		list, err := v.disk.yamlFiles(ctx, folder, func(name string) (bool, error) {
			return !isConfig(name) && v.projectFor(name).config.Excludes(name), nil
		})
		if err != nil {
			return nil, err
		}
		for _, path := range list {
			seen[path] = true
		}
	}
	for path := range v.open {
		seen[path] = seen[path] || isYAML(path)
	}
	var all []string
	for _, path := range slices.Sorted(maps.Keys(seen)) {
		if seen[path] {
			all = append(all, path)
		}
	}
	return all, nil
}

// yamlFiles returns the paths of the YAML files below a folder. A folder that cannot be
// read to its end gives those that were found.
func (d *disk) yamlFiles(ctx context.Context, folder string, excluded func(string) (bool, error)) ([]string, error) {
	d.searching.Lock()
	defer d.searching.Unlock()
	if list, known := d.found[folder]; known {
		return list, nil
	}
	var list []string
	err := search.YAML(folder, excluded, func(name string) error {
		list = append(list, name)
		return ctx.Err()
	})
	if errors.Is(err, context.Canceled) {
		return nil, err
	}
	plain.PutEntry(&d.found, folder, slices.Clip(list))
	return list, nil
}

// eachFile calls visit with the analysis of every workflow file and configuration, for one
// at a time, in the order of their paths. It compiles several at once.
func (v *view) eachFile(ctx context.Context, visit func(*analysis)) error {
	paths, err := v.workflowFiles(ctx)
	if err != nil {
		return err
	}
	return v.visitPaths(ctx, paths, visit)
}

// usesOthers finds the keys by which a workflow uses another one.
var usesOthers = lazyregexp.New(`\b(?:workflow|include)["']?[ \t]*:`)

// eachUser is eachFile for the workflows that may use others.
func (v *view) eachUser(ctx context.Context, visit func(*analysis)) error {
	paths, err := v.workflowFiles(ctx)
	if err != nil {
		return err
	}
	files := &overlay{view: v, read: map[string]bool{}}
	paths = slices.DeleteFunc(paths, func(path string) bool {
		content, err := files.Read(path)
		return err != nil || search.BelongsToTests(path) || !usesOthers().Match(content)
	})
	return v.visitPaths(ctx, paths, visit)
}

// visitPaths is eachFile for the files at paths.
func (v *view) visitPaths(ctx context.Context, paths []string, visit func(*analysis)) error {
	if len(paths) == 0 {
		return nil
	}
	workers := min(runtime.GOMAXPROCS(0), len(paths))
	results := make([]chan *analysis, len(paths))
	for i := range results {
		results[i] = make(chan *analysis, 1)
	}
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	slots := make(chan struct{}, 2*workers) // results that nobody has visited yet
	group.Go(func() {
		for i := range paths {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			group.Go(func() {
				a, _ := v.analyzePath(ctx, paths[i]) // the error is that of the context
				results[i] <- a
			})
		}
	})
	for i := range results {
		select {
		case a := <-results[i]:
			<-slots
			if a != nil {
				visit(a)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// displayPath returns a path as messages show it: relative to the folder that contains it.
func (v *view) displayPath(path string) string {
	for _, folder := range v.folders {
		if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return path
}

func (v *view) addFolder(path string) {
	if path != "" && !slices.Contains(v.folders, path) {
		v.folders = append(slices.Clone(v.folders), path)
	}
}

func (v *view) removeFolder(path string) {
	v.folders = slices.DeleteFunc(slices.Clone(v.folders), func(f string) bool { return f == path })
}
