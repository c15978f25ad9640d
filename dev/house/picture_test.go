package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/draw"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// picture is drawn from the import graph.
const picture = "docs/architecture.svg"

var update = flag.Bool("update", false, "write the files that are made from the code")

// A room is a box of the picture: a row of the table of rooms.
type room struct {
	name string
	// floor is 0 for packages that aren't in the picture.
	floor    int
	packages []string
}

// readRooms returns the rows of the table of rooms.
func readRooms(t *testing.T) (rooms []room) {
	t.Helper()
	for _, row := range table(page(t, architecture), "## Rooms and packages") {
		r := room{name: strings.TrimSpace(row[1])}
		if floor := strings.TrimSpace(row[0]); floor != "—" {
			var err error
			if r.floor, err = strconv.Atoi(floor); err != nil {
				t.Fatalf("%s: the floor of the room %q: %v", architecture, r.name, err)
			}
		}
		for _, m := range code.FindAllStringSubmatch(row[2], -1) {
			r.packages = append(r.packages, withoutBraces(m[1])...)
		}
		rooms = append(rooms, r)
	}
	return rooms
}

// roomOf returns the room of a package: the one that names its path, or the longest path
// with /... above it; nil if none does.
func roomOf(rooms []room, path string) *room {
	for pattern := path; ; {
		for i, r := range rooms {
			if slices.Contains(r.packages, pattern) {
				return &rooms[i]
			}
		}
		if path == "." {
			return nil
		}
		if pattern != path {
			path = pathpkg.Dir(path)
		}
		pattern = path + "/..."
	}
}

// importers are the rooms that import each room, by their names.
type importers map[string]map[string]bool

// readImporters returns the imports between rooms, and reports those that don't lead to a
// lower floor.
func readImporters(t *testing.T, rooms []room) importers {
	imports := importers{}
	for dec := json.NewDecoder(bytes.NewReader(run(t, "list", "-json=ImportPath,Imports", "./..."))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return imports
		} else if err != nil {
			t.Fatal(err)
		}
		from := roomOf(rooms, strings.TrimPrefix(p.ImportPath, module+"/"))
		if from == nil || from.floor == 0 {
			continue
		}
		for _, path := range p.Imports {
			rest, ours := strings.CutPrefix(path, module+"/")
			if !ours {
				continue
			}
			to := roomOf(rooms, rest)
			if to == from {
				continue
			}
			if to == nil || to.floor == 0 || to.floor >= from.floor {
				t.Errorf("%s imports %s, which is not in a room of a lower floor", p.ImportPath, path)
				continue
			}
			if imports[to.name] == nil {
				imports[to.name] = map[string]bool{}
			}
			imports[to.name][from.name] = true
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
func boxes(t *testing.T) (nodes []flow.NodeInfo) {
	rooms := readRooms(t)
	imports := readImporters(t, rooms)
	for _, r := range rooms {
		if r.floor == 0 {
			continue
		}
		n := flow.NodeInfo{Key: r.name}
		for _, importer := range slices.Sorted(maps.Keys(imports[r.name])) {
			if !imports.implied(importer, r.name) {
				n.After = append(n.After, importer)
			}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// implied reports whether a room reaches another one through a third.
func (i importers) implied(from, to string) bool {
	for between := range i[to] {
		if between != from && i.reaches(from, between) {
			return true
		}
	}
	return false
}

// reaches reports whether a room imports another one, directly or through others.
func (i importers) reaches(from, to string) bool {
	for importer := range i[to] {
		if importer == from || i.reaches(from, importer) {
			return true
		}
	}
	return false
}
