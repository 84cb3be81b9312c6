package command

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/weirnet/weir/openflow"
)

// Positive refuses numbers and times that were given and are not above zero: to package bench a zero
// is what was not given, and would silently be the default. A --cut of 0 is meant.
func Positive(f *pflag.FlagSet) (err error) {
	f.Visit(func(flag *pflag.Flag) {
		want := map[string]string{"int": "1 or more", "duration": "more than 0s"}[flag.Value.Type()]
		v := flag.Value.String()
		if err == nil && want != "" && flag.Name != "cut" && (v == "0" || v == "0s" || strings.HasPrefix(v, "-")) {
			err = fmt.Errorf("--%s %s given, want %s", flag.Name, v, want)
		}
	})
	return err
}

// OnlyWith refuses flags that say nothing without something else.
func OnlyWith(f *pflag.FlagSet, what string, names ...string) error {
	for _, name := range names {
		if f.Changed(name) {
			return fmt.Errorf("--%s given without %s, want both or neither", name, what)
		}
	}
	return nil
}

// Writable opens a file and leaves it as it was. Pipes and devices are not tried: to open one may
// wait for its reader.
func Writable(name string) error {
	is, err := os.Stat(name)
	if err == nil && !is.Mode().IsRegular() && !is.IsDir() {
		return nil
	}
	fresh := os.IsNotExist(err)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil || !fresh {
		return err
	}
	return os.Remove(name)
}

// VersionFlag is --openflow-version, 1.3 by default.
func VersionFlag(f *pflag.FlagSet, version *openflow.Version, usage string) {
	*version = openflow.V13
	f.Var(Enum(version, openflow.V10, openflow.V13), "openflow-version", usage)
}
