package main

import (
	_ "embed"
	"encoding/json"
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
