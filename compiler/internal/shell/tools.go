package shell

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/settings"
	"mvdan.cc/sh/v3/syntax"
)

// tools are the programs with options that run others, by name.
var tools = map[string]*tool{
	"ssh":     {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-o", "-F", "-S", "-I", "-E"}, ValueFlags: sshValues}, risk: runs, stops: true},
	"scp":     {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-o", "-S", "-F", "-D"}, ValueFlags: []string{"-c", "-i", "-J", "-l", "-P", "-X"}}, risk: runs},
	"sftp":    {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-o", "-S", "-F", "-D", "-b"}, ValueFlags: []string{"-c", "-i", "-J", "-l", "-P", "-R", "-B", "-s", "-X"}}, risk: runs},
	"rsync":   {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-e", "--rsh", "--rsync-path"}, ValueFlags: []string{"-f", "--exclude", "--include", "-T", "-B", "--files-from"}}, risk: runs},
	"tar":     {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-I", "--use-compress-program", "--checkpoint-action", "--to-command", "--rsh-command", "--rmt-command", "-F", "--info-script", "--new-volume-script"}, ValueFlags: []string{"-f", "--file", "-C", "--directory", "-T", "--files-from", "-X", "--exclude-from", "-b", "-g", "-K", "-N", "-V", "-H", "--exclude"}}, risk: runs, bundled: true},
	"zip":     {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-TT", "--unzip-command"}, ValueFlags: []string{"-b", "-n", "-P", "-t", "-x", "-i"}}, risk: runs},
	"split":   {CodeRunner: settings.CodeRunner{CodeFlags: []string{"--filter"}, ValueFlags: []string{"-a", "-b", "-C", "-l", "-n", "-t"}}, risk: runs},
	"sort":    {CodeRunner: settings.CodeRunner{CodeFlags: []string{"--compress-program"}, ValueFlags: []string{"-k", "-t", "-o", "-S", "-T"}}, risk: mayRun},
	"sed":     {CodeRunner: settings.CodeRunner{ValueFlags: []string{"-e", "-f", "-l", "--expression", "--file", "-E"}}, risk: runs},
	"wget":    {CodeRunner: settings.CodeRunner{CodeFlags: []string{"--use-askpass", "-e", "--execute", "--config"}, ValueFlags: []string{"-O", "-o", "-a", "-P", "-U", "-t", "-T", "-w", "-Q", "-i"}}, risk: runs},
	"curl":    {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-K", "--config"}, ValueFlags: []string{"-d", "-H", "-o", "-X", "-u", "-A", "-b", "-c", "-e", "-F", "-m", "-T", "-w", "-x", "-r", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--json", "--header", "--output", "--request", "--user", "--url", "--max-time", "--retry", "--connect-timeout", "--form", "--write-out"}}, risk: noRisk},
	"man":     {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-P", "--pager", "-H", "--html", "-C", "--config-file"}, ValueFlags: []string{"-M", "-S", "-L"}}, risk: runs},
	"vim":     {CodeRunner: settings.CodeRunner{ValueFlags: []string{"-c", "--cmd", "-S", "-u", "-w", "-T"}}, risk: runs, lead: "+"},
	"ed":      {risk: runs, lead: "!"},
	"less":    {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-k"}}, risk: mayRun, lead: "+"},
	"more":    {risk: mayRun, lead: "+"},
	"gdb":     {CodeRunner: settings.CodeRunner{ValueFlags: []string{"-ex", "-x", "-p", "-c", "-iex", "-d"}}, risk: runs},
	"strace":  {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-o"}}, risk: noRisk},
	"ltrace":  {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-o"}}, risk: noRisk},
	"tcpdump": {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-z"}, ValueFlags: []string{"-i", "-w", "-r", "-c"}}, risk: runs},
	"nc":      {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-e", "-c"}, ValueFlags: []string{"-p", "-s", "-w", "-x"}}, risk: runs},
	"ncat":    {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-e", "-c", "--exec", "--sh-exec", "--lua-exec"}, ValueFlags: []string{"-p", "-s", "-w"}}, risk: runs},
	"socat":   {CodeRunner: settings.CodeRunner{CodeArguments: []int{0}}},
	"tmux":    {CodeRunner: settings.CodeRunner{CodeArguments: []int{0}}},
	"screen":  {CodeRunner: settings.CodeRunner{CodeArguments: []int{0}}},
	"pandoc":  {CodeRunner: settings.CodeRunner{CodeFlags: []string{"--filter", "-F", "--lua-filter", "-L", "--pdf-engine", "-d", "--defaults"}, ValueFlags: []string{"-o", "-f", "-t", "--metadata", "-M", "-V"}}, risk: runs},
	"ansible": {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-a", "--args", "-m", "-e", "--extra-vars", "-i"}}, risk: runs},
	"psql":    {CodeRunner: settings.CodeRunner{ValueFlags: []string{"-c", "-f", "-v", "-d", "-h", "-U", "-p", "-o", "-F", "-P", "--set", "--command", "--file", "--dbname", "--host", "--username", "--port"}}, risk: runs},
	"mysql":   {CodeRunner: settings.CodeRunner{CodeFlags: []string{"--init-command", "--pager"}, ValueFlags: []string{"-e", "-u", "-h", "-P", "-D"}}, risk: runs},
	"gcc":     {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-wrapper", "-B", "-specs", "-fplugin"}, ValueFlags: []string{"-o", "-I", "-L", "-D", "-x", "-include"}}, risk: runs, noDashes: true},
	"ld":      {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-plugin", "--plugin", "-T", "--dynamic-linker", "-I"}, ValueFlags: []string{"-o", "-L", "-l"}}, risk: mayRun, noDashes: true},
	"go": {commands: map[string]*tool{
		"build": goTool, "test": goTool, "run": {CodeRunner: settings.CodeRunner{CodeArguments: []int{1}, CodeFlags: goTool.CodeFlags, ValueFlags: goTool.ValueFlags}, risk: runs, noDashes: true},
		"vet": goTool, "install": goTool, "generate": goTool, "list": goTool, "tool": {CodeRunner: settings.CodeRunner{CodeArguments: []int{1}}},
	}},
	"cargo": {CodeRunner: settings.CodeRunner{CodeFlags: []string{"--config"}, ValueFlags: []string{"-p", "--package", "--bin", "--features", "-j", "--target", "--manifest-path"}}, risk: runs},
	"npx":   {CodeRunner: settings.CodeRunner{CodeArguments: []int{1}, CodeFlags: []string{"-c", "--call", "-p", "--package"}}, risk: runs},
	"bunx":  {CodeRunner: settings.CodeRunner{CodeArguments: []int{1}}, risk: runs},
	"uvx":   {CodeRunner: settings.CodeRunner{CodeArguments: []int{1}, CodeFlags: []string{"--from", "--with"}}, risk: runs},
	"pipx":  {commands: map[string]*tool{"run": {CodeRunner: settings.CodeRunner{CodeArguments: []int{1}}, risk: runs}}},
	"helm":  {CodeRunner: settings.CodeRunner{CodeFlags: []string{"--post-renderer"}}},
	"at":    {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-f"}}},
	"xterm": {CodeRunner: settings.CodeRunner{CodeArguments: []int{0}}},
	"git":   gitTool,
	"find":  findTool, "fd": findTool,
	"install":   {CodeRunner: settings.CodeRunner{CodeFlags: []string{"--strip-program"}, ValueFlags: []string{"-m", "-o", "-g", "-t", "-S"}}},
	"openssl":   {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-engine", "-provider", "-provider-path", "-config"}}},
	"gpg":       {CodeRunner: settings.CodeRunner{CodeFlags: []string{"--exec-path", "--photo-viewer", "--agent-program", "--pinentry-program", "--keyserver-options"}}},
	"run-parts": {CodeRunner: settings.CodeRunner{CodeArguments: []int{1}}}, "start-stop-daemon": {CodeRunner: settings.CodeRunner{CodeFlags: []string{"--exec", "-x", "--startas", "-a"}}},
}

var goTool = &tool{CodeRunner: settings.CodeRunner{
	CodeFlags:  []string{"-toolexec", "-exec", "-vettool", "--toolexec", "--exec", "--vettool", "-overlay"},
	ValueFlags: []string{"-o", "-run", "-tags", "-ldflags", "-count", "-timeout", "-C", "-mod", "-p", "-bench", "-f"},
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
	CodeRunner: settings.CodeRunner{CodeFlags: []string{"--exec-path", "--config-env"}, ValueFlags: []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace"}},
	risk:       runs,
	commands: map[string]*tool{
		"clone":         {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-u", "--upload-pack", "--template"}, ValueFlags: []string{"-b", "--branch", "-o", "--origin", "--depth", "-c", "--config", "--reference", "-j"}}, risk: runs},
		"fetch":         {CodeRunner: settings.CodeRunner{CodeFlags: []string{"--upload-pack"}, ValueFlags: []string{"--depth", "-j", "-o"}}, risk: runs},
		"pull":          {CodeRunner: settings.CodeRunner{CodeFlags: []string{"--upload-pack"}, ValueFlags: []string{"--depth", "-s", "-X", "-j"}}, risk: runs},
		"push":          {CodeRunner: settings.CodeRunner{CodeFlags: []string{"--receive-pack", "--exec"}, ValueFlags: []string{"-o", "--push-option", "--repo"}}, risk: runs},
		"ls-remote":     {CodeRunner: settings.CodeRunner{CodeFlags: []string{"--upload-pack", "--exec"}, ValueFlags: []string{"-o", "--sort"}}, risk: runs},
		"rebase":        {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-x", "--exec"}, ValueFlags: []string{"--onto", "-s", "-X", "-C"}}, risk: runs},
		"grep":          {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-O", "--open-files-in-pager"}, ValueFlags: []string{"-e", "-f", "-A", "-B", "-C", "-m"}}, risk: runs},
		"archive":       {CodeRunner: settings.CodeRunner{CodeFlags: []string{"--exec", "--remote"}, ValueFlags: []string{"-o", "--format", "--prefix"}}, risk: runs},
		"difftool":      {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-x", "--extcmd", "-t", "--tool"}}, risk: runs},
		"mergetool":     {CodeRunner: settings.CodeRunner{CodeFlags: []string{"-t", "--tool"}}, risk: runs},
		"bisect":        {CodeRunner: settings.CodeRunner{CodeArguments: []int{0}}},
		"filter-branch": {CodeRunner: settings.CodeRunner{CodeArguments: []int{0}, CodeFlags: []string{"--env-filter", "--tree-filter", "--index-filter", "--msg-filter", "--commit-filter", "--tag-name-filter", "--parent-filter", "--setup"}}, risk: runs},
		"send-email":    {CodeRunner: settings.CodeRunner{CodeFlags: []string{"--to-cmd", "--cc-cmd", "--sendmail-cmd", "--smtp-server", "--header-cmd"}}, risk: runs},
		"submodule":     {CodeRunner: settings.CodeRunner{CodeFlags: []string{"--upload-pack"}, ValueFlags: []string{"-b", "--name", "--reference", "--depth"}}, risk: runs},
		"remote-ext":    {CodeRunner: settings.CodeRunner{CodeArguments: []int{0}}},
	},
}

// checkGit checks the options of git itself, and returns its command with the
// arguments after it.
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
		case a.full && slices.Contains(gitTool.ValueFlags, a.text):
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
	parts := []string{"alias.", "pager", "editor", "command", "cmd", "hookspath", "fsmonitor", "external", "textconv", "helper", "askpass", "program", "driver", "clean", "smudge", "process",
		"sshcommand", "gitproxy", "uploadpack", "receivepack", "include", "template", "packobjectshook", "attributesfile", "protocol.", "insteadof", "trustexitcode", "browser", "man.", "remote.", "worktree", "url."}
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(key, part) })
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
