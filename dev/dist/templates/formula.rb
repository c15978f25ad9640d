class {{.Class}} < Formula
  desc "{{.Desc}}"
  homepage "https://github.com/wfc-lang/wfc"
  version "{{.Version}}"
  license "MIT"
{{range .Systems}}
  on_{{.Name}} do{{range .Files}}
    on_{{.CPU}} do
      url "{{.URL}}"
      sha256 "{{.Sum}}"
    end{{end}}
  end
{{end}}
{{- if .Conflict}}
  conflicts_with "{{.Conflict}}", because: "both install the program wfc"
{{end}}
  def install
    libexec.install Dir["*"]
    bin.install_symlink libexec/"bin/wfc"
    man1.install Dir[libexec/"share/man/man1/*"]
    generate_completions_from_executable(bin/"wfc", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/wfc --version")
  end
end
