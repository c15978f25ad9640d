package main

import (
	"bytes"
	"embed"
	"text/template"
)

//go:embed templates/formula.rb templates/Containerfile
var templates embed.FS

// A formula is what the template of a Homebrew formula needs.
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
