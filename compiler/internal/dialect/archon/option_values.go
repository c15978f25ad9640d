package archon

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// asWritten reads an option whose value the agent gets as it is written.
func asWritten[T any](read func(*decoder, value) (T, bool)) func(*decoder, value) (string, bool) {
	return func(d *decoder, v value) (string, bool) {
		_, ok := read(d, v)
		return v.Node.JSON(), ok
	}
}

func readStrings(d *decoder, v value) ([]decode.Entry, bool) { return d.Entries(v, d.Text) }

func readFullStrings(d *decoder, v value) ([]decode.Entry, bool) { return d.Entries(v, d.NonEmpty) }

// settleEffort lowers an effort that the agent does not have to the nearest weaker one
// that it has, or to its weakest.
func settleEffort(d *decoder, v value, agent string) (string, bool) {
	kind, _ := d.env.Kind(agent)
	wanted := v.Node.Value
	if lower := kind.NearestEffort(wanted); lower != "" && lower != wanted {
		d.Bag.Add(finding.LoweredEffort(v.Place(), wanted, agent, lower))
		return strconv.Quote(lower), true
	}
	return v.Node.JSON(), true
}

// settleTools reports tools that the agent does not have, as far as the catalog lists its
// tools. The agent itself ignores such a name silently.
func settleTools(d *decoder, v value, agent string) (string, bool) {
	kind, _ := d.env.Kind(agent)
	for _, item := range v.Node.Items {
		// A rule such as Bash(git:*) is about the tool Bash. Only a run knows the tools of MCP
		// servers.
		name, _, _ := strings.Cut(item.Value, "(")
		name = strings.TrimSpace(name)
		if kind.Tools == nil || name == "" || strings.HasPrefix(name, "mcp__") || slices.Contains(kind.Tools, name) {
			continue
		}
		text := item.Text()
		start := strings.Index(text.Value, name)
		d.Bag.Add(finding.UnknownTool(text.Span(start, start+len(name)), name, agent, kind.Tools))
	}
	return v.Node.JSON(), true
}

// settleFallback returns the model to fall back on by its own name.
func settleFallback(d *decoder, v value, agent string) (string, bool) {
	model, ok := d.furtherModel(v, agent, v.Node.Value)
	return (&yamlsrc.Node{Kind: yamlsrc.Scalar, Tag: yamlsrc.TagString, Value: model}).JSON(), ok
}

// loadMCP reads the file that the mcp option names and returns its content:
// the servers become part of the program.
func loadMCP(d *decoder, v value, _ string) (string, *diag.Diagnostic) {
	name := v.Node.Value
	path := filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.env.Root, path)
	}
	f, err := d.library.openFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", finding.MCPFile(v.Place(), name, "does not exist").
			WithHelp(`map names of servers to their settings: {"name": {"command": "program", "args": []}}`)
	case err != nil:
		return "", finding.UnreadableFile(v.Place(), name, dialect.Reason(err))
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
	dirs := skillDirs(d.env)
	for _, item := range v.Node.Items {
		name := item.Value
		found := false
		var known []string
		for _, dir := range dirs {
			found = found || d.library.hasFile(filepath.Join(dir, name), "SKILL.md")
			for _, entry := range d.library.listFolder(dir) {
				known = append(known, strings.TrimSuffix(entry, "/"))
			}
		}
		if !found {
			d.Bag.Add(finding.MissingSkill(item.Place(), name, plain.Nearest(name, known)))
		}
	}
	return list, nil
}

// skillDirs are the folders of skills.
func skillDirs(env *dialect.Env) []string {
	dirs := []string{filepath.Join(env.Root, ".claude", "skills")}
	if env.Home != "" {
		dirs = append(dirs, filepath.Join(env.Home, ".claude", "skills"))
	}
	return dirs
}

// settleHelpers returns the helper agents with their models by their own names.
// One whose model is another agent's has that of the agent which it helps.
func settleHelpers(d *decoder, v value, agent string) (string, bool) {
	all := *v.Node
	all.Pairs = slices.Clone(all.Pairs)
	for i, p := range all.Pairs {
		named := p.Value.Pair("model")
		if named == nil {
			continue
		}
		at := v.Member(&p).Member(named)
		model, ok := d.furtherModel(at, agent, named.Value.Value)
		helper := *p.Value
		helper.Pairs = slices.DeleteFunc(slices.Clone(helper.Pairs), func(p yamlsrc.Pair) bool { return !ok && p.Key.Value == "model" })
		for j := range helper.Pairs {
			if helper.Pairs[j].Key.Value == "model" {
				helper.Pairs[j].Value = &yamlsrc.Node{Kind: yamlsrc.Scalar, Tag: yamlsrc.TagString, Value: model}
			}
		}
		all.Pairs[i].Value = &helper
	}
	return all.JSON(), true
}
