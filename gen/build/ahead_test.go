package build_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen/build"
)

// waitingGo is a go command whose build waits for the network until another one compiles the
// standard library, and then for the end of that one. $notes is a folder.
const waitingGo = `
until_there() { while [ ! -e "$1" ]; do sleep 0.01; done; }
case "$1 $*" in
build*-overlay=*)
	for a; do [ "$before" = -o ] && out=$a; before=$a; done
	echo "go: downloading example.com/far v1.0.0" >&2
	until_there "$notes/std"
	echo "runtime" >&2
	until_there "$notes/ended"
	echo program >"$out/workflow" && chmod +x "$out/workflow" ;;
build*database/sql*)
	trap 'touch "$notes/ended"; exit 1' INT
	echo "$*" >"$notes/writing"; mv "$notes/writing" "$notes/std"
	while :; do sleep 0.01; done ;;
*) echo go1.99.0 ;;
esac
`

// While the modules of a first build are downloaded, the standard library is compiled, until
// the build itself compiles.
func TestStandardLibraryIsCompiledAhead(t *testing.T) {
	notes := t.TempDir()
	b := &build.Builder{Module: smallModule(), Cache: t.TempDir(), Environ: os.Environ()}
	b.GoDirs = []string{fakeGo(t, "notes='"+notes+"'\n"+waitingGo)}
	b.Environ = append(without(b.Environ, "PATH", "GOROOT"), "PATH=/usr/bin:/bin")
	out := filepath.Join(t.TempDir(), "program")
	if err := b.Build(t.Context(), greeting(`" ahead"`), out); err != nil {
		t.Fatal(err)
	}
	args, err := os.ReadFile(filepath.Join(notes, "std"))
	if err != nil || !strings.Contains(string(args), "-trimpath -buildvcs=false") {
		t.Errorf("the standard library is compiled by %q, %v", args, err)
	}
}
