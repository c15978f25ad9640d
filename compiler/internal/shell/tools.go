package shell

import "github.com/wfc-lang/wfc/runtime/settings"

// tools are the programs with options that run others, by name.
var tools = map[string]*tool{
	"ssh":     {Program: settings.Program{Options: []string{"-o", "-F", "-S", "-I", "-E"}, Values: sshValues}, risk: runs, stops: true},
	"scp":     {Program: settings.Program{Options: []string{"-o", "-S", "-F", "-D"}, Values: []string{"-c", "-i", "-J", "-l", "-P", "-X"}}, risk: runs},
	"sftp":    {Program: settings.Program{Options: []string{"-o", "-S", "-F", "-D", "-b"}, Values: []string{"-c", "-i", "-J", "-l", "-P", "-R", "-B", "-s", "-X"}}, risk: runs},
	"rsync":   {Program: settings.Program{Options: []string{"-e", "--rsh", "--rsync-path"}, Values: []string{"-f", "--exclude", "--include", "-T", "-B", "--files-from"}}, risk: runs},
	"tar":     {Program: settings.Program{Options: []string{"-I", "--use-compress-program", "--checkpoint-action", "--to-command", "--rsh-command", "--rmt-command", "-F", "--info-script", "--new-volume-script"}, Values: []string{"-f", "--file", "-C", "--directory", "-T", "--files-from", "-X", "--exclude-from", "-b", "-g", "-K", "-N", "-V", "-H", "--exclude"}}, risk: runs, bundled: true},
	"zip":     {Program: settings.Program{Options: []string{"-TT", "--unzip-command"}, Values: []string{"-b", "-n", "-P", "-t", "-x", "-i"}}, risk: runs},
	"split":   {Program: settings.Program{Options: []string{"--filter"}, Values: []string{"-a", "-b", "-C", "-l", "-n", "-t"}}, risk: runs},
	"sort":    {Program: settings.Program{Options: []string{"--compress-program"}, Values: []string{"-k", "-t", "-o", "-S", "-T"}}, risk: mayRun},
	"sed":     {Program: settings.Program{Values: []string{"-e", "-f", "-l", "--expression", "--file", "-E"}}, risk: runs},
	"wget":    {Program: settings.Program{Options: []string{"--use-askpass", "-e", "--execute", "--config"}, Values: []string{"-O", "-o", "-a", "-P", "-U", "-t", "-T", "-w", "-Q", "-i"}}, risk: runs},
	"curl":    {Program: settings.Program{Options: []string{"-K", "--config"}, Values: []string{"-d", "-H", "-o", "-X", "-u", "-A", "-b", "-c", "-e", "-F", "-m", "-T", "-w", "-x", "-r", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--json", "--header", "--output", "--request", "--user", "--url", "--max-time", "--retry", "--connect-timeout", "--form", "--write-out"}}, risk: noRisk},
	"man":     {Program: settings.Program{Options: []string{"-P", "--pager", "-H", "--html", "-C", "--config-file"}, Values: []string{"-M", "-S", "-L"}}, risk: runs},
	"vim":     {Program: settings.Program{Values: []string{"-c", "--cmd", "-S", "-u", "-w", "-T"}}, risk: runs, lead: "+"},
	"ed":      {risk: runs, lead: "!"},
	"less":    {Program: settings.Program{Options: []string{"-k"}}, risk: mayRun, lead: "+"},
	"more":    {risk: mayRun, lead: "+"},
	"gdb":     {Program: settings.Program{Values: []string{"-ex", "-x", "-p", "-c", "-iex", "-d"}}, risk: runs},
	"strace":  {Program: settings.Program{Options: []string{"-o"}}, risk: noRisk},
	"ltrace":  {Program: settings.Program{Options: []string{"-o"}}, risk: noRisk},
	"tcpdump": {Program: settings.Program{Options: []string{"-z"}, Values: []string{"-i", "-w", "-r", "-c"}}, risk: runs},
	"nc":      {Program: settings.Program{Options: []string{"-e", "-c"}, Values: []string{"-p", "-s", "-w", "-x"}}, risk: runs},
	"ncat":    {Program: settings.Program{Options: []string{"-e", "-c", "--exec", "--sh-exec", "--lua-exec"}, Values: []string{"-p", "-s", "-w"}}, risk: runs},
	"socat":   {Program: settings.Program{Runs: []int{0}}},
	"tmux":    {Program: settings.Program{Runs: []int{0}}},
	"screen":  {Program: settings.Program{Runs: []int{0}}},
	"pandoc":  {Program: settings.Program{Options: []string{"--filter", "-F", "--lua-filter", "-L", "--pdf-engine", "-d", "--defaults"}, Values: []string{"-o", "-f", "-t", "--metadata", "-M", "-V"}}, risk: runs},
	"ansible": {Program: settings.Program{Options: []string{"-a", "--args", "-m", "-e", "--extra-vars", "-i"}}, risk: runs},
	"psql":    {Program: settings.Program{Values: []string{"-c", "-f", "-v", "-d", "-h", "-U", "-p", "-o", "-F", "-P", "--set", "--command", "--file", "--dbname", "--host", "--username", "--port"}}, risk: runs},
	"mysql":   {Program: settings.Program{Options: []string{"--init-command", "--pager"}, Values: []string{"-e", "-u", "-h", "-P", "-D"}}, risk: runs},
	"gcc":     {Program: settings.Program{Options: []string{"-wrapper", "-B", "-specs", "-fplugin"}, Values: []string{"-o", "-I", "-L", "-D", "-x", "-include"}}, risk: runs, noDashes: true},
	"ld":      {Program: settings.Program{Options: []string{"-plugin", "--plugin", "-T", "--dynamic-linker", "-I"}, Values: []string{"-o", "-L", "-l"}}, risk: mayRun, noDashes: true},
	"go": {commands: map[string]*tool{
		"build": goTool, "test": goTool, "run": {Program: settings.Program{Runs: []int{1}, Options: goTool.Options, Values: goTool.Values}, risk: runs, noDashes: true},
		"vet": goTool, "install": goTool, "generate": goTool, "list": goTool, "tool": {Program: settings.Program{Runs: []int{1}}},
	}},
	"cargo": {Program: settings.Program{Options: []string{"--config"}, Values: []string{"-p", "--package", "--bin", "--features", "-j", "--target", "--manifest-path"}}, risk: runs},
	"npx":   {Program: settings.Program{Runs: []int{1}, Options: []string{"-c", "--call", "-p", "--package"}}, risk: runs},
	"bunx":  {Program: settings.Program{Runs: []int{1}}, risk: runs},
	"uvx":   {Program: settings.Program{Runs: []int{1}, Options: []string{"--from", "--with"}}, risk: runs},
	"pipx":  {commands: map[string]*tool{"run": {Program: settings.Program{Runs: []int{1}}, risk: runs}}},
	"helm":  {Program: settings.Program{Options: []string{"--post-renderer"}}},
	"at":    {Program: settings.Program{Options: []string{"-f"}}},
	"xterm": {Program: settings.Program{Runs: []int{0}}},
	"git":   gitTool,
	"find":  findTool, "fd": findTool,
	"install":   {Program: settings.Program{Options: []string{"--strip-program"}, Values: []string{"-m", "-o", "-g", "-t", "-S"}}},
	"openssl":   {Program: settings.Program{Options: []string{"-engine", "-provider", "-provider-path", "-config"}}},
	"gpg":       {Program: settings.Program{Options: []string{"--exec-path", "--photo-viewer", "--agent-program", "--pinentry-program", "--keyserver-options"}}},
	"run-parts": {Program: settings.Program{Runs: []int{1}}}, "start-stop-daemon": {Program: settings.Program{Options: []string{"--exec", "-x", "--startas", "-a"}}},
}

var goTool = &tool{Program: settings.Program{
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
	Program: settings.Program{Options: []string{"--exec-path", "--config-env"}, Values: []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace"}},
	risk:    runs,
	commands: map[string]*tool{
		"clone":         {Program: settings.Program{Options: []string{"-u", "--upload-pack", "--template"}, Values: []string{"-b", "--branch", "-o", "--origin", "--depth", "-c", "--config", "--reference", "-j"}}, risk: runs},
		"fetch":         {Program: settings.Program{Options: []string{"--upload-pack"}, Values: []string{"--depth", "-j", "-o"}}, risk: runs},
		"pull":          {Program: settings.Program{Options: []string{"--upload-pack"}, Values: []string{"--depth", "-s", "-X", "-j"}}, risk: runs},
		"push":          {Program: settings.Program{Options: []string{"--receive-pack", "--exec"}, Values: []string{"-o", "--push-option", "--repo"}}, risk: runs},
		"ls-remote":     {Program: settings.Program{Options: []string{"--upload-pack", "--exec"}, Values: []string{"-o", "--sort"}}, risk: runs},
		"rebase":        {Program: settings.Program{Options: []string{"-x", "--exec"}, Values: []string{"--onto", "-s", "-X", "-C"}}, risk: runs},
		"grep":          {Program: settings.Program{Options: []string{"-O", "--open-files-in-pager"}, Values: []string{"-e", "-f", "-A", "-B", "-C", "-m"}}, risk: runs},
		"archive":       {Program: settings.Program{Options: []string{"--exec", "--remote"}, Values: []string{"-o", "--format", "--prefix"}}, risk: runs},
		"difftool":      {Program: settings.Program{Options: []string{"-x", "--extcmd", "-t", "--tool"}}, risk: runs},
		"mergetool":     {Program: settings.Program{Options: []string{"-t", "--tool"}}, risk: runs},
		"bisect":        {Program: settings.Program{Runs: []int{0}}},
		"filter-branch": {Program: settings.Program{Runs: []int{0}, Options: []string{"--env-filter", "--tree-filter", "--index-filter", "--msg-filter", "--commit-filter", "--tag-name-filter", "--parent-filter", "--setup"}}, risk: runs},
		"send-email":    {Program: settings.Program{Options: []string{"--to-cmd", "--cc-cmd", "--sendmail-cmd", "--smtp-server", "--header-cmd"}}, risk: runs},
		"submodule":     {Program: settings.Program{Options: []string{"--upload-pack"}, Values: []string{"-b", "--name", "--reference", "--depth"}}, risk: runs},
		"remote-ext":    {Program: settings.Program{Runs: []int{0}}},
	},
}
