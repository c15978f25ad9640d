package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/cmd/wfc/compare"
	"github.com/wfc-lang/wfc/cmd/wfc/pack"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// An adder is the command `wfc add` with its flags.
type adder struct {
	*app
	check, list, update, remove bool
	yes, force, keep, json      bool
	name                        string
	interrupted                 bool
	project                     *pack.Project
	lock                        *pack.Lock
	// edits are the edits of the pack that the command changes.
	edits []pack.Problem
}

func addCommand(a *app) *cobra.Command {
	d := &adder{app: a}
	cmd := &cobra.Command{
		Use:   "add [SOURCE@TAG | NAME[@TAG]]",
		Short: "Copy a pack of workflows into the project, and keep it up to date",
		Long: `add copies a pack of workflows, commands, scripts and tests from a git repository into the
project. SOURCE is one of:

  OWNER/REPO[/PATH]            a folder of a repository on GitHub
  https://HOST/REPO.git[//PATH]  a folder of any repository
  ./FOLDER                     a folder of a repository on this machine

TAG is a tag or the 40 digits of a commit. A pack with archon-plugin.json goes to
.archon/workflows/NAME, where Archon copies it to, and any other pack to packs/NAME.
wfc.lock keeps the commit, the licence and the hash of every file; commit it, too.

Nothing in a pack runs when you add it. add first shows what its workflows may do: agents,
their tools, and the programs that its scripts contain, as far as wfc can tell. You confirm
that at a terminal, or with --yes. Settings in a pack never apply; add shows what they ask for.

--check exits with 1 if files of packs or wfc.lock differ from what was confirmed. It needs
no network. --update shows how the workflows differ in meaning before it writes.`,
		Example: "  wfc add acme/workflows/review@v1.2.0\n  wfc add --update review@v1.3.0\n  wfc add --check\n  wfc add --remove review",
		Args:    atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := d.validate(args); err != nil {
				return err
			}
			return d.run(args)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			if !d.update && !d.remove || d.open() != nil && d.lock == nil {
				return nil, cobra.ShellCompDirectiveDefault
			}
			defer d.project.Close()
			return d.lock.Names(), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		},
	}
	f := cmd.Flags()
	f.BoolVar(&d.check, "check", false, "compare the files of packs with wfc.lock")
	f.BoolVar(&d.list, "list", false, "list the packs of the project")
	f.BoolVar(&d.update, "update", false, "replace a pack by another version, after showing the differences")
	f.BoolVar(&d.remove, "remove", false, "remove a pack and its files")
	f.BoolVar(&d.keep, "keep", false, "with --remove: keep the files as the project's own")
	f.BoolVar(&d.force, "force", false, "with --update or --remove: also if you changed files")
	f.BoolVar(&d.yes, "yes", false, "confirm what the pack may do")
	f.StringVar(&d.name, "name", "", "`NAME` of the pack in this project")
	f.BoolVar(&d.json, "json", false, "print one JSON document instead of text")
	return cmd
}

// validate checks the flags.
func (d *adder) validate(args []string) error {
	modes := 0
	for _, on := range []bool{d.check, d.list, d.update, d.remove} {
		if on {
			modes++
		}
	}
	switch {
	case modes > 1:
		return errors.New("--check, --list, --update and --remove exclude each other")
	case (d.check || d.list) && len(args) > 0:
		return fmt.Errorf("`%s` is superfluous: --check and --list are about all packs", plain.Line(args[0]))
	case !d.check && !d.list && len(args) == 0:
		return errors.New("`wfc add` needs a pack, such as OWNER/REPO/PATH@TAG\nsee `wfc add --help`")
	case d.force && !d.update && !d.remove:
		return errors.New("--force needs --update or --remove")
	case d.keep && !d.remove:
		return errors.New("--keep needs --remove")
	case d.name != "" && modes > 0:
		return errors.New("--name is for a new pack")
	}
	return nil
}

// open opens the project of the current folder. The error may be pack.ErrNoLock.
func (d *adder) open() error {
	pr, err := d.projects.currentProject()
	if err != nil {
		return err
	}
	if d.project, err = pack.Open(workspace.PackProject(pr.root)); err != nil {
		return err
	}
	d.interrupted = d.project.IsInterrupted()
	d.lock, err = d.project.Lock()
	return err
}

func (d *adder) run(args []string) error {
	err := d.open()
	if d.project == nil {
		return err
	}
	defer d.project.Close()
	switch {
	case d.interrupted && (d.check || d.list):
		return errors.New("an earlier `wfc add` was interrupted; the next `wfc add`, `--update` or `--remove` first restores the earlier files")
	case d.interrupted:
		if err := d.project.Recover(); err != nil {
			return err
		}
		fmt.Fprintln(d.Err, "an earlier `wfc add` was interrupted; the files from before it are restored")
		d.lock, err = d.project.Lock()
	}
	if errors.Is(err, pack.ErrNoLock) && !d.check && !d.remove && !d.update {
		err = nil
	}
	switch {
	case d.check && err != nil:
		return &exitError{ExitFindings, err}
	case err != nil:
		return err
	case d.check:
		return d.checkPacks()
	case d.list:
		return d.listPacks()
	case d.remove:
		return d.removePack(args[0])
	case d.update:
		return d.updatePack(args[0])
	}
	return d.addPack(args[0])
}

// known returns the pack of the project with a name.
func (d *adder) known(name string) (pack.Locked, error) {
	l, ok := d.lock.Find(name)
	if !ok {
		return l, fmt.Errorf("this project has no pack `%s`%s\nsee `wfc add --list`", plain.Line(name), plain.DidYouMean(name, d.lock.Names()))
	}
	return l, nil
}

func (d *adder) addPack(arg string) error {
	s, err := pack.ParseSource(arg, d.project.Dir, isRepository)
	if err != nil {
		return err
	}
	p, err := fetchPack(s, d.project.Dir)
	if err != nil {
		return err
	}
	for _, l := range d.lock.Packs {
		if old := l.Source(); old.IsSame(&s) && (d.name == "" || d.name == l.Name) {
			return d.explainKnown(l, s, p.commit)
		}
	}
	name := cmp.Or(d.name, p.Name)
	if err := pack.ValidateName(name); err != nil {
		return err
	}
	if old, taken := d.lock.Find(name); taken {
		from := old.Source()
		return fmt.Errorf("pack `%s` is from %s; give the new one another name with --name", name, plain.Line(from.String()))
	}
	return d.install(s, p, pack.Locked{Name: name}, nil)
}

// explainKnown says that the project has a pack: an error if the tag moved, or if the user wants
// another version.
func (d *adder) explainKnown(l pack.Locked, s pack.Source, commit string) error {
	if err := movedError(l, s, commit); err != nil {
		return err
	}
	if l.Commit != commit {
		return fmt.Errorf("this project has pack `%s` at %s; `wfc add --update %s@%s` replaces it", l.Name, version(l), l.Name, s.Version)
	}
	fmt.Fprintf(d.Err, "this project has pack `%s` at %s already\n", l.Name, version(l))
	return nil
}

// movedError returns an error if the tag of a pack names another commit now.
func movedError(l pack.Locked, s pack.Source, commit string) error {
	if l.Tag == "" || l.Tag != s.Version || l.Commit == commit {
		return nil
	}
	return fmt.Errorf("tag `%s` of %s moved: it was commit %s, and is now %s\nAsk its authors why. To take the new commit, name it: `wfc add --update %s@%s`",
		l.Tag, plain.Line(l.Repository), l.Commit, commit, l.Name, commit)
}

// version is the version of a pack for people.
func version(l pack.Locked) string {
	if l.Tag == "" {
		return fmt.Sprintf("commit %.12s", l.Commit)
	}
	return fmt.Sprintf("%s (commit %.12s)", l.Tag, l.Commit)
}

func (d *adder) updatePack(arg string) error {
	name, tag, _ := strings.Cut(arg, "@")
	l, err := d.known(name)
	if err != nil {
		return err
	}
	s := l.Source()
	if s.Version = tag; tag != "" {
		if err := pack.ValidateVersion(tag); err != nil {
			return err
		}
	}
	if err := d.refuseEdits(l, "replaces"); err != nil {
		return err
	}
	p, err := fetchPack(s, d.project.Dir)
	if err != nil {
		return err
	}
	if err := movedError(l, s, p.commit); err != nil {
		return err
	}
	if old := l.Source(); old.Version == s.Version && !d.force {
		return d.explainKnown(l, s, p.commit)
	}
	if p.Folder(l.Name) != l.Folder {
		return fmt.Errorf("pack `%s` is now for `%s`, not for `%s`; remove it, then add it again", l.Name, p.Folder(l.Name), l.Folder)
	}
	return d.install(s, p, l, &l)
}

// refuseEdits returns an error if files of a pack differ from the lock, unless --force or --keep is
// set.
func (d *adder) refuseEdits(l pack.Locked, verb string) (err error) {
	if d.edits, err = d.project.Compare(l); err != nil || d.force || d.keep || len(d.edits) == 0 {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "files of pack `%s` were changed in this project:\n", l.Name)
	for _, e := range d.edits {
		fmt.Fprintf(&b, "  %s %s\n", plain.Line(e.File), e.What)
	}
	fmt.Fprintf(&b, "--force %s them; `wfc add --remove %s --keep` makes them the project's own", verb, l.Name)
	return errors.New(b.String())
}

// install shows a pack, has the user confirm it, and writes it. l has its name; old is the version
// in the project, or nil.
func (d *adder) install(s pack.Source, p *fetchedPack, l pack.Locked, old *pack.Locked) error {
	if err := d.project.CheckWritable(); err != nil {
		return err
	}
	folder := p.Folder(l.Name)
	in, err := d.projects.inspectPack(d.project.Dir, folder, p)
	if err != nil {
		return err
	}
	l = pack.Locked{
		Name: l.Name, Repository: s.Repository, Path: s.Path, Owner: s.Owner, Tag: s.Version, Commit: p.commit,
		Folder: folder, Licence: p.Licence, Powers: in.powers, Workflows: p.Workflows(l.Name, s, in.named),
	}
	if s.IsCommit() {
		l.Tag = ""
	}
	if err := d.lock.RefuseClash(l); err != nil {
		return err
	}
	if old != nil {
		if err := d.showDifferences(*old, in); err != nil {
			return err
		}
	}
	d.describe(l, p, in, old)
	if err := d.confirm(); err != nil {
		return err
	}
	_, stop := untilSignal(context.Background()) // a signal waits until the pack is whole
	defer stop()
	if err := d.project.Install(d.lock, l, p.Files, d.edits); err != nil {
		return fmt.Errorf("%w\nthe project is as it was", err)
	}
	if d.json {
		return d.printPacks("added", []pack.Locked{l}, nil)
	}
	fmt.Fprintf(d.Err, "\nwrote %d files to %s, and %s; commit both. Next, type:\n  wfc check %s\n",
		len(p.Files), plain.Line(folder), workspace.LockName, plain.ShellWord(displayPath(filepath.Join(d.project.Dir, filepath.FromSlash(folder)))))
	return nil
}

// showDifferences shows how the workflows of a pack differ in meaning from those in the project.
func (d *adder) showDifferences(old pack.Locked, in *inspectedPack) error {
	ins, err := d.projects.findInputs([]string{filepath.Join(d.project.Dir, filepath.FromSlash(old.Folder))}, "")
	if err != nil {
		return err
	}
	was, err := d.projects.compileAll(&compileFlags{}, ins)
	if err != nil {
		return err
	}
	was = slices.DeleteFunc(was, func(o outcome) bool { return o.isConfig() || !o.isWorkflow() })
	for i := range was {
		was[i].input.name = displayPath(was[i].input.path)
	}
	files := pairVersions(was, in.outcomes, nil)
	return compare.Write(d.Err, compare.Text, files)
}

// describe shows what a pack is and may do.
func (d *adder) describe(l pack.Locked, p *fetchedPack, in *inspectedPack, old *pack.Locked) {
	s := l.Source()
	var rows [][]string
	add := func(title string, values ...string) {
		for _, value := range values {
			rows = append(rows, []string{"  " + title, value})
			title = ""
		}
	}
	add("pack", l.Name+", "+s.String())
	add("commit", l.Commit)
	if p.Manifest != nil {
		add("about", p.Manifest.Description)
		if c := p.Manifest.Compatibility; c != nil {
			add("for Archon", c.Archon)
		}
	}
	if l.Licence == pack.NoLicence {
		add("licence", "none: without one, you may not use the files; ask the authors")
	} else {
		add("licence", l.Licence)
	}
	add("files", fmt.Sprintf("%d, to %s", len(p.Files), l.Folder))
	add("workflows", plain.Texts(slices.Sorted(maps.Keys(l.Workflows)), func(name string) string { return name + " in " + l.Workflows[name] })...)
	var powers, asked []string
	for _, power := range l.Powers {
		shown := power
		if old != nil && !slices.Contains(old.Powers, power) {
			shown += " (new)"
		}
		if setting, ok := strings.CutPrefix(shown, askedPrefix); ok {
			asked = append(asked, setting)
		} else {
			powers = append(powers, shown)
		}
	}
	add("may use", powers...)
	add("asks for", asked...)
	for _, name := range in.broken {
		add("has errors", name+", so its powers are unknown")
	}
	add("left out", p.left...)
	for _, name := range d.project.IgnoredFiles(l.Folder, p.Files) {
		add("ignored", name+": git ignores it in this project, so other checkouts lack it")
	}
	for _, line := range plain.Table(d.textOptions(d.Err).Width, rows...) {
		fmt.Fprintln(d.Err, line)
	}
	if asked != nil {
		fmt.Fprintln(d.Err, "Settings of a pack do not apply. If you agree with what it asks for, add that to wfc.yaml.")
	}
	fmt.Fprintln(d.Err, "The list is incomplete: programs and agents can start other programs. Nothing in the pack has run.")
}

// confirm asks whether the pack may be written.
func (d *adder) confirm() error {
	if d.yes {
		return nil
	}
	q, ok := d.newQuestioner()
	if !ok {
		return errors.New("nothing was written; --yes confirms what the pack may do")
	}
	yes, err := q.askYesNo("Write the pack? yes or no", false)
	if err == nil && !yes {
		err = errLeft
	}
	return err
}

func (d *adder) removePack(name string) error {
	l, err := d.known(name)
	if err != nil {
		return err
	}
	if err := d.refuseEdits(l, "removes"); err != nil {
		return err
	}
	_, stop := untilSignal(context.Background())
	defer stop()
	if err := d.project.Remove(d.lock, l, d.edits, d.keep); err != nil {
		return err
	}
	if d.json {
		return d.printPacks("removed", []pack.Locked{l}, nil)
	}
	what := "removed pack `%s` and %s\n"
	if d.keep {
		what = "removed pack `%s` from wfc.lock; %s is the project's own now\n"
	}
	fmt.Fprintf(d.Err, what, l.Name, l.Folder)
	if folder := filepath.Join(d.project.Dir, filepath.FromSlash(l.Folder)); !d.keep && workspace.Exists(folder) {
		fmt.Fprintf(d.Err, "the files that git ignores there stay, because they are yours\n")
	}
	return nil
}

func (d *adder) checkPacks() error {
	var problems []pack.Problem
	files := 0
	for _, l := range d.lock.Packs {
		found, err := d.project.Compare(l)
		if err != nil {
			return err
		}
		problems, files = append(problems, found...), files+len(l.Files)
	}
	switch {
	case d.json:
		if err := d.printPacks("checked", d.lock.Packs, problems); err != nil {
			return err
		}
	case len(problems) == 0:
		fmt.Fprintf(d.Out, "%s, %s, no differences\n", plain.Count(len(d.lock.Packs), "pack"), plain.Count(files, "file"))
	}
	if len(problems) == 0 {
		return nil
	}
	if !d.json {
		for _, p := range problems {
			fmt.Fprintf(d.Out, "%s %s (pack %s)\n", plain.Line(p.File), p.What, p.Pack)
		}
		fmt.Fprintln(d.Err, "restore the files from a commit, or make them the project's own with `wfc add --remove NAME --keep`")
	}
	return silentExit(ExitFindings)
}

func (d *adder) listPacks() error {
	if d.json {
		return d.printPacks("listed", d.lock.Packs, nil)
	}
	if len(d.lock.Packs) == 0 {
		fmt.Fprintln(d.Out, "no packs")
		return nil
	}
	rows := [][]string{{"NAME", "VERSION", "LICENCE", "FOLDER", "SOURCE"}}
	for _, l := range d.lock.Packs {
		s := l.Source()
		s.Version = ""
		rows = append(rows, []string{l.Name, version(l), l.Licence, l.Folder, s.String()})
	}
	return d.writeTable(rows)
}

// printPacks prints the JSON document of a command.
func (d *adder) printPacks(action string, packs []pack.Locked, problems []pack.Problem) error {
	type shown struct {
		pack.Locked
		Files int    `json:"files"`
		Sum   string `json:"sum,omitempty"`
	}
	list := []shown{}
	for _, l := range packs {
		list = append(list, shown{Locked: l, Files: len(l.Files)})
	}
	if problems == nil {
		problems = []pack.Problem{}
	}
	return d.printDocument(struct {
		SchemaVersion int            `json:"schema_version"`
		Action        string         `json:"action"`
		Packs         []shown        `json:"packs"`
		Problems      []pack.Problem `json:"problems"`
	}{1, action, list, problems})
}
