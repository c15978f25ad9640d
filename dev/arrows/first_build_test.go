package arrows

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// small are the packages that a program with `--store memory` and without agents imports in
// its generated files; see package gen.
var small = []string{"runtime/cli", "runtime/engine", "runtime/engine/local", "runtime/flow", "runtime/flow/steps", "runtime/shell", "runtime/script", "runtime/value", "runtime/store/memory"}

// allowed are the packages of the standard library that such a program may compile, besides
// internal ones, and the modules. Each costs everybody's first build.
var (
	allowed = strings.Fields(`
		bufio bytes cmp context errors fmt io iter maps os path reflect regexp slices sort strconv strings sync syscall time unicode unique unsafe weak
		container/heap embed encoding encoding/base64 encoding/binary encoding/csv encoding/hex encoding/json flag hash hash/fnv html io/fs
		log log/slog math math/big math/bits math/rand math/rand/v2 net net/netip net/url os/exec os/signal os/user path/filepath
		regexp/syntax runtime runtime/debug sync/atomic text/template text/template/parse unicode/utf16 unicode/utf8
		archive/tar compress/flate compress/gzip hash/crc32
		crypto crypto/cipher crypto/fips140 crypto/pbkdf2 crypto/rand crypto/sha256 crypto/sha3 crypto/subtle`)
	allowedModules = []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/sys/...", "golang.org/x/term", "gopkg.in/yaml.v3"}
)

// generated returns the imports of the program of an archon workflow with these nodes.
func generated(t *testing.T, store settings.Store, nodes string) (paths []string) {
	t.Helper()
	text := "name: w\ndescription: d\nnodes:\n" + nodes
	r := compiler.Compile(source.NewFile("w.yaml", []byte(text)), compiler.Options{})
	if r.HasErrors() {
		t.Fatal(r.Diagnostics[0].Message)
	}
	for _, f := range gen.Generate(r.Workflow, gen.Options{Main: true, Store: store}) {
		file, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Content, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			paths = append(paths, strings.Trim(i.Path.Value, `"`))
		}
	}
	return paths
}

// TestFirstBuild keeps the first build of a program without a database and without agents
// below that of net/http: it compiles no web server, no TLS and no SQL.
func TestFirstBuild(t *testing.T) {
	needed := map[string]string{}
	std := map[string]bool{}
	for _, p := range list(t) {
		std[p.ImportPath] = p.Standard
		if matches(p.ImportPath, small) {
			for _, dep := range p.Deps {
				needed[dep] = p.ImportPath
			}
		}
	}
	for dep, by := range needed {
		switch {
		case std[dep]:
			internal := strings.Contains("/"+dep+"/", "/internal/") || strings.HasPrefix(dep, "vendor/")
			if !internal && !slices.Contains(allowed, dep) {
				t.Errorf("%s needs %s: every first build compiles it", by, dep)
			}
		case matches(dep, []string{"runtime/...", "internal/shared/..."}):
			if matches(dep, []string{"runtime/agent/...", "runtime/internal/ent/...", "runtime/internal/database", "runtime/store/entstore/..."}) {
				t.Errorf("%s needs %s", by, dep)
			}
		case !matches(dep, allowedModules):
			t.Errorf("%s needs %s: every first build compiles it", by, dep)
		}
	}
	for _, dep := range allowed {
		if needed[dep] == "" {
			t.Errorf("%s is allowed and nothing needs it", dep)
		}
	}
	nodes := "  - {id: a, bash: echo}\n  - {id: b, depends_on: [a], when: \"$a.output == 'x'\", bash: 'echo $a.output'}\n" +
		"  - {id: c, depends_on: [b], approval: {message: Continue?}}\n"
	for _, path := range generated(t, settings.StoreMemory, nodes) {
		if !matches(path, small) && !slices.Contains(allowed, path) {
			t.Errorf("the program imports %s, which this test does not follow", path)
		}
	}
	if len(needed) < 100 {
		t.Errorf("%d packages: does this test still see them?", len(needed))
	}
}
