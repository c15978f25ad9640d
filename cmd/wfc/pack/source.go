// Package pack copies packs of workflows into a project: it decides which files of a commit make
// up a pack, keeps the lock file, and replaces the files of a pack whole or not at all. It starts
// no program and reads no network.
package pack

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// A Source is a folder of a git repository at a tag or a commit.
type Source struct {
	// Repository is an https or file URL, or a path that starts with /, ./ or ../; relative paths
	// start at the project's folder.
	Repository string
	// Path is the folder in the repository, with slashes; "" is its top.
	Path string
	// Version is the name of a tag or the whole id of a commit; "" if the user gave none.
	Version string
	// Owner is the owner of a repository on GitHub, or "".
	Owner string
}

// hosted matches OWNER/REPO[/PATH].
var hosted = regexp.MustCompile(`^([A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)/([A-Za-z0-9._-]+)(?:/(.+))?$`)

// tagName matches the tags that a version may name.
var tagName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._+/-]*$`)

var commitID = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

const sourceForms = "write OWNER/REPO[/PATH]@TAG for a repository on GitHub, https://HOST/REPO.git[//PATH]@TAG, or ./FOLDER@TAG"

// IsCommit reports whether the version is the id of a commit.
func (s *Source) IsCommit() bool { return commitID.MatchString(s.Version) }

// String is the source as a user may write it.
func (s *Source) String() string {
	text := s.withoutVersion()
	if s.Version != "" {
		text += "@" + s.Version
	}
	return text
}

func (s *Source) withoutVersion() string {
	switch rest, github := strings.CutPrefix(s.Repository, "https://github.com/"); {
	case github && s.Owner != "":
		return path.Join(rest, s.Path)
	case s.Path == "":
		return s.Repository
	case strings.Contains(s.Repository, "://"):
		return s.Repository + "//" + s.Path
	}
	return s.Repository + "/" + s.Path
}

// IsSame reports whether two sources are the same folder of the same repository.
func (s *Source) IsSame(other *Source) bool { return s.withoutVersion() == other.withoutVersion() }

// Location is the repository as git takes it. project is the folder of the project.
func (s *Source) Location(project string) string {
	if strings.Contains(s.Repository, "://") || filepath.IsAbs(s.Repository) {
		return s.Repository
	}
	return filepath.Join(project, filepath.FromSlash(s.Repository))
}

// ParseSource reads a source as a user writes it: OWNER/REPO[/PATH]@TAG, a URL, or a path of this
// machine, whose repository is the nearest folder upwards for which isRepository is true. project
// is the folder of the project.
func ParseSource(text, project string, isRepository func(dir string) bool) (Source, error) {
	var s Source
	where := text
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		where, s.Version = text[:at], text[at+1:]
		if err := ValidateVersion(s.Version); err != nil {
			return s, err
		}
	}
	scheme, _, isURL := strings.Cut(where, "://")
	switch {
	case where == "":
		return s, fmt.Errorf("the source of the pack is empty; %s", sourceForms)
	case isURL && (scheme == "https" || scheme == "file"):
		return s, s.parseURL(where, scheme)
	case isURL, strings.Contains(where, "::"):
		return s, fmt.Errorf("wfc fetches packs only over https and from this machine, not with `%s`; %s", plain.Line(scheme), sourceForms)
	case where == ".", where == "..", strings.HasPrefix(where, "./"), strings.HasPrefix(where, "../"), filepath.IsAbs(where), strings.HasPrefix(where, `.\`), strings.HasPrefix(where, `..\`):
		return s, s.parseFolder(where, project, isRepository)
	case strings.Contains(where, ":"):
		return s, fmt.Errorf("wfc fetches packs only over https and from this machine, not from `%s`; %s", plain.Line(where), sourceForms)
	}
	found := hosted.FindStringSubmatch(strings.TrimSuffix(where, "/"))
	if found == nil || found[2] == "." || found[2] == ".." {
		return s, fmt.Errorf("`%s` is not the source of a pack; %s", plain.Line(where), sourceForms)
	}
	s.Owner, s.Repository, s.Path = found[1], "https://github.com/"+found[1]+"/"+strings.TrimSuffix(found[2], ".git"), found[3]
	return s, s.validatePath()
}

func (s *Source) parseURL(where, scheme string) error {
	start := len(scheme) + len("://")
	repository, folder := where, ""
	if i := strings.Index(where[start:], "//"); i >= 0 {
		repository, folder = where[:start+i], where[start+i+2:]
	}
	u, err := url.Parse(repository)
	switch {
	case err != nil:
		return fmt.Errorf("`%s` is not a URL", plain.Line(repository))
	case u.User != nil:
		return errors.New("the URL of a pack contains a name or a password, which wfc.lock would show to everybody; remove it, and give git a credential helper")
	case u.RawQuery != "" || u.Fragment != "" || u.Host == "" && scheme == "https" || u.Host != "" && scheme == "file" || u.Path == "":
		return fmt.Errorf("`%s` is not the URL of a git repository; %s", plain.Line(repository), sourceForms)
	}
	s.Repository, s.Path = repository, strings.TrimSuffix(folder, "/")
	return s.validatePath()
}

func (s *Source) parseFolder(where, project string, isRepository func(dir string) bool) error {
	folder, err := filepath.Abs(where)
	if err != nil {
		return err
	}
	for repository := range workspace.Ancestors(folder) {
		if !isRepository(repository) {
			continue
		}
		if s.Path, err = filepath.Rel(repository, folder); err != nil {
			return err
		}
		if s.Path = filepath.ToSlash(s.Path); s.Path == "." {
			s.Path = ""
		}
		s.Repository = filepath.ToSlash(repository)
		if rel, err := filepath.Rel(project, repository); err == nil && !filepath.IsAbs(where) {
			s.Repository = filepath.ToSlash(rel)
			if !strings.HasPrefix(s.Repository, ".") {
				s.Repository = "./" + s.Repository
			}
		}
		return s.validatePath()
	}
	return fmt.Errorf("`%s` is in no git repository; a pack needs a commit, so that everybody gets the same files", plain.Line(where))
}

func (s *Source) validatePath() error {
	if s.Path != "" && (path.Clean(s.Path) != s.Path || !filepath.IsLocal(filepath.FromSlash(s.Path)) || strings.ContainsAny(s.Path, ":\x00")) {
		return fmt.Errorf("`%s` is not the path of a folder in a repository", plain.Line(s.Path))
	}
	return nil
}

// ValidateVersion returns an error unless a version can be the name of a tag or a commit.
func ValidateVersion(version string) error {
	switch {
	case version == "":
		return errors.New("the tag after @ is empty; write a tag or the 40 digits of a commit")
	case strings.ContainsAny(version, "^~<>=* ") || strings.HasSuffix(version, ".x"):
		return fmt.Errorf("`%s` is a range of versions; write one tag or commit, so that everybody gets the same files", plain.Line(version))
	case !tagName.MatchString(version) || strings.Contains(version, "..") || strings.Contains(version, "//") || strings.HasSuffix(version, "/") || strings.HasSuffix(version, ".") || strings.HasSuffix(version, ".lock"):
		return fmt.Errorf("`%s` is not the name of a tag, nor the 40 digits of a commit", plain.Line(version))
	}
	return nil
}
