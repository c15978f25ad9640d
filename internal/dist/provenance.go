package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	d.BuildType = repository + "/tree/main/internal/dist"
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
	s.Predicate.RunDetails.Builder.ID = repository + "/tree/main/internal/dist"
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}
