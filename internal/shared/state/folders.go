package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// listedFolder is the folder of the account with the list of state folders that are not in the
// usual place: one file for each, whose content is the path.
const listedFolder = "folders"

// listFolder adds a state folder to the list of the account, unless it is in the usual place. An
// account without a home folder has no list.
func (f Folder) listFolder() error {
	base, err := baseFolder()
	if err != nil || filepath.Dir(f.Path) == filepath.Join(base, "wfc") {
		return nil
	}
	file := filepath.Join(base, "wfc", listedFolder, runid.Hash(hashLength, f.Path))
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	list, err := Account(listedFolder)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(list, 0o700), os.WriteFile(file, []byte(f.Path), 0o600))
}

// A Skipped is a state folder that could not be read, in JSON documents about several.
type Skipped struct {
	State  string `json:"state"`
	Reason string `json:"reason"`
}

// All returns the paths of all state folders in which this account has had runs, in order, and of
// the one that WFC_STATE names. It forgets folders that are gone.
func All() ([]string, error) {
	base, err := baseFolder()
	if err != nil {
		return nil, err
	}
	home := filepath.Join(base, "wfc")
	entries, err := os.ReadDir(home)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != listedFolder {
			paths = append(paths, filepath.Join(home, e.Name()))
		}
	}
	listed, _ := os.ReadDir(filepath.Join(home, listedFolder))
	for _, e := range listed {
		file := filepath.Join(home, listedFolder, e.Name())
		path, err := wholefile.Source.Read(file)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(string(path)); err != nil {
			_ = os.Remove(file)
			continue
		}
		paths = append(paths, string(path))
	}
	if own := os.Getenv("WFC_STATE"); own != "" {
		if own, err = filepath.Abs(own); err != nil {
			return nil, err
		}
		if _, err := os.Stat(own); err == nil {
			paths = append(paths, own)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}
