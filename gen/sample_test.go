package gen_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
)

const goldenDir = "../testdata/gen"

// A sample is a workflow whose generated code is kept: an archive of its file, of
// the files that it reads, and of the code as out.go.
type sample struct {
	name    string
	archive *txtar.Archive
	// built makes the program of a sample that no file can hold, and is nil otherwise.
	built func() *ir.Program
}

// samples are the workflows under testdata/gen.
var samples = archives()

func archives() []sample {
	files, err := filepath.Glob(filepath.Join(goldenDir, "*.txtar"))
	if err != nil || len(files) == 0 {
		panic(fmt.Sprintf("no samples: %v", err))
	}
	var list []sample
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			panic(err)
		}
		list = append(list, sample{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), archive: a})
	}
	return list
}

// find returns a sample by its name.
func find(name string) sample {
	for _, s := range samples {
		if s.name == name {
			return s
		}
	}
	panic("no sample " + name)
}

// program compiles a sample.
func program(name string) *ir.Program { return find(name).make() }

func (s sample) make() *ir.Program {
	if s.built != nil {
		return s.built()
	}
	files := testkit.Memory{}
	for _, f := range s.archive.Files {
		files["/project/"+f.Name] = string(f.Data)
	}
	first := s.archive.Files[0]
	return compile(first.Name, string(first.Data), files)
}

// generate generates the code of a sample, as a package of the module goldens.
func (s sample) generate(opt gen.Options) []gen.File {
	if opt.ImportPath == "" {
		opt.ImportPath = "goldens/" + s.name
	}
	return gen.Generate(s.make(), opt)
}

// golden is the code of a sample as it is kept, without that of the workflows that it
// runs.
func (s sample) golden() []byte { return s.goldens()[s.name+".go"] }

// goldens is the code of a sample as it is kept, by the names of the files.
func (s sample) goldens() map[string][]byte {
	code := map[string][]byte{}
	for _, f := range s.archive.Files {
		if f.Name == goldenFile {
			code[s.name+".go"] = f.Data
		} else if name, ok := strings.CutPrefix(f.Name, goldenFolder); ok {
			code[name] = f.Data
		}
	}
	return code
}

// goldenFile is the name of the code in a sample's archive, and goldenFolder has the code
// of the workflows that it runs.
const (
	goldenFile   = "out.go"
	goldenFolder = "out/"
)

// write writes the code of a sample.
func (s sample) write(files []gen.File) error {
	s.archive.Files = slices.DeleteFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == goldenFile || strings.HasPrefix(f.Name, goldenFolder) })
	for i, f := range files {
		name := goldenFolder + f.Name
		if i == 0 {
			name = goldenFile
		}
		s.archive.Files = append(s.archive.Files, txtar.File{Name: name, Data: f.Content})
	}
	return os.WriteFile(filepath.Join(goldenDir, s.name+".txtar"), txtar.Format(s.archive), 0o666)
}

// compile compiles a workflow, which may have warnings and no errors.
func compile(name, text string, files testkit.Memory) *ir.Program {
	r := compiler.Compile(source.NewFile(name, []byte(text)), compiler.Options{Path: "/project/" + name, Root: "/project", Home: "/home", Files: files})
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Error {
			panic(name + ": " + d.Message + "\n" + text)
		}
	}
	return r.Workflow
}

// workflow compiles the nodes of an archon workflow, which are written as in a file.
func workflow(name, nodes string) *ir.Program {
	return compile(name+".yaml", "name: "+name+"\ndescription: A workflow for tests.\n"+nodes, nil)
}

// wrong reads values as if they were always there, although they are not: what the
// compiler has proved of them is taken away.
func wrong() *ir.Program {
	p := workflow("wrong", `nodes:
  - {id: a, bash: "false"}
  - id: prompt
    depends_on: [a]
    trigger_rule: all_done
    prompt: |-
      one
      two
      $a.output
      four
  - id: script
    depends_on: [a]
    trigger_rule: all_done
    bash: |
      one
      two
      three $a.output
  - id: condition
    depends_on: [a]
    trigger_rule: all_done
    when: $a.output == 'x'
    bash: "true"
  - id: list
    depends_on: [a]
    trigger_rule: all_done
    prompt: $ARGUMENTS $a.output
  - id: loop
    depends_on: [a]
    trigger_rule: all_done
    loop:
      until: DONE
      max_iterations: 2
      prompt: |-
        one DONE
        two
        $a.output
  - id: test
    depends_on: [a]
    trigger_rule: all_done
    loop:
      prompt: one DONE
      until: DONE
      max_iterations: 2
      until_bash: |-
        one
        two $a.output
  - id: gate
    depends_on: [a]
    trigger_rule: all_done
    approval:
      message: |-
        one
        $a.output
`)
	ir.Walk(p.Workflow.Body, func(n *ir.Node) {
		certain := func(e expr.Expr) bool {
			if o, ok := e.(*expr.Output); ok {
				o.Presence = 0
			}
			return true
		}
		expr.Walk(n.When, certain)
		for _, t := range templates(n.Action) {
			t.Exprs(certain)
		}
		if b, ok := n.Action.(*ir.Bash); ok {
			for _, v := range b.Bindings {
				expr.Walk(v.Value, certain)
			}
		}
		if l, ok := n.Action.(*ir.Loop); ok && l.Until != nil {
			for _, v := range l.Until.Bindings {
				expr.Walk(v.Value, certain)
			}
		}
	})
	return p
}

// cut is a workflow so long that its flow is several functions.
func cut() *ir.Program { return big(250) }
