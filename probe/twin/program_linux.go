package twin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/emu/attach"
	"github.com/weirnet/weir/probe/child"
)

// program is a switch that another process emulates.
type program struct {
	*child.Child
	dir string // of its profile and of what it prints
}

// inherited is the namespace's descriptor in the other process: the first one that it is given.
const inherited = 3

// run starts weir emulate with devices in the namespace of a descriptor.
func (t *Twin) run(cfg Config, space int) (err error) {
	p := &program{}
	if p.dir, err = os.MkdirTemp("", "weir-twin-"); err != nil {
		return err
	}
	t.program = p
	profile := filepath.Join(p.dir, "profile.yaml")
	args := []string{"emulate", "single:1,hosts=0", "--controller", cfg.Controller, "--api", "", "--seed", fmt.Sprint(cfg.Seed)}
	if cfg.Profile.Ideal() {
		profile = "ideal"
	} else if err := os.WriteFile(profile, []byte(cfg.Profile.YAML()), 0o600); err != nil {
		return err
	}
	args = append(args, "--profile", profile)
	for i, end := range t.Ends {
		kind := cfg.Kind
		if kind == "" {
			kind = attach.TAP
		}
		at := fmt.Sprintf("s1:%d=%s,type=%s,netns=%s", i+1, end.Interface, kind, descriptor(inherited))
		if cfg.MTU != 0 {
			at += fmt.Sprintf(",mtu=%d", cfg.MTU)
		}
		args = append(args, "--attach", at)
	}
	var versions []string
	for _, v := range cfg.Versions {
		versions = append(versions, v.String())
	}
	if len(versions) == 1 {
		args = append(args, "--openflow-version", versions[0])
	}
	own, err := unix.FcntlInt(uintptr(space), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return err
	}
	file := os.NewFile(uintptr(own), "network namespace")
	defer file.Close()
	cmd := exec.Command(cfg.Program, args...)
	cmd.ExtraFiles = []*os.File{file}
	p.Child, err = child.Start(cmd, filepath.Join(p.dir, "output"), func(start func() error) error { return start() })
	return err
}

func (p *program) close() error {
	if p.Child != nil {
		p.Stop()
	}
	return os.RemoveAll(p.dir)
}
