// Command enginetest is a worker that knows the passes of the tests too, cannot see
// what is called unseen, and fails once in every folder of a cluster.
package main

import (
	"context"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"optcomplete/data/pack"
	"optcomplete/engine"
	_ "optcomplete/internal/passtest" // its passes
)

func main() {
	w := engine.NewWorker("test")
	w.Open = func(path string) (pack.Packed, error) {
		if strings.Contains(path, "unseen") { // as if only the driver had it
			return nil, fs.ErrNotExist
		}
		return pack.OpenAny(path)
	}
	var err error
	if len(os.Args) > 2 && os.Args[2] == "--serve" {
		watch, _ := strconv.Atoi(os.Args[5])
		err = w.Serve(context.Background(), os.Args[3], watch)
	} else if fails() {
		os.Exit(3)
	} else {
		err = w.Forward(context.Background(), os.Stdin, os.Stdout)
	}
	if err != nil {
		println(err.Error())
		os.Exit(1)
	}
}

// fails tells whether this is the first worker of a folder of a cluster.
func fails() bool {
	if os.Getenv("OPTCOMPLETE_ENGINE_FOLDER") != "" {
		return false
	}
	f, err := os.OpenFile("failed", os.O_CREATE|os.O_EXCL, 0o600)
	f.Close()
	return err == nil
}
