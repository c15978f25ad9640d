package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/cmd/wfc/pack"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// A fetchedPack is a pack as its repository has it.
type fetchedPack struct {
	*pack.Pack
	commit string
	// settings are the files with settings, which stay behind like the other files left.
	settings []pack.File
	left     []string
}

// fetchPack reads a pack from its repository: git fetches one commit into a temporary repository,
// and checks nothing out, so no hook, filter or submodule has a part in it.
func fetchPack(s pack.Source, project string) (*fetchedPack, error) {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	dir, err := os.MkdirTemp("", "wfc-add-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	commit, err := fetchCommit(ctx, gitRoot(dir), s, project)
	if err != nil {
		return nil, err
	}
	return readPack(gitRoot(dir), commit, s)
}

// remoteCommand is a command of git that reaches the repository of a source as the remote pack, and
// nothing else.
func remoteCommand(ctx context.Context, g gitRoot, s pack.Source, project, verb string, args ...string) (string, error) {
	protocol := "file"
	if strings.HasPrefix(s.Repository, "https://") {
		protocol = "https"
	}
	cmd := g.newTransport(ctx, protocol, append([]string{
		"-c", "remote.pack.url=" + s.Location(project), "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "fetch.recurseSubmodules=false", "-c", "transfer.bundleURI=false",
		"-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=60", verb, // a server that says nothing for so long, in seconds
	}, args...)...)
	cmd.WaitDelay = time.Second // the program that git talks to the server with outlives it
	out, err := outputOfGit(verb, cmd)
	var failed *gitError
	switch {
	case ctx.Err() != nil:
		err = &exitError{ExitInterrupted, errors.New("interrupted; nothing was written")}
	case errors.As(err, &failed):
		failed.advice = transportAdvice(failed.said, s.Repository)
	}
	return out, err
}

// transportAdvice says what to do about git's message on a repository that it can't read.
func transportAdvice(said, repository string) string {
	switch {
	case strings.Contains(said, "terminal prompts disabled"), strings.Contains(said, "Authentication failed"):
		return "wfc never asks for a password: give git a credential helper, so that `git ls-remote " + plain.ShellWord(repository) + "` works without a question"
	case strings.Contains(said, "certificate"):
		return "if a private authority signed the certificate, name its file: `git config --global http.sslCAInfo FILE`"
	}
	return ""
}

// packRef is the name that the fetched commit gets.
const packRef = "refs/wfc/pack"

// fetchCommit fetches the commit of a source, without its history, into a new repository.
func fetchCommit(ctx context.Context, g gitRoot, s pack.Source, project string) (commit string, err error) {
	if _, err := g.run("init", "--quiet", "--template="); err != nil {
		return "", err
	}
	wanted := "refs/tags/" + s.Version
	if s.IsCommit() {
		wanted = s.Version
	}
	if s.Version == "" {
		return "", explainVersion(ctx, g, s, project)
	}
	_, err = remoteCommand(ctx, g, s, project, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head",
		"--filter=blob:limit="+strconv.Itoa(int(wholefile.Source)+1), "--", "pack", wanted+":"+packRef)
	var failed *gitError
	switch {
	case errors.As(err, &failed) && !s.IsCommit() && strings.Contains(failed.said, "find remote ref"):
		return "", explainVersion(ctx, g, s, project)
	case errors.As(err, &failed):
		return "", fmt.Errorf("fetch %s: %w", plain.Line(s.String()), err)
	case err != nil:
		return "", err
	}
	// A partial clone would fetch what it lacks.
	if err := os.WriteFile(filepath.Join(string(g), ".git", "config"), []byte("[core]\n\trepositoryformatversion = 0\n"), 0o600); err != nil {
		return "", err
	}
	if commit, err = g.resolveCommit(packRef); err != nil {
		return "", fmt.Errorf("`%s` of %s is not a commit", s.Version, plain.Line(s.Repository))
	}
	return commit, nil
}

// mostTags are how many tags an error lists.
const mostTags = 8

// explainVersion returns the error about a source whose version names no tag, or that has none.
func explainVersion(ctx context.Context, g gitRoot, s pack.Source, project string) error {
	url := s.Location(project)
	out, err := remoteCommand(ctx, g, s, project, "ls-remote", "--sort=-version:refname", "--", "pack")
	if _, ok := errors.AsType[*gitError](err); ok {
		return fmt.Errorf("read the tags of %s: %w", plain.Line(url), err)
	} else if err != nil {
		return err
	}
	var tags []string
	for line := range strings.Lines(out) {
		id, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if tag, ok := strings.CutPrefix(ref, "refs/tags/"); ok && !strings.HasSuffix(tag, "^{}") {
			tags = append(tags, plain.Line(tag))
		}
		if ref == "refs/heads/"+s.Version {
			return fmt.Errorf("`%s` is a branch, which moves; write a tag, or the commit that it has now: %s", s.Version, id)
		}
	}
	text := "add a tag or a commit: " + plain.Line(s.String()) + "@TAG"
	if s.Version != "" {
		text = fmt.Sprintf("%s has no tag `%s`", plain.Line(url), s.Version)
	}
	if len(tags) == 0 {
		return errors.New(text + "; the repository has no tags, so name a commit by its 40 digits")
	}
	return fmt.Errorf("%s; its tags are %s", text, strings.Join(tags[:min(len(tags), mostTags)], ", "))
}

// readPack reads the pack of a source from the repository that has its commit.
func readPack(g gitRoot, commit string, s pack.Source) (*fetchedPack, error) {
	treeish := commit + ":" + s.Path
	if kind, err := g.run("cat-file", "-t", treeish); err != nil || strings.TrimSpace(kind) != "tree" {
		return nil, fmt.Errorf("commit %.12s of %s has no folder `%s`", commit, plain.Line(s.Repository), plain.Line(s.Path))
	}
	tree, err := g.readTree(treeish)
	if err != nil {
		return nil, err
	}
	files := map[string]gitFile{}
	var entries []pack.Entry
	for _, f := range tree.files {
		kind := pack.Regular
		if f.executable {
			kind = pack.Executable
		}
		files[f.path] = f
		entries = append(entries, pack.Entry{Path: f.path, Kind: kind})
	}
	for _, f := range tree.links {
		entries = append(entries, pack.Entry{Path: f.path, Kind: pack.Link})
	}
	for _, name := range tree.submodules {
		entries = append(entries, pack.Entry{Path: name, Kind: pack.Submodule})
	}
	chosen, err := pack.Select(entries)
	if err != nil {
		return nil, err
	}
	fetched := &fetchedPack{commit: commit, left: chosen.Left}
	content, err := readEntries(g, files, chosen.Files)
	if err != nil {
		return nil, err
	}
	if fetched.settings, err = readEntries(g, files, chosen.Settings); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(content, func(f pack.File) bool { return pack.IsLicence(f.Path) }) && s.Path != "" {
		above, err := readLicences(g, commit)
		if err != nil {
			return nil, err
		}
		content = append(content, above...)
	}
	fetched.Pack, err = pack.New(s, content)
	return fetched, err
}

// readEntries reads the contents of entries, which are regular files.
func readEntries(g gitRoot, files map[string]gitFile, entries []pack.Entry) ([]pack.File, error) {
	var list []gitFile
	for _, e := range entries {
		list = append(list, files[e.Path])
	}
	var all []pack.File
	size := 0
	err := g.readContents(list, func(f gitFile, r io.Reader) error {
		content, err := wholefile.Source.From(r, f.path)
		if tooLarge := (*fs.PathError)(nil); errors.As(err, &tooLarge) {
			return &lackingContentError{f.path}
		}
		if size += len(content); err == nil && size > pack.MostBytes {
			err = fmt.Errorf("the pack has more than %d MiB; name its folder in the repository", pack.MostBytes>>20)
		}
		all = append(all, pack.File{Path: f.path, Content: content, Executable: f.executable})
		return err
	})
	if lacking := (*lackingContentError)(nil); errors.As(err, &lacking) {
		err = fmt.Errorf("`%s` is larger than %d MiB", plain.Line(lacking.path), wholefile.Source>>20)
	}
	return all, err
}

// readLicences reads the files with a licence at the top of a repository, for a pack in a folder.
func readLicences(g gitRoot, commit string) ([]pack.File, error) {
	tree, err := g.readTree(commit)
	if err != nil {
		return nil, err
	}
	files := map[string]gitFile{}
	var entries []pack.Entry
	for _, f := range tree.files {
		if pack.IsLicence(f.path) {
			files[f.path] = f
			entries = append(entries, pack.Entry{Path: f.path})
		}
	}
	return readEntries(g, files, entries)
}

// isRepository reports whether a folder is the top of a git repository.
func isRepository(dir string) bool {
	return workspace.Exists(filepath.Join(dir, ".git")) || workspace.Exists(filepath.Join(dir, "HEAD")) && isFolder(filepath.Join(dir, "objects"))
}
