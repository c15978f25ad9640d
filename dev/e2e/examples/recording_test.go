//go:build unix

package examples

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/dev/recording"
)

// TestRecording fails when docs/recording.svg is not the picture of the session in
// dev/recording/session.md, whose commands TestPages runs.
func TestRecording(t *testing.T) {
	lines := strings.Split(read(t, filepath.Join(root, "dev", "recording", "session.md")), "\n")
	var session []recording.Line
	for _, b := range blocks(lines) {
		if len(b.info) != 1 || b.info[0] != "console" {
			continue
		}
		for _, line := range lines[b.first:b.last] {
			text, command := strings.CutPrefix(line, "$ ")
			session = append(session, recording.Line{Text: text, Command: command})
		}
	}
	svg := recording.Draw("A workflow from a mistake to a finished run",
		"wfc check finds a misspelt field, wfc build makes a binary, its run stops at a gate, and a person approves.", session)
	golden(t, filepath.Join(root, "docs", "recording.svg"), svg)
}
