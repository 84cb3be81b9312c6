package probe

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/emu/profile"
)

// profileSuffix is how the file of a profile ends that a command writes.
const profileSuffix = ".yaml"

// checkProfileFile refuses a file that weir emulate --profile would not read.
func checkProfileFile(file string) error {
	named := profile.Profile{Name: profileName(file)}
	if _, err := profile.Parse("", []byte(named.YAML())); err != nil || filepath.Ext(file) != profileSuffix {
		return fmt.Errorf("file %s given for a profile, want one named by letters, digits, '.', '_' and '-' that ends in .yaml, such as lab-3.yaml",
			file)
	}
	return nil
}

func profileName(file string) string { return strings.TrimSuffix(filepath.Base(file), profileSuffix) }

// nameProfile gives a profile that was measured the name of its file, a line about the switch, and how
// it was measured.
func nameProfile(p *profile.Profile, file, about string) {
	p.Name, p.About = profileName(file), profileText(about)
	machine := report.ThisMachine()
	p.Measurement = profile.Measurement{Date: machine.Date, Machine: profileText(machine.String()),
		Command: profileText(command.Line())}
}

// profileText is a text as far as a profile can have it.
func profileText(s string) string {
	s = strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) || c == unicode.ReplacementChar {
			return -1
		}
		return c
	}, s)
	return strings.ToValidUTF8(s[:min(len(s), profile.MaxAbout)], "") // of a character that was cut, nothing
}
