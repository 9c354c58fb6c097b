package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// commandScheme begins the address of an engine that is a command: it is given the
// lines of workers on its standard input, hands them to workers wherever it likes
// (Ray, Dask, Slurm), and writes their answers to its standard output.
const commandScheme = "exec:"

// Of the command's environment: the folder that workers run in, with all files that were
// sent, and the program.
const (
	folderVariable  = "OPTCOMPLETE_ENGINE_FOLDER"
	programVariable = "OPTCOMPLETE_ENGINE_PROGRAM"
)

// command is an engine that is one.
type command struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	folder  string
	done    func() // removes it
	sent    int64
	got     int64
}

// startCommand starts it, with the program in its folder.
func startCommand(text, folder, program string) (*command, error) {
	folder, done, err := temporary(folder)
	if err != nil {
		return nil, err
	}
	c := &command{folder: folder, done: done}
	content, err := os.ReadFile(program)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, programFile), content, 0o700)
	}
	if err != nil {
		done()
		return nil, err
	}
	c.process = exec.Command("sh", "-c", text)
	c.process.Env = append(os.Environ(), folderVariable+"="+folder, programVariable+"="+filepath.Join(folder, programFile))
	c.process.Stderr = os.Stderr
	c.process.SysProcAttr = detached() // an interrupt of ours is not its own
	if c.in, err = c.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReaderSize(out, 1<<16)
	return c, c.process.Start()
}

// programFile is the program in the folder of a command.
const programFile = "optcomplete"

// send writes a file for the workers.
func (c *command) send(name string, content []byte) error {
	c.sent += int64(len(content))
	return os.WriteFile(filepath.Join(c.folder, name), content, 0o600)
}

// lines asks for all tasks of a reading and gives the answers, until every task is
// done.
func (c *command) lines(ctx context.Context, reading string, tasks int, take func(item int, kind, body string) error) error {
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-ctx.Done():
			terminate(c.process)
		case <-ended:
		}
	}()
	go func() {
		for task := range tasks {
			fmt.Fprintf(c.in, "%d\t%s\t%d\t%d\n", Protocol, reading, task, tasks)
		}
	}()
	for done := 0; done < tasks; {
		line, err := readLine(c.out)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return errors.Join(errCommand, err)
		}
		f := strings.Split(line, "\t")
		item, err := strconv.Atoi(f[0])
		if len(f) != 3 || err != nil {
			return &workerError{fmt.Sprintf("the engine's command answers %.80q, not an item, a kind and a body (docs/cluster.md has the lines)", line)}
		}
		c.got += int64(len(line))
		if f[1] == kindDone {
			done++
			continue
		}
		if err := take(item, f[1], f[2]); err != nil {
			return err
		}
	}
	return nil
}

var errCommand = errors.New("the engine's command has ended")

// close ends the command and removes what it was sent.
func (c *command) close() {
	c.in.Close()
	terminate(c.process)
	c.process.Wait()
	c.done()
}
