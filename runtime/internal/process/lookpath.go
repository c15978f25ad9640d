package process

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Variable returns the value of a variable in an environment, of two settings
// the later one.
func Variable(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		n, value, _ := strings.Cut(environ[i], "=")
		if n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
			return value
		}
	}
	return ""
}

// LookPath finds a program: a name without a separator in the folders of the
// environment's PATH, any other name as a path from dir. Folders of PATH that
// are not absolute are passed over: a checkout must not be able to put its own
// program in front. The error is a *StartError.
func LookPath(name, dir string, environ []string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.ContainsRune(name, '/') {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if found, err := executable(path, environ); err == nil {
			return found, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", &StartError{Program: name, Err: err}
		}
		return "", &StartError{Program: name, Err: exec.ErrNotFound}
	}
	var denied error
	for _, folder := range filepath.SplitList(searchPath(environ)) {
		if !filepath.IsAbs(folder) {
			continue
		}
		found, err := executable(filepath.Join(folder, name), environ)
		if err == nil {
			return found, nil
		}
		if denied == nil && errors.Is(err, fs.ErrPermission) {
			denied = err
		}
	}
	if denied != nil {
		return "", &StartError{Program: name, Err: denied}
	}
	return "", &StartError{Program: name, Err: exec.ErrNotFound}
}

// searchPath is the environment's PATH. An environment without one is that of a
// program started by a service or cron; shells have a path of their own there.
func searchPath(environ []string) string {
	if path := Variable(environ, "PATH"); path != "" || runtime.GOOS == "windows" {
		return path
	}
	return "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
}

// executable returns the file to execute for a path, with an ending of PATHEXT
// added on Windows.
func executable(path string, environ []string) (string, error) {
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return "", err
		case info.IsDir(), info.Mode()&0o111 == 0:
			return "", fs.ErrPermission
		}
		return path, nil
	}
	endings := Variable(environ, "PATHEXT")
	if endings == "" {
		endings = ".COM;.EXE;.BAT;.CMD"
	}
	if filepath.Ext(path) != "" {
		endings = ";" + endings
	}
	for _, ending := range strings.Split(endings, ";") {
		if info, err := os.Stat(path + ending); err == nil && !info.IsDir() {
			return path + ending, nil
		}
	}
	return "", fs.ErrNotExist
}
