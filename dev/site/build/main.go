// Command build writes the documentation as HTML pages to the folder that its argument
// names. It runs in the root of the repository. With -playground, it compiles the checker for
// browsers and adds its page.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/wfc-lang/wfc/dev/playground/page"
	"github.com/wfc-lang/wfc/dev/site"
)

func main() {
	playground := flag.Bool("playground", false, "add the page of the playground")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: build [-playground] FOLDER")
		os.Exit(2)
	}
	options := site.Options{}
	if *playground {
		options.Playground = func(path string) error { return page.Write(context.Background(), ".", path) }
	}
	if err := site.Write(".", flag.Arg(0), options); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
