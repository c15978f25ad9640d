package starter

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// Options say which project to write.
type Options struct {
	Template Template
	// Folder is the project's folder, which need not exist.
	Folder string
	// Agent is one of AgentNames.
	Agent string
	// Go adds generate.go, a Go file with a go:generate line.
	Go bool
	// CI adds a workflow for GitHub Actions.
	CI bool
	// Repository is the top folder of the git repository around Folder, or "". GitHub reads
	// its workflows only there.
	Repository string
	// NoSandbox says why steps cannot run in the sandbox on this machine, or is "".
	NoSandbox string
}

// A File is a file to write.
type File struct {
	Path    string
	Content []byte
}

// fileMode is the mode of the file: scripts can be executed.
func (f File) fileMode() fs.FileMode {
	if bytes.HasPrefix(f.Content, []byte("#!")) {
		return 0o777
	}
	return 0o666
}

// A Plan is the list of files of a project.
type Plan struct {
	// Files are created. None of them may exist.
	Files []File
	// Ignore are lines for IgnoreFile, which may exist.
	Ignore     []string
	IgnoreFile string
}

// The file names with a meaning.
const (
	ignoreLines = "gitignore" // in a template
	configFile  = "wfc.yaml"
	ciFile      = ".github/workflows/agent-workflows.yaml"
	generator   = "generate.go"
)

// NewPlan returns the files of a project in the order of their paths.
func NewPlan(o Options) (*Plan, error) {
	p := &Plan{IgnoreFile: filepath.Join(o.Folder, ".gitignore")}
	top := o.Template.sourceFolder()
	err := fs.WalkDir(files, top, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		switch name = strings.TrimPrefix(name, top+"/"); name {
		case ignoreLines:
			p.Ignore = strings.Split(strings.TrimSpace(string(content)), "\n")
			return nil
		case configFile:
			content = append(configForAgent(content, o.Agent), o.sandboxConfig()...)
		}
		p.Files = append(p.Files, File{filepath.Join(o.Folder, filepath.FromSlash(name)), content})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if o.Go {
		p.Files = append(p.Files, File{filepath.Join(o.Folder, generator), o.generatorSource()})
	}
	if o.CI {
		file, err := o.ciWorkflow()
		if err != nil {
			return nil, err
		}
		p.Files = append(p.Files, file)
	}
	return p, nil
}

// sandboxConfig is the end of wfc.yaml.
func (o Options) sandboxConfig() string {
	if o.NoSandbox == "" {
		return "\n# The programs of steps reach this project and what `grants` names, and nothing else. On\n" +
			"# other systems than Linux, runs need `--sandbox=off`.\nsandbox: on\n"
	}
	return "\n# On a machine with a sandbox, `on` lets the programs of steps reach this project and what\n" +
		"# `grants` names, and nothing else. `wfc doctor` says how to get one. Missing here:\n" +
		"# " + plain.Line(o.NoSandbox) + "\nsandbox: off\n"
}

// GoPackage is the folder of the generated package, relative to the project.
func (o Options) GoPackage() string {
	name := path.Base(o.Template.Workflow)
	return "internal/" + gen.PackageName(strings.TrimSuffix(name, path.Ext(name)))
}

// generatorSource returns the Go file that generates the workflow's package.
func (o Options) generatorSource() []byte {
	name := packageOf(o.Folder)
	return []byte("// Package " + name + " has the agent workflows of this project. `go generate` writes the Go\n" +
		"// package of each.\n" +
		"package " + name + "\n\n" +
		"//go:generate wfc gen " + o.Template.Workflow + " -o " + o.GoPackage() + "\n")
}

// packageOf returns the name of the Go package in a folder. If the folder has none, it is
// made from the folder's name.
func packageOf(folder string) string {
	sources, _ := filepath.Glob(filepath.Join(escapeGlob(folder), "*.go")) // the pattern is valid
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		if file, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.PackageClauseOnly); err == nil {
			return file.Name.Name
		}
	}
	return gen.PackageName(filepath.Base(folder))
}

// escapeGlob returns a path as a pattern that matches only this path.
func escapeGlob(name string) string {
	if os.PathSeparator == '\\' {
		return name // Windows has no escapes
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// ciWorkflow returns the workflow for GitHub Actions. A line that ends in a mark belongs only to
// the projects that the mark names.
func (o Options) ciWorkflow() (File, error) {
	text, err := files.ReadFile("github.yaml")
	if err != nil {
		return File{}, err
	}
	root, name, folder := o.Folder, ciFile, ""
	if o.Repository != "" {
		rel, err := filepath.Rel(o.Repository, o.Folder)
		if err != nil {
			return File{}, err
		}
		if rel != "." {
			root, folder = o.Repository, filepath.ToSlash(rel)
			name = strings.TrimSuffix(ciFile, ".yaml") + "-" + fileWord(folder) + ".yaml"
		}
	}
	var b bytes.Buffer
	for line := range strings.Lines(string(text)) {
		line, mark, marked := strings.Cut(line, " # init: ")
		switch mark = strings.TrimSpace(mark); {
		case mark == "folder" && folder == "", mark == "go" && !o.Go:
			continue
		case marked:
			line = strings.NewReplacer("FOLDER", quoteYAML(folder), "WORKFLOW", o.Template.Workflow, "PACKAGE", o.GoPackage()).Replace(line) + "\n"
		}
		b.WriteString(line)
	}
	return File{filepath.Join(root, filepath.FromSlash(name)), b.Bytes()}, nil
}

// quoteYAML returns a string as YAML.
func quoteYAML(s string) string { return string(plain.MustEncodeJSON(s)) }

// fileWord returns a path as a part of a file's name.
func fileWord(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, name)
}
