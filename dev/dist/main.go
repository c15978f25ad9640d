// Command dist makes the files of a release: archives, packages, checksums, bills of materials
// and a statement of their provenance. Each byte of them follows from the commit and the
// version of Go, so that anybody can make them again and compare.
//
//	make dist DIST=FOLDER
//
// docs/internals/builds.md describes the files.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	m := &maker{ctx: ctx}
	var names string
	flag.StringVar(&m.out, "out", "bin/dist", "folder of the release; it must be new or have a release only")
	flag.StringVar(&m.work, "work", "", "folder for compiled packages and modules, kept (default: a temporary folder)")
	flag.StringVar(&m.url, "url", "", "address of the release for the Homebrew formula (default: that on GitHub)")
	flag.StringVar(&names, "platforms", allPlatforms, "platforms, separated by commas")
	flag.Parse()
	list, err := m.run(names)
	if err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
	show(list)
}

// run makes the release and returns its files.
func (m *maker) run(names string) ([]product, error) {
	var err error
	if m.platforms, err = parsePlatforms(names); err != nil {
		return nil, err
	}
	if m.work == "" {
		if m.work, err = os.MkdirTemp("", "wfc-dist-*"); err != nil {
			return nil, err
		}
		defer removeCache(m.work)
	}
	for _, dir := range []*string{&m.out, &m.work} {
		if *dir, err = filepath.Abs(*dir); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(*dir, 0o755); err != nil {
			return nil, err
		}
	}
	if err := m.empty(); err != nil {
		return nil, err
	}
	if err := m.prepare(); err != nil {
		return nil, err
	}
	return m.release()
}

const allPlatforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

// A platform is a system and an architecture in Go's names.
type platform struct{ goos, goarch string }

func (p platform) String() string { return p.goos + "/" + p.goarch }

// exe is the end of a program's name.
func (p platform) exe() string {
	if p.goos == "windows" {
		return ".exe"
	}
	return ""
}

func parsePlatforms(names string) ([]platform, error) {
	var list []platform
	for name := range strings.SplitSeq(names, ",") {
		if !strings.Contains(","+allPlatforms+",", ","+name+",") {
			return nil, fmt.Errorf("unknown platform %q; there are %s", name, allPlatforms)
		}
		goos, goarch, _ := strings.Cut(name, "/")
		list = append(list, platform{goos, goarch})
	}
	return list, nil
}

// A variant is one of the two sizes.
type variant string

const (
	small variant = "wfc"
	full  variant = "wfc-full"
)

// archive returns the name of the archive of a variant.
func (v variant) archive(version string, p platform) string {
	end := ".tar.gz"
	if p.goos == "windows" {
		end = ".zip"
	}
	return fmt.Sprintf("%s_%s_%s_%s%s", v, version, p.goos, p.goarch, end)
}

// limit is the size that an archive of a variant may have.
func (v variant) limit() int64 {
	if v == full {
		return 250e6
	}
	return 13.2e6
}

// show prints the files with their sizes.
func show(list []product) {
	tw := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, p := range list {
		fmt.Fprintf(tw, "%s\t%.1f MB\t%s\n", p.name, float64(p.size)/1e6, p.note)
	}
	tw.Flush()
}
