package pack

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// A File is a file of a pack, with its path from the pack's folder, with slashes.
type File struct {
	Path       string
	Content    []byte
	Executable bool
}

// A Manifest has the keys of archon-plugin.json, which Archon's packs have at their top.
type Manifest struct {
	SchemaVersion int    `json:"schemaVersion"`
	Kind          string `json:"kind"`
	Name          string `json:"name"`
	Description   string `json:"description"`
	Compatibility *struct {
		Archon string `json:"archon"`
	} `json:"compatibility,omitempty"`
	// Entrypoints are the files of the workflows that Archon offers to others, by their names there.
	Entrypoints map[string]string `json:"entrypoints"`
	Executable  string            `json:"executable,omitempty"`
}

// A Pack is a pack that is not part of a project yet.
type Pack struct {
	// Name is the name that the pack has of itself: of its manifest, or of its folder.
	Name  string
	Files []File
	// Manifest is nil unless the pack has archon-plugin.json.
	Manifest *Manifest
	Licence  string
	// packaged says that the files are packaged workflows of Archon.
	packaged bool
}

var (
	packName   = regexp.MustCompile(`^[a-z0-9]+(?:[._-][a-z0-9]+)*$`)
	entryNames = regexp.MustCompile(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)
	entryFile  = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*/[A-Za-z0-9_][A-Za-z0-9._-]*\.ya?ml$`)
)

// versionRange matches ranges of whole versions: alternatives of comparisons.
var versionRange = regexp.MustCompile(`^` + comparison + `(?: ` + comparison + `)*(?: \|\| ` + comparison + `(?: ` + comparison + `)*)*$`)

const comparison = `(?:>=|<=|>|<|=|\^|~)?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?`

// attributes keep git from changing the ends of lines of a pack, whose hashes would differ then.
const attributes = "* -text\n"

// attributesFile is the file with them.
const attributesFile = ".gitattributes"

// New returns the pack of files that Select chose. The error lists all its faults.
func New(s Source, files []File) (*Pack, error) {
	p := &Pack{Files: slices.Clone(files)}
	var problems []string
	size := 0
	for _, f := range files {
		size += len(f.Content)
		if bytes.HasPrefix(f.Content, []byte("version https://git-lfs.github.com/spec/")) {
			problems = append(problems, fmt.Sprintf("`%s` is a pointer of Git LFS, whose content wfc does not fetch: it runs no filters of git", plain.Line(f.Path)))
		}
		if len(f.Content) > int(wholefile.Source) {
			problems = append(problems, fmt.Sprintf("`%s` is larger than %d MiB", plain.Line(f.Path), wholefile.Source>>20))
		}
		if f.Path == workspace.PackManifest {
			manifest, err := parseManifest(f.Content, files)
			if err != nil {
				problems = append(problems, err.Error())
			}
			p.Manifest = manifest
		}
	}
	if size > MostBytes {
		problems = append(problems, fmt.Sprintf("its files have %d MiB, more than %d; name the folder of the pack in the repository", size>>20, MostBytes>>20))
	}
	if problems != nil {
		return nil, &refusedError{problems}
	}
	p.Name = strings.ToLower(path.Base(cmp.Or(s.Path, strings.TrimSuffix(s.Repository, ".git"))))
	if p.Manifest != nil {
		p.Name = p.Manifest.Name
	}
	_, above, inside := strings.Cut("/"+s.Path, workspace.ArchonFolder)
	p.packaged = p.Manifest != nil || inside && !strings.Contains(above, "/")
	p.Licence = detectLicence(files)
	p.Files = append(p.Files, File{Path: attributesFile, Content: []byte(attributes)})
	slices.SortFunc(p.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return p, nil
}

// ValidateName returns an error unless a pack can have a name.
func ValidateName(name string) error {
	if !packName.MatchString(name) || unportableReason(name) != "" || name == "defaults" || name == "fixtures" {
		return fmt.Errorf("`%s` cannot be the name of a pack; name it with --name: lower-case letters and digits, with - between", plain.Line(name))
	}
	return nil
}

// Folder returns the folder of the pack in a project, with slashes. Archon's packs, and folders of
// .archon/workflows, are where Archon copies them to.
func (p *Pack) Folder(name string) string {
	if p.packaged {
		return ".archon/workflows/" + name
	}
	return workspace.PacksFolder + "/" + name
}

// Workflows returns the files of the workflows that the pack offers, by the names that other
// workflows use. named are the files of its workflows, by the names that they declare: a pack of
// Archon offers its entrypoints alone.
func (p *Pack) Workflows(name string, s Source, named map[string]string) map[string]string {
	prefix := name
	if p.Manifest != nil {
		prefix, named = p.Name, p.Manifest.Entrypoints
	}
	if s.Owner != "" {
		prefix = s.Owner + "/" + prefix
	}
	offered := map[string]string{}
	for workflow, file := range named {
		offered[prefix+":"+workflow] = file
	}
	return offered
}

// parseManifest reads the manifest of a pack of Archon with the given files. It accepts what Archon
// accepts.
func parseManifest(content []byte, files []File) (*Manifest, error) {
	m := &Manifest{}
	fault := func(format string, args ...any) (*Manifest, error) {
		return nil, fmt.Errorf("`%s`: %s", workspace.PackManifest, fmt.Sprintf(format, args...))
	}
	var about struct{ Kind string }
	if err := json.Unmarshal(content, &about); err != nil {
		return fault("%v", plain.JSONError(err, string(content)))
	}
	if slices.Contains([]string{"forge", "provider", "chat"}, about.Kind) {
		return fault("it is a %s plugin, a program for Archon; wfc adds packs of workflows only", about.Kind)
	}
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return fault("%v", plain.JSONError(err, string(content)))
	}
	switch {
	case m.SchemaVersion != 1:
		return fault("`schemaVersion` is %d; wfc knows 1", m.SchemaVersion)
	case m.Kind != "workflow-pack":
		return fault("unknown `kind`: %s; wfc knows `workflow-pack`", plain.Quoted(m.Kind))
	case !entryNames.MatchString(m.Name):
		return fault("`name` %s is not of lower-case words with - between", plain.Quoted(m.Name))
	case m.Description == "":
		return fault("`description` is missing")
	case m.Executable != "":
		return fault("unknown key `executable`")
	case m.Compatibility != nil && !versionRange.MatchString(m.Compatibility.Archon):
		return fault("`compatibility.archon` %s is not a range such as `>=0.11.0 <0.12.0`", plain.Quoted(m.Compatibility.Archon))
	case len(m.Entrypoints) == 0:
		return fault("`entrypoints` names no workflow")
	}
	named := map[string]bool{}
	for _, entry := range slices.Sorted(maps.Keys(m.Entrypoints)) {
		file := m.Entrypoints[entry]
		folder := path.Dir(file) + "/"
		flows := slices.DeleteFunc(slices.Clone(files), func(f File) bool {
			rest, inside := strings.CutPrefix(f.Path, folder)
			return !inside || strings.Contains(rest, "/") || path.Ext(rest) != ".yaml" && path.Ext(rest) != ".yml"
		})
		switch {
		case !entryNames.MatchString(entry):
			return fault("the entrypoint %s is not of lower-case words with - between", plain.Quoted(entry))
		case !entryFile.MatchString(file) || strings.Contains(file, ".."):
			return fault("the file of entrypoint `%s` is not FOLDER/FILE.yaml", entry)
		case named[file]:
			return fault("two entrypoints name `%s`", file)
		case !slices.ContainsFunc(files, func(f File) bool { return f.Path == file }):
			return fault("entrypoint `%s` names `%s`, which the pack lacks", entry, file)
		case len(flows) != 1:
			return fault("entrypoint `%s` is in `%s`, which must have one .yaml file and has %d", entry, folder, len(flows))
		}
		named[file] = true
	}
	return m, nil
}
