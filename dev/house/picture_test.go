package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/draw"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// picture is drawn from the import graph.
const picture = "docs/architecture.svg"

var update = flag.Bool("update", false, "write the files that are made from the code")

// A room is a box of the picture: the packages of its folders.
type room struct {
	name    string
	folders []string
}

// rooms are the boxes. A package belongs to the room with the longest folder
// above it. The room of shared leaves holds packages that import no others and
// serve compiler and runtime alike; "" leaves packages out of the picture: tests,
// examples, tools.
var rooms = []room{
	{"commands of wfc", []string{"cmd", "gen/vet"}},
	{"building", []string{"cmd/wfc/build", "internal/bundle"}},
	{"generator", []string{"gen", "gen/internal/callees"}},
	{"compiler", []string{"compiler", "compiler/config"}},
	{"front ends", []string{"compiler/internal/dialect", "compiler/internal/markdown", "compiler/internal/program", "compiler/internal/cron", "compiler/internal/jinja"}},
	{"values into scripts", []string{"compiler/internal/shell", "compiler/internal/script", "compiler/internal/bind"}},
	{"checks", []string{"compiler/internal/check", "internal/explore"}},
	{"typed program", []string{"internal/ir", "internal/expr", "internal/types", "internal/template"}},
	{"YAML", []string{"internal/yamlsrc"}},
	{"diagnostics", []string{"compiler/diag", "compiler/source", "internal/codes", "internal/finding"}},
	{"command line of binaries", []string{"runtime/cli", "runtime/mcp", "runtime/serve", "runtime/internal/desk", "runtime/internal/access", "runtime/embedding", "runtime/schedule", "runtime/internal/human", "runtime/internal/schedule"}},
	{"tests of workflows", []string{"runtime/wfctest", "runtime/internal/testfile", "runtime/internal/testrun", "runtime/internal/testsuite"}},
	{"engines", []string{"runtime/engine", "runtime/internal/dry", "runtime/internal/sched", "runtime/flow/sim", "runtime/internal/input", "runtime/internal/envvar", "runtime/internal/document", "runtime/internal/runerr"}},
	{"performers", []string{"runtime/agent", "runtime/internal/agent", "runtime/shell", "runtime/script", "runtime/deliver", "runtime/graphfiles"}},
	{"stores", []string{"runtime/store", "runtime/internal/database", "runtime/internal/ent", "runtime/internal/schema", "runtime/internal/runstore"}},
	{"kernel", []string{"runtime/flow", "runtime/internal/kernel"}},
	{"values", []string{"runtime/value", "runtime/output", "runtime/signal"}},
	{"shared leaves", []string{"internal/graph", "internal/keytable", "internal/shared", "runtime/reply", "runtime/settings"}},
	{"", []string{"", "dev", "internal", "examples", "runtime", "runtime/internal", "compiler/internal/jinjatest"}},
}

// TestRooms checks that every folder of the rooms exists.
func TestRooms(t *testing.T) {
	for _, r := range rooms {
		for _, folder := range r.folders {
			if _, err := os.Stat(filepath.Join(root, folder)); err != nil {
				t.Errorf("the room %q: %v", r.name, err)
			}
		}
	}
}

// TestPicture compares the picture in docs with the imports of today.
func TestPicture(t *testing.T) {
	var out bytes.Buffer
	if err := draw.Write(&out, "svg", "packages of wfc and what they import", boxes(t), nil); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, picture)
	if *update {
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, out.Bytes()) {
		t.Errorf("%s does not show today's imports (%v); `make docs` draws it", picture, err)
	}
}

// boxes returns the rooms as nodes that depend on the rooms that import them,
// without arrows that a longer way implies.
func boxes(t *testing.T) []flow.NodeInfo {
	imports := map[string]map[string]bool{} // room to rooms
	for dec := json.NewDecoder(bytes.NewReader(run(t, "list", "-json=ImportPath,Imports", "./..."))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		from := roomOf(p.ImportPath)
		for _, path := range p.Imports {
			if to := roomOf(path); from != "" && to != "" && from != to {
				if imports[to] == nil {
					imports[to] = map[string]bool{}
				}
				imports[to][from] = true
			}
		}
	}
	var nodes []flow.NodeInfo
	for _, r := range rooms {
		if r.name == "" {
			continue
		}
		for importer := range imports[r.name] {
			if reaches(imports, r.name, importer, map[string]bool{}) {
				t.Errorf("%s and %s import each other", importer, r.name)
			}
		}
		n := flow.NodeInfo{Key: r.name}
		for _, importer := range slices.Sorted(maps.Keys(imports[r.name])) {
			if !implied(imports, importer, r.name) {
				n.After = append(n.After, importer)
			}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// implied reports whether a room reaches another one through a third.
func implied(importers map[string]map[string]bool, from, to string) bool {
	for between := range importers[to] {
		if between != from && reaches(importers, from, between, map[string]bool{}) {
			return true
		}
	}
	return false
}

func reaches(importers map[string]map[string]bool, from, to string, seen map[string]bool) bool {
	if from == to {
		return true
	}
	seen[to] = true
	for between := range importers[to] {
		if !seen[between] && reaches(importers, from, between, seen) {
			return true
		}
	}
	return false
}

// roomOf returns the name of a package's room, "" for packages outside the
// picture.
func roomOf(path string) string {
	rest, ok := strings.CutPrefix(path+"/", module+"/")
	if !ok {
		return ""
	}
	name, longest := "", -1
	for _, r := range rooms {
		for _, folder := range r.folders {
			if (folder == "" || strings.HasPrefix(rest, folder+"/")) && len(folder) > longest {
				name, longest = r.name, len(folder)
			}
		}
	}
	return name
}
