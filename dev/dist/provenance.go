package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/dev/licences"
)

// A product is a file of the release.
type product struct {
	name string
	size int64
	sum  string // SHA-256, as hex digits
	note string
}

// products returns the files of a folder, in the order of their names.
func products(dir string) ([]product, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []product
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		sum := sha256.New()
		size, err := io.Copy(sum, f)
		f.Close()
		if err != nil {
			return nil, err
		}
		list = append(list, product{name: e.Name(), size: size, sum: hex.EncodeToString(sum.Sum(nil))})
	}
	slices.SortFunc(list, func(x, y product) int { return cmp.Compare(x.name, y.name) })
	return list, nil
}

// checksums returns the list that `sha256sum -c` reads.
func checksums(list []product) []byte {
	var text []byte
	for _, p := range list {
		text = fmt.Appendf(text, "%s  %s\n", p.sum, p.name)
	}
	return text
}

// A statement is an in-toto statement with a predicate of SLSA provenance 1.
type statement struct {
	Type          string     `json:"_type"`
	Subject       []resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     struct {
		BuildDefinition struct {
			BuildType string         `json:"buildType"`
			External  map[string]any `json:"externalParameters"`
			Internal  map[string]any `json:"internalParameters"`
			Resolved  []resource     `json:"resolvedDependencies"`
		} `json:"buildDefinition"`
		RunDetails struct {
			Builder struct {
				ID string `json:"id"`
			} `json:"builder"`
		} `json:"runDetails"`
	} `json:"predicate"`
}

type resource struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest"`
}

// provenance returns the statement of how the files were made. It says nothing of the machine
// and of the time, since neither makes a difference, and it is not signed.
func (m *maker) provenance(list []product) ([]byte, error) {
	const repository = "https://github.com/wfc-lang/wfc"
	var s statement
	s.Type, s.PredicateType = "https://in-toto.io/Statement/v1", "https://slsa.dev/provenance/v1"
	for _, p := range list {
		s.Subject = append(s.Subject, resource{Name: p.name, Digest: map[string]string{"sha256": p.sum}})
	}
	d := &s.Predicate.BuildDefinition
	d.BuildType = repository + "/tree/main/dev/dist"
	var names []string
	for _, p := range m.platforms {
		names = append(names, p.String())
	}
	d.External = map[string]any{"repository": repository, "commit": m.commit, "platforms": names}
	d.Internal = map[string]any{"go": m.goVersion, "flags": strings.Join(buildFlags, " "), "CGO_ENABLED": "0"}
	d.Resolved = []resource{{URI: "git+" + repository, Digest: map[string]string{"gitCommit": m.commit}}}
	for _, p := range m.platforms {
		if t := m.toolchains[p]; t != nil {
			sum, _ := hashOf(t.sum)
			// The digest of go.sum, h1, is of all files of a module.
			d.Resolved = append(d.Resolved, resource{URI: "pkg:golang/golang.org/toolchain@" + t.version, Digest: map[string]string{"dirHash1": sum.Content}})
		}
	}
	s.Predicate.RunDetails.Builder.ID = repository + "/tree/main/dev/dist"
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

// A dependency is a module that an archive contains, as code or as source.
type dependency struct {
	Path, Version, Sum, Dir string
	Main                    bool
}

// dependencies returns the modules of packages for all platforms, in the order of their paths.
func (m *maker) dependencies(dir, modules string, platforms []platform, packages ...string) ([]dependency, error) {
	var list []dependency
	for _, p := range platforms {
		cmd := exec.CommandContext(m.ctx, "go", append([]string{"list", "-mod=readonly", "-deps", "-json=Module"}, packages...)...)
		cmd.Dir = dir
		cmd.Env = append(m.goEnviron(p), "GOMODCACHE="+modules)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", p, err)
		}
		for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
			var listed struct{ Module *dependency }
			if err := dec.Decode(&listed); err == io.EOF {
				break
			} else if err != nil {
				return nil, err
			}
			if d := listed.Module; d != nil && !d.Main && !slices.Contains(list, *d) {
				list = append(list, *d)
			}
		}
	}
	slices.SortFunc(list, func(x, y dependency) int {
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Version, y.Version))
	})
	return list, nil
}

// An sbom is a bill of materials in the form of CycloneDX 1.6.
type sbom struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    sbomHeader  `json:"metadata"`
	Components  []component `json:"components"`
}

type sbomHeader struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type     string        `json:"type"`
	Ref      string        `json:"bom-ref"`
	Name     string        `json:"name"`
	Version  string        `json:"version"`
	Hashes   []hash        `json:"hashes,omitempty"`
	Licences []licenceItem `json:"licenses,omitempty"`
	PURL     string        `json:"purl"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licenceItem struct {
	Licence struct {
		ID string `json:"id"`
	} `json:"license"`
}

func licensed(id string) []licenceItem {
	var item licenceItem
	item.Licence.ID = id
	return []licenceItem{item}
}

// makeSBOM returns the bill of materials of an archive. Its hashes are those of go.sum: of all
// files of a module, not of an archive.
func makeSBOM(name, version string, at time.Time, dependencies []dependency, tools []component) ([]byte, error) {
	const path = "github.com/wfc-lang/wfc"
	bom := sbom{Format: "CycloneDX", SpecVersion: "1.6", Version: 1}
	bom.Metadata.Timestamp = at.UTC().Format(time.RFC3339)
	own := "pkg:golang/" + path + "@v" + version
	bom.Metadata.Component = component{Type: "application", Ref: own, Name: name, Version: version, Licences: licensed("MIT"), PURL: own}
	for _, d := range dependencies {
		c := component{Type: "library", Name: d.Path, Version: d.Version, PURL: "pkg:golang/" + d.Path + "@" + d.Version}
		c.Ref = c.PURL
		if sum, ok := hashOf(d.Sum); ok {
			c.Hashes = []hash{sum}
		}
		if l, _, ok := licences.Of(d.Dir); ok {
			c.Licences = licensed(l.Name)
		}
		bom.Components = append(bom.Components, c)
	}
	bom.Components = append(bom.Components, tools...)
	text, err := json.MarshalIndent(bom, "", "  ")
	return append(text, '\n'), err
}

// hashOf turns a hash in the form of go.sum into that of CycloneDX.
func hashOf(sum string) (hash, bool) {
	encoded, ok := strings.CutPrefix(sum, "h1:")
	raw, err := base64.StdEncoding.DecodeString(encoded)
	return hash{"SHA-256", hex.EncodeToString(raw)}, ok && err == nil
}

// notices returns the texts of all licences of modules.
func notices(dependencies []dependency) ([]byte, error) {
	text := []byte("wfc contains code of these Go modules and of the Go standard library.\n")
	for _, d := range dependencies {
		_, files, ok := licences.Of(d.Dir)
		if !ok {
			return nil, fmt.Errorf("%s has no licence that wfc accepts", d.Path)
		}
		for _, path := range files {
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			text = fmt.Appendf(text, "\n== %s %s\n\n%s\n", d.Path, d.Version, strings.TrimSpace(string(content)))
		}
	}
	return text, nil
}
