//go:build unix

// Command launcher runs a program and writes its use of resources to a file:
//
//	launcher FILE PROGRAM ARGUMENT…
//
// The file gets one line: the wall-clock time in nanoseconds, the largest resident
// memory in bytes, the processor time in nanoseconds and the voluntary context switches,
// of the program and of the children that it waited for. The exit code is the program's.
//
// A process counts the memory of the process that started it as its own, because it
// begins as its copy. So a large program must not start the program that it measures:
// this one has about two megabytes.
package main

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 3 {
		fail("usage: launcher FILE PROGRAM ARGUMENT…")
	}
	began := time.Now()
	p, err := os.StartProcess(os.Args[2], os.Args[2:], &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		fail(err.Error())
	}
	ended, err := p.Wait()
	wall := time.Since(began)
	if err != nil {
		fail(err.Error())
	}
	used := ended.SysUsage().(*syscall.Rusage)
	peak := used.Maxrss // in bytes on macOS, and in kibibytes elsewhere
	if runtime.GOOS != "darwin" {
		peak *= 1024
	}
	line := strconv.FormatInt(int64(wall), 10) + " " + strconv.FormatInt(peak, 10) + " " +
		strconv.FormatInt(int64(ended.UserTime()+ended.SystemTime()), 10) + " " + strconv.FormatInt(used.Nvcsw, 10) + "\n"
	if err := os.WriteFile(os.Args[1], []byte(line), 0o600); err != nil {
		fail(err.Error())
	}
	os.Exit(ended.ExitCode())
}

func fail(message string) {
	os.Stderr.WriteString("launcher: " + message + "\n")
	os.Exit(125)
}
