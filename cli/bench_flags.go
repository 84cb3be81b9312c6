package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"
)

// positive refuses numbers and times that were given and are not above zero: to package bench a zero
// is what was not given, and would silently be the default. A --cut of 0 is meant.
func positive(f *pflag.FlagSet) (err error) {
	f.Visit(func(flag *pflag.Flag) {
		want := map[string]string{"int": "1 or more", "duration": "more than 0s"}[flag.Value.Type()]
		v := flag.Value.String()
		if err == nil && want != "" && flag.Name != "cut" && (v == "0" || v == "0s" || strings.HasPrefix(v, "-")) {
			err = fmt.Errorf("--%s %s given, want %s", flag.Name, v, want)
		}
	})
	return err
}

// exclusive refuses two flags that were both given and contradict each other.
func exclusive(f *pflag.FlagSet, one, other string) error {
	if f.Changed(one) && f.Changed(other) {
		return fmt.Errorf("--%s and --%s given, want one of them", one, other)
	}
	return nil
}

// onlyWith refuses flags that say nothing without something else.
func onlyWith(f *pflag.FlagSet, what string, names ...string) error {
	for _, name := range names {
		if f.Changed(name) {
			return fmt.Errorf("--%s given without %s, want both or neither", name, what)
		}
	}
	return nil
}

// check finds a report's file that could not be written, before hours of measuring. A file that is
// there stays as it is until there is a report, and one that is not there is not left behind.
func (o *reportFiles) check() error {
	if o.json != "" && o.json == o.html {
		return fmt.Errorf("--json %s and --html %s given, want two files", o.json, o.html)
	}
	for _, name := range []string{o.json, o.html} {
		if name == "" {
			continue
		}
		if err := writable(name); err != nil {
			return runtimeError(err)
		}
	}
	return nil
}

// writable opens a file and leaves it as it was. Pipes and devices are not tried: to open one may
// wait for its reader.
func writable(name string) error {
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
