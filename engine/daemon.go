package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"optcomplete/internal/atomicfile"
)

// Of the one process an executor that computes for all its tasks: how long it
// stays without work, and how often it looks whether it is still wanted.
const (
	idleLimit = 2 * time.Minute
	lookEvery = time.Second
)

// Forward lets the process of the working folder answer the lines, and starts it
// if there is none: all tasks of an executor then share what it keeps. Where that
// is impossible the worker answers by itself.
func (w *Worker) Forward(ctx context.Context, in io.Reader, out io.Writer) error {
	socket, err := socketPath()
	if err != nil {
		return w.Work(ctx, in, out)
	}
	connection, err := reach(socket)
	if err != nil {
		return w.Work(ctx, in, out)
	}
	defer connection.Close()
	sent := make(chan error, 1)
	go func() {
		_, err := io.Copy(connection, in)
		sent <- errors.Join(err, connection.(*net.UnixConn).CloseWrite())
	}()
	if _, err := io.Copy(out, connection); err != nil {
		return err
	}
	return <-sent
}

// socketPath is where the process of this working folder listens: in a folder
// that only this user can enter, under a name that is short enough for a socket.
func socketPath() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(dir + "\x00" + program))
	folder := filepath.Join(os.TempDir(), fmt.Sprintf("optcomplete-%d", os.Getuid()))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	info, err := os.Lstat(folder)
	if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 || !owned(info) {
		return "", fmt.Errorf("%s is not a folder of this user alone", folder)
	}
	return filepath.Join(folder, fmt.Sprintf("%x", sum[:12])), nil
}

// reach connects to the process, which one of those that find none starts.
func reach(socket string) (net.Conn, error) {
	if c, err := net.Dial("unix", socket); err == nil {
		return c, nil
	}
	lock, err := os.OpenFile(socket+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	for start := time.Now(); time.Since(start) < 30*time.Second; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("unix", socket); err == nil {
			return c, nil
		}
		if atomicfile.Lock(lock) != nil {
			continue // another one is at it
		}
		if c, err := net.Dial("unix", socket); err == nil {
			return c, nil
		}
		if err := launch(socket); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("the worker's process does not answer")
}

// launch starts the process and waits until it listens.
func launch(socket string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	os.Remove(socket)
	cmd := exec.Command(program, "worker", "--serve", socket, "--watch", strconv.Itoa(os.Getppid()))
	cmd.SysProcAttr = detached()
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait()
	for start := time.Now(); time.Since(start) < 20*time.Second; time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("unix", socket); err == nil {
			c.Close()
			return nil
		}
	}
	return errors.New("the worker's process did not start")
}

// Serve is the one process of an executor: it answers who connects to the socket,
// until the process watch, which is the executor, or the working folder is gone,
// or nobody has asked for long.
func (w *Worker) Serve(ctx context.Context, socket string, watch int) error {
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	defer os.Remove(socket + ".lock")
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	var busy atomic.Int64
	var last atomic.Int64
	last.Store(time.Now().UnixNano())
	go func() {
		for range time.Tick(lookEvery) {
			idle := busy.Load() == 0 && time.Since(time.Unix(0, last.Load())) > idleLimit
			left := watch > 1 && gone(watch)
			if _, err := os.Stat(dir); idle || left || err != nil || ctx.Err() != nil {
				cancel()
				listener.Close()
				return
			}
		}
	}()
	for {
		connection, err := listener.Accept()
		if err != nil {
			return nil // closed
		}
		busy.Add(1)
		go func() {
			defer func() {
				connection.Close()
				last.Store(time.Now().UnixNano())
				busy.Add(-1)
			}()
			w.Work(ctx, connection, connection)
		}()
	}
}
