package archon

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// loadMCP reads the file that the mcp option names and returns its content:
// the servers become part of the program.
func loadMCP(d *decoder, v value, _ string) (string, *diag.Diagnostic) {
	name := v.Node.Value
	path := filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.env.Root, path)
	}
	f, err := d.library.open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", finding.MCPFile(v.Place(), name, "does not exist").
			WithHelp(`map names of servers to their settings: {"name": {"command": "program", "args": []}}`)
	case err != nil:
		return "", finding.UnreadableFile(v.Place(), name, reason(err))
	}
	content := bytes.TrimPrefix(f.Content, []byte("\ufeff"))
	var whole json.RawMessage
	if err := json.Unmarshal(content, &whole); err != nil {
		return "", finding.MCPFile(v.Place(), name, "is not valid JSON: "+plain.JSONError(err, string(content)).Error())
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, whole); err != nil || !bytes.HasPrefix(compact.Bytes(), []byte("{")) {
		return "", finding.MCPFile(v.Place(), name, "must contain a JSON object of servers")
	}
	return compact.String(), nil
}

// loadSkills reports skills that are not installed.
func loadSkills(d *decoder, v value, list string) (string, *diag.Diagnostic) {
	dirs := []string{filepath.Join(d.env.Root, ".claude", "skills")}
	if d.env.Home != "" {
		dirs = append(dirs, filepath.Join(d.env.Home, ".claude", "skills"))
	}
	for _, item := range v.Node.Items {
		name := item.Value
		found := false
		var known []string
		for _, dir := range dirs {
			found = found || d.library.has(filepath.Join(dir, name), "SKILL.md")
			for _, entry := range d.library.list(dir) {
				known = append(known, strings.TrimSuffix(entry, "/"))
			}
		}
		if !found {
			d.Bag.Add(finding.MissingSkill(item.Place(), name, finding.Nearest(name, known)))
		}
	}
	return list, nil
}
