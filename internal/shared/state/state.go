// Package state defines where this machine keeps the state of runs: outside the folders in
// which workflows work, so that an agent that cleans up cannot remove it.
//
//	f, err := state.Locate("", ".") // the folder of this checkout, or WFC_STATE
//	if err != nil {
//		return err
//	}
//	log := f.LogFile("release-k3x9qz")
//
// Programs that open a store or read logs and artifacts of runs need [Locate] and the
// paths that it leads to. The rest is for wfc, its engines and the programs that wfc
// builds: the layout of the folder (CheckoutLock, LeaseFile, BinaryFile, Executable) and
// the origins of runs, by which wfc finds their programs.
package state

import (
	"cmp"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/internal/shared/trust"
)

// A Folder is the state folder of one project; Path is its absolute path. Only the owner
// of the folder can read the folders and files in it. Methods that return paths neither
// make the file or folder nor check that it exists.
type Folder struct{ Path string }

// Project returns the name of the folder's project: that of the repository's root, or of the
// state folder itself if the user chose it.
func (f Folder) Project() string {
	name := filepath.Base(f.Path)
	if i := len(name) - hashLength - 1; i > 0 && name[i] == '-' && strings.Trim(name[i+1:], "0123456789abcdef") == "" {
		return name[:i]
	}
	return name
}

// hashLength is the length of the hash in the name of a state folder.
const hashLength = 10

// Locate returns the state folder for runs that work in dir. The folder is given or, if
// given is "", the value of the environment variable WFC_STATE. Otherwise it is
// wfc/<name>-<hash> in $XDG_STATE_HOME, or in ~/.local/state, where name and hash are
// those of the repository's root, or of dir outside of a repository.
//
// It is an error when somebody else could change the files there.
func Locate(given, dir string) (Folder, error) {
	f, err := locateFolder(given, dir)
	if err == nil {
		err = trust.Folder(f.Path, filepath.Base(f.Database()), "runs", "builds", originsFolder)
	}
	if err != nil {
		return Folder{}, err
	}
	return f, nil
}

func locateFolder(given, dir string) (Folder, error) {
	if given = cmp.Or(given, os.Getenv("WFC_STATE")); given != "" {
		path, err := filepath.Abs(given)
		return Folder{path}, err
	}
	base, err := baseFolder()
	if err != nil {
		return Folder{}, err
	}
	root, err := Root(dir)
	if err != nil {
		return Folder{}, err
	}
	return Folder{filepath.Join(base, "wfc", safeName(filepath.Base(root))+"-"+runid.Hash(hashLength, root))}, nil
}

// Account returns the path of a folder for what all projects of this account share on this machine,
// such as the places of agents. WFC_STATE doesn't change it.
func Account(name string) (string, error) {
	base, err := baseFolder()
	if err != nil {
		return "", err
	}
	path := filepath.Join(base, "wfc", name)
	return path, trust.Folder(path)
}

func baseFolder() (string, error) {
	// The specification of the variable says that relative values do not count.
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := homeFolder()
	if err != nil {
		return "", fmt.Errorf("no place for the state of runs: %w; give --state FOLDER or set WFC_STATE", err)
	}
	return filepath.Join(home, ".local", "state"), nil
}

// homeFolder is the user's home folder, also where the environment does not
// say: services and cron start programs without it.
func homeFolder() (string, error) {
	home, err := os.UserHomeDir()
	if err == nil {
		return home, nil
	}
	if u, unknown := user.Current(); unknown == nil && filepath.IsAbs(u.HomeDir) {
		return u.HomeDir, nil
	}
	return "", err
}

// Root returns the root of the checkout that dir is in, with symbolic links
// resolved, or dir itself when it is in none.
func Root(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return dir, nil
		}
	}
}

// safeName keeps the characters of a name that are harmless in paths on every system.
func safeName(name string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '_'
	}, name)
	if safe = strings.Trim(safe, "."); safe == "" {
		return "root"
	}
	return safe
}

// Database returns the path of the store's file.
func (f Folder) Database() string { return filepath.Join(f.Path, "runs.db") }

// RunDir returns the path of the folder of a run, in which its log, its artifacts and its
// other files are, but not its worktree.
func (f Folder) RunDir(id string) string { return filepath.Join(f.Path, "runs", safeName(id)) }

// Shared returns the path of the folder for files that workflows keep from one run to the
// next; see flow.RunInfo.SharedDir.
func (f Folder) Shared() string { return filepath.Join(f.Path, "state") }

// Artifacts returns the path of the folder of a run's artifacts.
func (f Folder) Artifacts(id string) string { return filepath.Join(f.RunDir(id), "artifacts") }

// LogFile returns the path of the file with a run's log.
func (f Folder) LogFile(id string) string { return filepath.Join(f.RunDir(id), "log.jsonl") }

// LeaseFile returns the path of the file that the process that works on a run locks.
func (f Folder) LeaseFile(id string) string { return filepath.Join(f.RunDir(id), "lease") }

// Executable returns the path of the file in which a run keeps the binary that it began
// with.
func (f Folder) Executable(id string) string { return filepath.Join(f.RunDir(id), "executable") }

// BinaryFile returns the path of the file with a copy of a binary; name identifies the build.
// The runs of the binary share the copy: the Executable of each is a link to it, if the
// file system has links.
func (f Folder) BinaryFile(name string) string { return filepath.Join(f.Path, "builds", name) }

// WorktreeDir returns the path of the folder of a run's separate git worktree.
func (f Folder) WorktreeDir(id string) string {
	return filepath.Join(f.Path, "worktrees", safeName(id))
}

// CheckoutLock returns the path of the file that a run locks while it works on a checkout
// that it needs for itself alone. root is the root of the checkout.
func (f Folder) CheckoutLock(root string) string {
	return filepath.Join(f.Path, "locks", "checkout-"+runid.Hash(16, root))
}
