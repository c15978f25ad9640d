package cli

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/wfc-lang/wfc/gen/vet"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// wfc serves go vet as its tool, with the analyzers of gen/vet.

// The go command calls its tool with -V=full for the tool's identity, with -flags for its
// flags, and with flags and one file for each package.
const (
	identityFlag = "-V=full"
	flagsFlag    = "-flags"
	unitSuffix   = ".cfg"
)

// isToolCall reports whether arguments are those with which the go command calls its tool.
func isToolCall(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	flags := !slices.ContainsFunc(args[:len(args)-1], func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	return len(args) == 1 && (last == identityFlag || last == flagsFlag) || flags && strings.HasSuffix(last, unitSuffix) && filepath.IsAbs(last)
}

// serveTool serves a call of the go command; it does not return.
func serveTool(args []string) {
	if args[len(args)-1] == identityFlag {
		id, err := toolIdentity()
		if err != nil {
			fmt.Fprintf(os.Stderr, "wfc: %v\n", err)
			os.Exit(1)
		}
		fmt.Printf("wfc version devel buildID=%s\n", id)
		os.Exit(0)
	}
	unitchecker.Main(vet.Analyzers()...)
}

// toolIdentity returns the tool's identity. The go command keeps findings of a package as long
// as the package and the identity stay the same. So the identity also covers the files
// that code is generated from: workflows, wfc.yaml, commands and scripts.
func toolIdentity() (string, error) {
	h := sha256.New()
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	if module, err := workspace.FindGoModule(dir); err == nil {
		dir = module.Dir
	}
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // the go command says so, if it matters
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules"):
			return fs.SkipDir
		case !entry.Type().IsRegular() || strings.HasSuffix(path, ".go"):
			return nil
		}
		if info, err := entry.Info(); err == nil {
			fmt.Fprintf(h, "%q %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	return fmt.Sprintf("%x", h.Sum(nil)), err
}
