package nic

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/netdev"
	"github.com/weirnet/weir/probe"
)

// note is what was changed at an interface, in a file. The process that has changed it holds a lock
// on the file, which ends with the process: a note without a lock is of one that was killed, and is
// put back.
type note struct {
	PID       int             `json:"pid"`
	Started   string          `json:"started"` // of the process, in the kernel's ticks since the machine's start
	Interface string          `json:"interface"`
	Index     int             `json:"index"`
	Namespace string          `json:"namespace"`
	Inode     uint64          `json:"namespace_inode"`
	Features  []string        `json:"features"` // that were switched off
	Stamps    *hardwareStamps `json:"hardware_stamps,omitempty"`

	path string
	file *os.File // locked
}

// hardwareStamps is a configuration of an interface's hardware stamps.
type hardwareStamps struct {
	Tx int32 `json:"tx"`
	Rx int32 `json:"rx"`
}

const suffix = ".json"

// switchOff switches the offloads of an interface off, in its namespace, and notes before which.
func switchOff(state string, cfg *Config, index int) (*note, error) {
	features, err := (netdev.Transmit | netdev.Receive).Active(cfg.Interface)
	if err != nil {
		return nil, err
	}
	inode, err := namespaceInode()
	if err != nil {
		return nil, err
	}
	n := &note{PID: os.Getpid(), Started: started(), Interface: cfg.Interface, Index: index, Namespace: cfg.Namespace,
		Inode: inode, Features: features, path: filepath.Join(state, fmt.Sprintf("%d-%d%s", inode, index, suffix))}
	if err := n.create(state); err != nil {
		return nil, err
	}
	left, err := netdev.Switch(cfg.Interface, features, false)
	if err == nil && len(left) > 0 {
		err = &probe.Refusal{Why: probe.ErrOffload, Seen: fmt.Sprintf("%s keeps %s on", cfg.String(), strings.Join(left, ", ")),
			Want: "them off", Do: "use another interface"}
	}
	if err != nil {
		return nil, errors.Join(err, n.putBack())
	}
	return n, nil
}

// create makes the file, locks it and writes it. Whoever creates or takes notes away holds the
// directory's lock meanwhile.
func (n *note) create(state string) error {
	unlock, err := lockState(state)
	if err != nil {
		return err
	}
	defer unlock()
	if n.file, err = os.OpenFile(n.path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	if err = lock(n.file); err != nil {
		n.file.Close()
		return &probe.Refusal{Why: probe.ErrTaken, Seen: fmt.Sprintf("%s, of %s", n.Interface, holder(n.path)), Want: "it free",
			Do: "wait for its end"}
	}
	return n.write()
}

// write writes the note to its file, and to the disk.
func (n *note) write() error {
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := n.file.Truncate(0); err != nil {
		return err
	}
	if _, err := n.file.WriteAt(append(text, '\n'), 0); err != nil {
		return err
	}
	return n.file.Sync()
}

// putBack puts back what the note says, if it is still there, and takes the note away.
func (n *note) putBack() error {
	at, err := netdev.At(n.Namespace)
	if err == nil {
		defer at.Close()
		err = at.Inside(func() error { return n.putBackHere(&at) })
	}
	if errors.Is(err, errGone) || errors.Is(err, netdev.ErrNoNamespace) {
		err = nil
	}
	if err != nil {
		return errors.Join(err, n.file.Close()) // the next start tries again
	}
	return errors.Join(os.Remove(n.path), n.file.Close())
}

// errGone is of an interface that is not there any more: nothing is to be put back.
var errGone = errors.New("the interface has gone")

func (n *note) putBackHere(at *netdev.Place) error {
	inode, err := namespaceInode()
	if err != nil {
		return err
	}
	if inode != n.Inode {
		if n.Namespace == "" {
			return fmt.Errorf("%s was changed by process %d in another network namespace: start the probe there to put it back",
				n.Interface, n.PID)
		}
		return errGone
	}
	l, err := at.Links.LinkByIndex(n.Index)
	if err != nil {
		return errGone
	}
	name := l.Attrs().Name // it may have got another one
	if n.Stamps != nil {
		if err := n.Stamps.set(name); err != nil {
			return err
		}
	}
	_, err = netdev.Switch(name, n.Features, true)
	return err
}

func (h *hardwareStamps) set(name string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.IoctlSetHwTstamp(fd, name, &unix.HwTstampConfig{Tx_type: h.Tx, Rx_filter: h.Rx})
}

// putBackAll puts back what processes have changed that were killed. What is of another namespace,
// which cannot be reached from here, stays noted.
func putBackAll(state string) error {
	unlock, err := lockState(state)
	if err != nil {
		return err
	}
	defer unlock()
	paths, err := filepath.Glob(filepath.Join(state, "*"+suffix))
	if err != nil {
		return err
	}
	for _, path := range paths {
		if n := abandoned(path); n != nil {
			_ = n.putBack()
		}
	}
	return nil
}

// abandoned reads a note whose process has ended, and locks it; nil for another file.
func abandoned(path string) *note {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	n := &note{path: path, file: file}
	if lock(file) != nil {
		file.Close()
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, n) != nil { // killed before it was written: nothing was changed
		_ = os.Remove(path)
		file.Close()
		return nil
	}
	return n
}

// holder says whose a note is.
func holder(path string) string {
	var n note
	if text, err := os.ReadFile(path); err != nil || json.Unmarshal(text, &n) != nil {
		return "another probe"
	}
	return fmt.Sprintf("process %d", n.PID)
}

func lock(file *os.File) error { return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// lockState makes the directory of notes and waits for its lock.
func lockState(state string) (unlock func(), err error) {
	if err := os.MkdirAll(state, 0o755); err != nil {
		return nil, err
	}
	dir, err := os.Open(state)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(dir.Fd()), unix.LOCK_EX); err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return func() { _ = dir.Close() }, nil
}

// namespaceInode names the network namespace of the thread.
func namespaceInode() (uint64, error) {
	is, err := os.Stat(fmt.Sprintf("/proc/self/task/%d/ns/net", unix.Gettid()))
	if err != nil {
		return 0, err
	}
	s, ok := is.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, fs.ErrInvalid
	}
	return s.Ino, nil
}

// started is when this process began: field 22 of its stat (proc_pid_stat(5)), the 20th after its
// name.
func started() string {
	text, _ := os.ReadFile("/proc/self/stat")
	_, after, _ := strings.Cut(string(text), ") ")
	if fields := strings.Fields(after); len(fields) > 19 {
		return fields[19]
	}
	return ""
}
