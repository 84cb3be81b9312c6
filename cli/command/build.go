package command

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// Version and BuildCommit are stamped by the linker: -ldflags "-X
// github.com/weirnet/weir/cli/command.Version=1.2.3".
var (
	Version     = "0.0.0-dev"
	BuildCommit = ""
)

// Commit returns the stamped commit, or else the one that the Go tool recorded.
func Commit() string {
	if BuildCommit != "" {
		return BuildCommit
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "unknown"
}

// Build names this build in reports.
func Build() string { return fmt.Sprintf("weir %s, commit %s", Version, Commit()) }

// Line is the command line, as reports show it.
func Line() string { return "weir " + strings.Join(os.Args[1:], " ") }
