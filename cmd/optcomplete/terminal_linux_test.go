package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"optcomplete/internal/must"
)

// pseudoTerminal is a terminal and what reads its screen.
func pseudoTerminal(t *testing.T) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { tty.Close() })
	return screen, tty
}

// TestNamesCannotCommandATerminal: escapes in ids and names of features are
// shown, not sent, by every verb that prints them.
func TestNamesCannotCommandATerminal(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const evil = "\x1b[2J\x1b]52;c;ZXZpbA==\x07"
	var ratings, features strings.Builder
	ratings.WriteString("row,column,value\n")
	fmt.Fprintf(&features, "id,f%s1,f2\n", evil)
	for j := range 6 {
		fmt.Fprintf(&features, "c%s%d,%d,%d\n", evil, j, j%2, j%3)
		for i := range 6 {
			if (i+j)%5 > 0 {
				fmt.Fprintf(&ratings, "r%s%d,c%s%d,%d\n", evil, i, evil, j, (i*j)%5)
			}
		}
	}
	for name, text := range map[string]string{"r.csv": ratings.String(), "f.csv": features.String(), "pairs.csv": "row,column\nr" + evil + "0,c" + evil + "0\n"} {
		must.Do(t, os.WriteFile(at(name), []byte(text), 0o666))
	}
	command(t, exitDone, "fit", at("r.csv"), "--features", at("f.csv"), "-k", "1", "--gamma", "1", "-o", at("m"))
	for _, args := range [][]string{
		{"fit", at("r.csv"), "--features", at("f.csv"), "-k", "2", "--gamma", "1"},
		{"path", at("r.csv"), "--features", at("f.csv"), "--k-max", "2", "--gamma", "1"},
		{"features", at("f.csv")},
		{"explain", at("m")},
		{"explain", at("m"), "--row", "r" + evil + "0"},
		{"explain", at("m"), "--row", "nobody" + evil},
		{"recommend", at("m"), "--row", "r" + evil + "0"},
		{"predict", at("m"), at("pairs.csv")},
		{"complete", at("m")},
		{"fold-in", at("m"), at("r.csv")},
		{"evaluate", at("m"), at("r.csv")},
	} {
		screen, tty := pseudoTerminal(t)
		cmd := exec.Command("optcomplete", args...)
		cmd.Env = append(os.Environ(), "TERM=xterm")
		cmd.Stdout, cmd.Stderr = tty, tty
		seen := make(chan string)
		go func() {
			var all strings.Builder
			buffer := make([]byte, 1<<16)
			for {
				n, err := screen.Read(buffer)
				all.Write(buffer[:n])
				if err != nil || strings.Contains(all.String(), "THE END") {
					seen <- all.String()
					return
				}
			}
		}()
		_ = cmd.Run()
		fmt.Fprint(tty, "THE END")
		select {
		case text := <-seen:
			if strings.Contains(text, "\x1b[2J") || strings.Contains(text, "\x1b]") || strings.Contains(text, "\x07") {
				t.Errorf("%s sends to the terminal: %q", strings.Join(args[:1], " "), text)
			}
			if !strings.Contains(text, `\x1b[2J`) && args[0] != "features" && args[0] != "evaluate" { // which print none, or blanks for them
				t.Errorf("%s shows no name: %q", strings.Join(args[:1], " "), text)
			}
		case <-time.After(time.Minute):
			t.Fatal("nothing on the screen")
		}
	}
}
