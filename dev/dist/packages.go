package main

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"embed"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"text/template"
	"time"
)

//go:embed templates/wfc.js
var launcher []byte

// A manifest is the package.json of an npm package.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	Homepage    string            `json:"homepage"`
	Repository  map[string]string `json:"repository"`
	Bin         map[string]string `json:"bin,omitempty"`
	Engines     map[string]string `json:"engines,omitempty"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
}

func newManifest(name, version, description string) manifest {
	const home = "https://github.com/wfc-lang/wfc"
	return manifest{
		Name: name, Version: version, Description: description, License: "MIT", Homepage: home,
		Repository: map[string]string{"type": "git", "url": "git+" + home + ".git"},
	}
}

// npmPlatform returns Node's names of a system and an architecture.
func npmPlatform(p platform) (system, cpu string) {
	system, cpu = p.goos, p.goarch
	if system == "windows" {
		system = "win32"
	}
	if cpu == "amd64" {
		cpu = "x64"
	}
	return system, cpu
}

// npmMain returns the files of the package that people install. It depends on one package for
// each system, of which npm installs the one that fits.
func npmMain(version string, platforms []platform, common []entry) ([]entry, error) {
	m := newManifest("wfc", version, "Compiles agent workflows to checked programs with durable runs")
	m.Bin = map[string]string{"wfc": "bin/wfc.js"}
	m.Engines = map[string]string{"node": ">=18"}
	m.Optional = map[string]string{}
	for _, p := range platforms {
		system, cpu := npmPlatform(p)
		m.Optional["@wfc-lang/wfc-"+system+"-"+cpu] = version
	}
	start := content("bin/wfc.js", launcher)
	start.program = true
	return npmPackage(m, append([]entry{start}, common...))
}

// npmProgram returns the files of the package with the program of a system.
func npmProgram(version string, p platform, program entry, common []entry) ([]entry, error) {
	system, cpu := npmPlatform(p)
	m := newManifest("@wfc-lang/wfc-"+system+"-"+cpu, version, "The program wfc for "+p.String())
	m.OS, m.CPU = []string{system}, []string{cpu}
	return npmPackage(m, append([]entry{program}, common...))
}

func npmPackage(m manifest, entries []entry) ([]entry, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	return below("package", append(entries, content("package.json", append(text, '\n')))), nil
}

// A debian is a Debian package.
type debian struct {
	name, version, architecture string
	// fields are further lines of the file control.
	fields      string
	description string
	entries     []entry
}

// debianVersion turns a version into one that Debian orders in the same way: what follows a
// tilde comes before the version without it.
func debianVersion(version string) string { return strings.ReplaceAll(version, "-", "~") }

// debianEntries returns the files of an archive where Debian has them.
func debianEntries(name string, entries []entry) []entry {
	list := make([]entry, len(entries))
	for i, e := range entries {
		switch {
		case e.name == "LICENSE":
			e.name = path.Join("share/doc", name, "copyright")
		case !strings.Contains(e.name, "/"):
			e.name = path.Join("share/doc", name, e.name)
		}
		e.name = path.Join("usr", e.name)
		list[i] = e
	}
	return list
}

// write writes the package: an ar archive of its version, its control files and its files.
func (d *debian) write(w io.Writer, at time.Time, work string) error {
	var size int64
	var sums bytes.Buffer
	entries, err := sorted(d.entries)
	if err != nil {
		return err
	}
	for _, e := range entries {
		size += e.size
		sum := md5.New()
		if err := e.copyTo(sum); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sum.Sum(nil), e.name)
	}
	control := fmt.Sprintf(`Package: %s
Version: %s
Architecture: %s
Maintainer: The wfc authors <https://github.com/wfc-lang/wfc>
Installed-Size: %d
Section: devel
Priority: optional
Homepage: https://github.com/wfc-lang/wfc
Suggests: bash, git, python3
%sDescription: %s
`, d.name, d.version, d.architecture, (size+1023)/1024, d.fields, d.description)
	var controls bytes.Buffer
	err = writeTarGz(&controls, []entry{content("control", []byte(control)), content("md5sums", sums.Bytes())}, at, gzip.BestCompression)
	if err != nil {
		return err
	}
	files, err := os.CreateTemp(work, "deb-*")
	if err != nil {
		return err
	}
	defer os.Remove(files.Name())
	defer files.Close()
	if err := writeTarGz(files, entries, at, gzip.DefaultCompression); err != nil {
		return err
	}
	data, err := file("data.tar.gz", files.Name())
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, "!<arch>\n"); err != nil {
		return err
	}
	for _, member := range []entry{content("debian-binary", []byte("2.0\n")), content("control.tar.gz", controls.Bytes()), data} {
		if err := writeMember(w, member, at); err != nil {
			return err
		}
	}
	return nil
}

// writeMember writes a member of an ar archive. Members begin at even bytes.
func writeMember(w io.Writer, e entry, at time.Time) error {
	if _, err := fmt.Fprintf(w, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", e.name, at.Unix(), 0, 0, 0o100644, e.size); err != nil {
		return err
	}
	if err := e.copyTo(w); err != nil {
		return err
	}
	if e.size%2 == 1 {
		_, err := io.WriteString(w, "\n")
		return err
	}
	return nil
}

//go:embed templates/formula.rb templates/Containerfile
var templates embed.FS

// A formula has the values for the template of a Homebrew formula.
type formula struct {
	Class, Desc, Version, Conflict string
	Systems                        []formulaSystem
}

type formulaSystem struct {
	Name  string // as in on_macos
	Files []formulaFile
}

type formulaFile struct{ CPU, URL, Sum string }

// newFormula returns a formula for the archives of a variant. url is the folder of the
// release.
func newFormula(v variant, version, url string, platforms []platform, list []product) formula {
	f := formula{Class: "Wfc", Desc: "Compile agent workflows to checked programs with durable runs", Version: version, Conflict: "wfc-full"}
	if v == full {
		f.Class, f.Conflict = "WfcFull", "wfc"
		f.Desc += ", without Go"
	}
	for _, system := range [][2]string{{"darwin", "macos"}, {"linux", "linux"}} {
		s := formulaSystem{Name: system[1]}
		for _, p := range platforms {
			cpu := map[string]string{"amd64": "intel", "arm64": "arm"}[p.goarch]
			for _, made := range list {
				if p.goos == system[0] && made.name == v.archive(version, p) {
					s.Files = append(s.Files, formulaFile{cpu, url + "/" + made.name, made.sum})
				}
			}
		}
		if len(s.Files) > 0 {
			f.Systems = append(f.Systems, s)
		}
	}
	return f
}

// render fills a template.
func render(name string, data any) ([]byte, error) {
	t, err := template.ParseFS(templates, "templates/"+name)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, data)
	return out.Bytes(), err
}
