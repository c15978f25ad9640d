package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// Many programs that are no interpreters have options that run others: tar
// --to-command, git -c core.pager, ssh -o ProxyCommand. A value there is program
// text. A value among the operands may begin with a dash and be taken for such an
// option, unless `--` stands before it or the word begins with something else.

// A Program says where a program runs text that it is given. The zero Program
// runs none.
type Program struct {
	// Runs are the operands that are program text, from 1; 0 stands for all.
	Runs []int
	// Options are the options whose value is program text.
	Options []string
	// Values are further options that take a value of their own.
	Values []string
}

// A tool is a program as the table knows it.
type tool struct {
	Program
	// risk says what a value does that is taken for an option.
	risk risk
	// noDashes says that `--` does not end the options; safe is what to write then.
	noDashes bool
	// bundled says that the first operand may be options without a dash: tar xf.
	bundled bool
	// stops says that the first operand ends the options.
	stops bool
	// quotedOnly says that a value in quotes does no harm.
	quotedOnly bool
	// lead are the characters that make an operand a command.
	lead string
	// commands are the tool's commands, by name; what is not listed runs nothing.
	commands map[string]*tool
}

type risk int

const (
	noRisk risk = iota
	mayRun      // an option may run a program: a warning
	runs        // one option alone runs a program: an error
)

// tools are the programs with options that run others, by name.
var tools = map[string]*tool{
	"ssh":     {Program: Program{Options: []string{"-o", "-F", "-S", "-I", "-E"}, Values: sshValues}, risk: runs, stops: true},
	"scp":     {Program: Program{Options: []string{"-o", "-S", "-F", "-D"}, Values: []string{"-c", "-i", "-J", "-l", "-P", "-X"}}, risk: runs},
	"sftp":    {Program: Program{Options: []string{"-o", "-S", "-F", "-D", "-b"}, Values: []string{"-c", "-i", "-J", "-l", "-P", "-R", "-B", "-s", "-X"}}, risk: runs},
	"rsync":   {Program: Program{Options: []string{"-e", "--rsh", "--rsync-path"}, Values: []string{"-f", "--exclude", "--include", "-T", "-B", "--files-from"}}, risk: runs},
	"tar":     {Program: Program{Options: []string{"-I", "--use-compress-program", "--checkpoint-action", "--to-command", "--rsh-command", "--rmt-command", "-F", "--info-script", "--new-volume-script"}, Values: []string{"-f", "--file", "-C", "--directory", "-T", "--files-from", "-X", "--exclude-from", "-b", "-g", "-K", "-N", "-V", "-H", "--exclude"}}, risk: runs, bundled: true},
	"zip":     {Program: Program{Options: []string{"-TT", "--unzip-command"}, Values: []string{"-b", "-n", "-P", "-t", "-x", "-i"}}, risk: runs},
	"split":   {Program: Program{Options: []string{"--filter"}, Values: []string{"-a", "-b", "-C", "-l", "-n", "-t"}}, risk: runs},
	"sort":    {Program: Program{Options: []string{"--compress-program"}, Values: []string{"-k", "-t", "-o", "-S", "-T"}}, risk: mayRun},
	"sed":     {Program: Program{Values: []string{"-e", "-f", "-l", "--expression", "--file", "-E"}}, risk: runs},
	"wget":    {Program: Program{Options: []string{"--use-askpass", "-e", "--execute", "--config"}, Values: []string{"-O", "-o", "-a", "-P", "-U", "-t", "-T", "-w", "-Q", "-i"}}, risk: runs},
	"curl":    {Program: Program{Options: []string{"-K", "--config"}, Values: []string{"-d", "-H", "-o", "-X", "-u", "-A", "-b", "-c", "-e", "-F", "-m", "-T", "-w", "-x", "-r", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--json", "--header", "--output", "--request", "--user", "--url", "--max-time", "--retry", "--connect-timeout", "--form", "--write-out"}}, risk: noRisk},
	"man":     {Program: Program{Options: []string{"-P", "--pager", "-H", "--html", "-C", "--config-file"}, Values: []string{"-M", "-S", "-L"}}, risk: runs},
	"vim":     {Program: Program{Values: []string{"-c", "--cmd", "-S", "-s", "-u", "-w", "-T"}}, risk: runs, lead: "+"},
	"ed":      {risk: runs, lead: "!"},
	"less":    {Program: Program{Options: []string{"-k"}}, risk: mayRun, lead: "+"},
	"more":    {risk: mayRun, lead: "+"},
	"gdb":     {Program: Program{Values: []string{"-ex", "-x", "-p", "-c", "-iex", "-d"}}, risk: runs},
	"strace":  {Program: Program{Options: []string{"-o"}}, risk: noRisk},
	"ltrace":  {Program: Program{Options: []string{"-o"}}, risk: noRisk},
	"tcpdump": {Program: Program{Options: []string{"-z"}, Values: []string{"-i", "-w", "-r", "-c"}}, risk: runs},
	"nc":      {Program: Program{Options: []string{"-e", "-c"}, Values: []string{"-p", "-s", "-w", "-x"}}, risk: runs},
	"ncat":    {Program: Program{Options: []string{"-e", "-c", "--exec", "--sh-exec", "--lua-exec"}, Values: []string{"-p", "-s", "-w"}}, risk: runs},
	"socat":   {Program: Program{Runs: []int{0}}},
	"tmux":    {Program: Program{Runs: []int{0}}},
	"screen":  {Program: Program{Runs: []int{0}}},
	"pandoc":  {Program: Program{Options: []string{"--filter", "-F", "--lua-filter", "-L", "--pdf-engine", "-d", "--defaults"}, Values: []string{"-o", "-f", "-t", "--metadata", "-M", "-V"}}, risk: runs},
	"ansible": {Program: Program{Options: []string{"-a", "--args", "-m", "-e", "--extra-vars", "-i"}}, risk: runs},
	"psql":    {Program: Program{Values: []string{"-c", "-f", "-v", "-d", "-h", "-U", "-p", "-o", "-F", "-P", "--set", "--command", "--file", "--dbname", "--host", "--username", "--port"}}, risk: runs},
	"mysql":   {Program: Program{Options: []string{"--init-command", "--pager"}, Values: []string{"-e", "-u", "-h", "-P", "-D"}}, risk: runs},
	"gcc":     {Program: Program{Options: []string{"-wrapper", "-B", "-specs", "-fplugin"}, Values: []string{"-o", "-I", "-L", "-D", "-x", "-include"}}, risk: runs, noDashes: true},
	"ld":      {Program: Program{Options: []string{"-plugin", "--plugin", "-T", "--dynamic-linker", "-I"}, Values: []string{"-o", "-L", "-l"}}, risk: mayRun, noDashes: true},
	"go": {commands: map[string]*tool{
		"build": goTool, "test": goTool, "run": {Program: Program{Runs: []int{1}, Options: goTool.Options, Values: goTool.Values}, risk: runs, noDashes: true},
		"vet": goTool, "install": goTool, "generate": goTool, "list": goTool, "tool": {Program: Program{Runs: []int{1}}},
	}},
	"cargo":  {Program: Program{Options: []string{"--config"}, Values: []string{"-p", "--package", "--bin", "--features", "-j", "--target", "--manifest-path"}}, risk: runs},
	"npx":    {Program: Program{Runs: []int{1}, Options: []string{"-c", "--call", "-p", "--package"}}, risk: runs},
	"bunx":   {Program: Program{Runs: []int{1}}, risk: runs},
	"uvx":    {Program: Program{Runs: []int{1}, Options: []string{"--from", "--with"}}, risk: runs},
	"pipx":   {commands: map[string]*tool{"run": {Program: Program{Runs: []int{1}}, risk: runs}}},
	"helm":   {Program: Program{Options: []string{"--post-renderer"}}},
	"at":     {Program: Program{Options: []string{"-f"}}},
	"xterm":  {Program: Program{Runs: []int{0}}},
	"dialog": {},
	"git":    gitTool,
	"find":   findTool, "fd": findTool,
	"install":   {Program: Program{Options: []string{"--strip-program"}, Values: []string{"-m", "-o", "-g", "-t", "-S"}}},
	"openssl":   {Program: Program{Options: []string{"-engine", "-provider", "-provider-path", "-config"}}},
	"gpg":       {Program: Program{Options: []string{"--exec-path", "--photo-viewer", "--agent-program", "--pinentry-program", "--keyserver-options"}}},
	"run-parts": {Program: Program{Runs: []int{1}}}, "start-stop-daemon": {Program: Program{Options: []string{"--exec", "-x", "--startas", "-a"}}},
}

var goTool = &tool{Program: Program{
	Options: []string{"-toolexec", "-exec", "-vettool", "--toolexec", "--exec", "--vettool", "-overlay"},
	Values:  []string{"-o", "-run", "-tags", "-ldflags", "-count", "-timeout", "-C", "-mod", "-p", "-bench", "-f"},
}, risk: runs, noDashes: true}

// findTool knows that find runs commands only by several words, which a value in
// quotes is not.
var findTool = &tool{risk: runs, noDashes: true, quotedOnly: true}

// toolAliases are other names of tools.
var toolAliases = map[string]string{
	"bsdtar": "tar", "gtar": "tar", "gsed": "sed", "gsort": "sort", "vi": "vim", "view": "vim", "ex": "vim", "nvim": "vim", "rvim": "vim", "red": "ed",
	"cc": "gcc", "g++": "gcc", "c++": "gcc", "clang": "gcc", "clang++": "gcc", "ansible-playbook": "ansible", "netcat": "nc", "mariadb": "mysql", "lldb": "gdb",
	"createdb": "psql", "pg_dump": "psql", "autossh": "ssh", "mosh": "ssh", "ssh-copy-id": "ssh", "dropdb": "psql", "zipcloak": "zip", "tshark": "tcpdump",
}

// gitTool knows the commands of git that run programs.
var gitTool = &tool{
	Program: Program{Options: []string{"--exec-path", "--config-env"}, Values: []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace"}},
	risk:    runs,
	commands: map[string]*tool{
		"clone":         {Program: Program{Options: []string{"-u", "--upload-pack", "--template"}, Values: []string{"-b", "--branch", "-o", "--origin", "--depth", "-c", "--config", "--reference", "-j"}}, risk: runs},
		"fetch":         {Program: Program{Options: []string{"--upload-pack"}, Values: []string{"--depth", "-j", "-o"}}, risk: runs},
		"pull":          {Program: Program{Options: []string{"--upload-pack"}, Values: []string{"--depth", "-s", "-X", "-j"}}, risk: runs},
		"push":          {Program: Program{Options: []string{"--receive-pack", "--exec"}, Values: []string{"-o", "--push-option", "--repo"}}, risk: runs},
		"ls-remote":     {Program: Program{Options: []string{"--upload-pack", "--exec"}, Values: []string{"-o", "--sort"}}, risk: runs},
		"rebase":        {Program: Program{Options: []string{"-x", "--exec"}, Values: []string{"--onto", "-s", "-X", "-C"}}, risk: runs},
		"grep":          {Program: Program{Options: []string{"-O", "--open-files-in-pager"}, Values: []string{"-e", "-f", "-A", "-B", "-C", "-m"}}, risk: runs},
		"archive":       {Program: Program{Options: []string{"--exec", "--remote"}, Values: []string{"-o", "--format", "--prefix"}}, risk: runs},
		"difftool":      {Program: Program{Options: []string{"-x", "--extcmd", "-t", "--tool"}}, risk: runs},
		"mergetool":     {Program: Program{Options: []string{"-t", "--tool"}}, risk: runs},
		"bisect":        {Program: Program{Runs: []int{0}}},
		"filter-branch": {Program: Program{Runs: []int{0}, Options: []string{"--env-filter", "--tree-filter", "--index-filter", "--msg-filter", "--commit-filter", "--tag-name-filter", "--parent-filter", "--setup"}}, risk: runs},
		"send-email":    {Program: Program{Options: []string{"--to-cmd", "--cc-cmd", "--sendmail-cmd", "--smtp-server", "--header-cmd"}}, risk: runs},
		"submodule":     {Program: Program{Options: []string{"--upload-pack"}, Values: []string{"-b", "--name", "--reference", "--depth"}}, risk: runs},
		"remote-ext":    {Program: Program{Runs: []int{0}}},
	},
}

// lookupTool finds a tool by a command's name, the project's first.
func (s *script) lookupTool(name string) *tool {
	if p, ok := s.options.Programs[name]; ok {
		return &tool{Program: p, risk: mayRun}
	}
	if a, ok := toolAliases[name]; ok {
		name = a
	}
	return tools[name]
}

// checkOptions refuses values where a program takes text that it runs.
func (s *script) checkOptions(c *command, name string) {
	t := s.lookupTool(name)
	if t == nil {
		s.checkGreedy(c, name)
		return
	}
	words := c.words[1:]
	title := name
	if name == "git" {
		words = s.checkGit(c, words)
		if len(words) > 0 {
			title = "git " + s.read(words[0]).text
		}
	}
	if t.commands != nil {
		if len(words) == 0 {
			return
		}
		if a := s.read(words[0]); !a.full && a.text == "" {
			s.refuseOption(words[0], name, t, title)
			return
		}
		if t = t.commands[s.read(words[0]).text]; t == nil {
			return
		}
		words = words[1:]
		if name != "git" {
			title = name + " " + s.read(c.words[1]).text
		}
	}
	s.checkArguments(t, words, name, title)
}

// checkArguments checks the words behind a program's name.
func (s *script) checkArguments(t *tool, words []*syntax.Word, name, title string) {
	const safe = "keep values out of it, and choose among fixed programs with a case statement"
	options, operand := true, 0
	consumed := 0
	for i := 0; i < len(words); i++ {
		w := words[i]
		a := s.read(w)
		if consumed > 0 {
			if consumed--; t.risk == runs && s.isSplitWord(w) {
				s.refuseOption(w, name, t, title)
			}
			continue
		}
		switch {
		case a.full && a.text == "--" && !t.noDashes:
			options = false
			continue
		case options && strings.HasPrefix(a.text, "-") && a.text != "-" || options && a.text == "-" && !a.full:
			option, code, value := t.readOption(a)
			switch {
			case code && option == a.text && a.full:
				if i+1 < len(words) {
					s.refuseCode(words[i+1], "`"+title+" "+option+"`", safe)
				}
				i++
			case code:
				s.refuseCode(w, "`"+title+" "+option+"`", safe)
			case value && a.full:
				if i++; i < len(words) && t.risk == runs && s.isSplitWord(words[i]) {
					s.refuseOption(words[i], name, t, title)
				}
			case !a.full && strings.Trim(a.text, "-") == "" && !t.quotedOnly:
				s.refuseOption(w, name, t, title)
			}
			continue
		}
		if t.risk == runs && s.isSplitWord(w) {
			s.refuseOption(w, name, t, title)
			operand++
			continue
		}
		if t.bundled && operand == 0 && i == 0 && a.full && isWordText(a.text) {
			consumed = strings.Count(a.text, "f") + strings.Count(a.text, "C") + strings.Count(a.text, "T") + strings.Count(a.text, "X") + strings.Count(a.text, "b")
			operand++
			continue
		}
		if operand++; t.stops && operand > 1 {
			return
		}
		if slices.Contains(t.Runs, operand) || slices.Contains(t.Runs, 0) {
			s.refuseCode(w, "`"+title+"`", safe)
			continue
		}
		switch {
		case a.full:
		case a.text != "" && t.lead != "" && strings.Contains(t.lead, a.text[:1]):
			s.refuseCode(w, "`"+title+"`", safe)
		case a.text == "" && (options || t.lead != "") && !t.quotedOnly:
			s.refuseOption(w, name, t, title)
		}
	}
}

// readOption says which option a word is, whether its value is program text and
// whether the next word may be its value.
func (t *tool) readOption(a arg) (option string, code, value bool) {
	match := func(list []string) string {
		for _, o := range list {
			switch {
			case a.text == o, strings.HasPrefix(a.text, o+"="):
				return o
			case len(o) == 2 && !strings.HasPrefix(a.text, "--") && strings.HasPrefix(a.text, o) && o[1] != '-':
				return o
			}
		}
		return ""
	}
	if o := match(t.Options); o != "" {
		return o, true, false
	}
	if o := match(t.Values); o != "" {
		return o, false, a.text == o
	}
	if len(a.text) > 2 && a.text[1] != '-' { // a cluster: its last letter may take a value
		last := "-" + a.text[len(a.text)-1:]
		if slices.Contains(t.Options, last) {
			return a.text, true, false
		}
		return a.text, false, slices.Contains(t.Values, last)
	}
	return a.text, false, false
}

// refuseOption reports that a program may take a value for an option.
func (s *script) refuseOption(w *syntax.Word, name string, t *tool, title string) {
	if t.risk == noRisk {
		return
	}
	start, _ := offsets(w)
	for _, k := range s.tracker.carriers(w) {
		if k.start > start+1 || s.harmlessOption(k, name) {
			continue
		}
		switch {
		case t.risk == mayRun:
			s.warnCarrier(k, diag.ShellMaybeOption(s.at(k), s.subject(k), title, s.label(k)))
		default:
			s.refuseCarrier(k, diag.ShellValueAsOption(s.at(k), s.subject(k), title, s.label(k), t.noDashes))
		}
		return
	}
}

// harmlessOption reports whether a value never begins with a dash: what the
// runner itself gives, and what git printed for git.
func (s *script) harmlessOption(k carrier, name string) bool {
	if p := k.seed.spot; p != nil {
		return slices.Contains(s.options.Runner, strings.Trim(p.Label, "${}")) || alwaysUnsigned(p)
	}
	return k.seed.lost != "" && (name == "git" || strings.Contains(k.seed.lost, "`git`") || strings.Contains(k.seed.lost, "`find`") || k.seed.lost == foundFile)
}

// alwaysUnsigned reports whether no value of a hole begins with a dash.
func alwaysUnsigned(p *spot) bool {
	values, ok := enumValues(p.Type)
	return ok && !slices.ContainsFunc(values, func(v string) bool { return strings.HasPrefix(v, "-") })
}

// warnCarrier reports a warning about a piece of the script, unless there is an
// error about it.
func (s *script) warnCarrier(k carrier, d *diag.Diagnostic) {
	if p := k.seed.spot; s.flagged[k.start] || p != nil && p.refused || s.inner {
		return
	}
	if s.warned == nil {
		s.warned = map[int]bool{}
	}
	if !s.warned[k.start] {
		s.warned[k.start] = true
		s.report(d)
	}
}

// checkGit checks the options of git itself, and returns its command with what
// follows.
func (s *script) checkGit(c *command, words []*syntax.Word) []*syntax.Word {
	const safe = "keep values out of settings that run programs"
	for i := 0; i < len(words); i++ {
		a := s.read(words[i])
		if !strings.HasPrefix(a.text, "-") {
			s.checkGitCommand(words[i:])
			return words[i:]
		}
		switch {
		case a.full && a.text == "-c" && i+1 < len(words):
			i++
			s.checkSetting(words[i], "`git -c`", safe)
		case strings.HasPrefix(a.text, "-c") && a.text != "-c":
			s.checkSetting(words[i], "`git -c`", safe)
		case strings.HasPrefix(a.text, "--exec-path="), strings.HasPrefix(a.text, "--config-env="):
			s.refuseCode(words[i], "`git`", safe)
		case a.full && slices.Contains(gitTool.Values, a.text):
			i++
		case !a.full && strings.Trim(a.text, "-") == "":
			s.refuseCode(words[i], "`git`", safe)
		}
	}
	return nil
}

// checkSetting refuses a value in KEY=VALUE when the key is one that runs
// programs, or a value itself.
func (s *script) checkSetting(w *syntax.Word, title, safe string) {
	key, _, ok := strings.Cut(strings.TrimPrefix(s.read(w).text, "-c"), "=")
	if !ok || runsSetting(key) {
		s.refuseCode(w, title, safe)
	}
}

// runsSetting reports whether a setting of git names a program.
func runsSetting(key string) bool {
	key = strings.ToLower(key)
	for _, part := range []string{"alias.", "pager", "editor", "command", "cmd", "hookspath", "fsmonitor", "external", "textconv", "helper", "askpass", "program", "driver", "clean", "smudge", "process",
		"sshcommand", "gitproxy", "uploadpack", "receivepack", "include", "template", "packobjectshook", "attributesfile", "protocol.", "insteadof", "trustexitcode", "browser", "man.", "remote.", "worktree", "url."} {
		if strings.Contains(key, part) {
			return true
		}
	}
	return false
}

// checkGitCommand checks the commands of git that set settings or run the rest of
// their line.
func (s *script) checkGitCommand(words []*syntax.Word) {
	const safe = "keep values out of settings that run programs"
	switch s.read(words[0]).text {
	case "config":
		var operands []*syntax.Word
		for _, w := range words[1:] {
			if a := s.read(w); !strings.HasPrefix(a.text, "-") {
				operands = append(operands, w)
			}
		}
		if len(operands) > 1 && s.read(operands[0]).text == "set" {
			operands = operands[1:]
		}
		if len(operands) < 2 {
			return
		}
		if key := s.read(operands[0]); !key.full || runsSetting(key.text) {
			for _, w := range operands {
				s.refuseCode(w, "`git config`", safe)
			}
		}
	case "submodule":
		for i, w := range words {
			if s.read(w).text == "foreach" {
				for _, rest := range words[i+1:] {
					s.refuseCode(rest, "`git submodule foreach`", safe)
				}
			}
		}
	case "clone":
		for i, w := range words[:len(words)-1] {
			if a := s.read(w); a.full && (a.text == "-c" || a.text == "--config") {
				s.checkSetting(words[i+1], "`git clone -c`", safe)
			}
		}
	}
}

// greedy are the interpreters that look for options behind their program, too.
var greedy = map[string]bool{"perl": true, "ruby": true, "node": true, "php": true, "lua": true}

// checkGreedy refuses arguments of a fixed program that its interpreter may take
// for options.
func (s *script) checkGreedy(c *command, name string) {
	kind := interpreterKind(name)
	if !greedy[kind] {
		return
	}
	in := interpreters[kind]
	code := false
	for i := 1; i < len(c.words); i++ {
		a := s.read(c.words[i])
		switch {
		case a.full && a.text == "--":
			return
		case in.hasCode(a.text):
			if code = true; !in.attached(a) {
				i++
			}
		case strings.HasPrefix(a.text, "-"):
		case a.full, a.text != "":
			return // the first operand ends the options
		case code:
			s.refuseOption(c.words[i], name, &tool{risk: runs}, name)
		}
	}
}

// checkMake refuses values among the goals and variables of make, which expands
// the text of a variable like a makefile.
func (s *script) checkMake(c *command, name string, nodes []syntax.Node) {
	const safe = "pass the value in a file that a recipe reads"
	if call, ok := nodes[len(nodes)-1].(*syntax.CallExpr); ok {
		for _, a := range call.Assigns {
			if a.Value != nil {
				s.refuseCode(a.Value, "`"+name+"`", safe)
			}
		}
	}
	for o := c.behind; o != nil; o = o.behind {
		for _, w := range o.words {
			if isAssignmentText(s.read(w).text) {
				s.refuseCode(w, "`"+name+"`", safe)
			}
		}
	}
	for i := 1; i < len(c.words); i++ {
		a := s.read(c.words[i])
		switch {
		case a.full && slices.Contains([]string{"-C", "-j", "-o", "-W", "-l", "--directory"}, a.text):
			i++
		case a.full && slices.Contains([]string{"-f", "--file", "-I", "--eval", "--makefile"}, a.text):
			if i++; i < len(c.words) {
				s.refuseCode(c.words[i], "`"+name+" "+a.text+"`", safe)
				if isInputName(s.read(c.words[i]).text) {
					s.refuseInput(nodes, "`"+name+"`", safe)
				}
			}
		case a.full, a.text != "" && a.text[0] != '-' && !strings.Contains(a.text, "="):
		case strings.HasPrefix(a.text, "-C") || strings.HasPrefix(a.text, "--directory="):
		default:
			s.refuseCode(c.words[i], "`"+name+"`", safe)
		}
	}
}
