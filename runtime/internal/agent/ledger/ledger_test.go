package ledger_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/agent/ledger"
)

func TestBook(t *testing.T) {
	dir := t.TempDir()
	tokens, costs := ledger.Book{Dir: dir, Name: "tokens"}, ledger.Book{Dir: dir, Name: "costs"}
	var got int
	if tokens.Last("s", &got) {
		t.Error("there is something already")
	}
	for session, value := range map[string]int{"s": 1, "../../s": 2, "S é/\x00": 3} {
		if err := tokens.Keep(session, value-1); err != nil {
			t.Fatal(err)
		}
		if err := tokens.Keep(session, value); err != nil {
			t.Fatal(err)
		}
	}
	for session, want := range map[string]int{"s": 1, "../../s": 2, "S é/\x00": 3} {
		if !tokens.Last(session, &got) || got != want {
			t.Errorf("%q: got %d, want %d", session, got, want)
		}
	}
	if costs.Last("s", &got) {
		t.Error("another book has it too")
	}
	if left, _ := os.ReadDir(filepath.Dir(dir)); len(left) != 1 {
		t.Errorf("files are outside of the folder: %v", left)
	}
	// Without a folder or a session nothing is kept, and nothing is wrong.
	for _, b := range []ledger.Book{{Name: "x"}, {Dir: filepath.Join(dir, "gone"), Name: "x"}} {
		if err := b.Keep("s", 1); err != nil || b.Last("s", &got) {
			t.Errorf("%+v: %v", b, err)
		}
	}
	if err := tokens.Keep("", 1); err != nil || tokens.Last("", &got) {
		t.Errorf("no session: %v", err)
	}
}
