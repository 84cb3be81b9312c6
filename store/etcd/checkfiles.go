package etcd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/weirnet/weir/store/etcd/verify"
)

// logDir and databaseFile are the paths of a member's files.
func (c *Config) logDir() string       { return filepath.Join(c.Dir, "member", "wal") }
func (c *Config) databaseFile() string { return filepath.Join(c.Dir, "member", "snap", "db") }

// damaged returns an error that names the database.
func (m *member) damaged(format string, args ...any) error {
	return &verify.Damage{File: m.cfg.databaseFile(), What: fmt.Sprintf(format, args...)}
}

// checkFiles verifies that a member's files have all that was acknowledged, and zeroes an
// unacknowledged torn tail of the log. A member that has never run has no files.
func (c *Config) checkFiles(acked ackMark) error {
	log, err := verify.ReadLog(c.logDir())
	if err != nil {
		return err
	}
	_, err = os.Stat(c.databaseFile())
	fresh := errors.Is(err, os.ErrNotExist)
	if err := c.checkUnused(); err != nil {
		return err
	}
	if len(log.Files) == 0 && fresh && acked.index == 0 && !c.MustExist {
		return nil
	}
	var db verify.Database
	if info, err := os.Stat(c.databaseFile()); len(log.Files) > 0 || err == nil && info.Size() > 0 {
		if db, err = verify.ReadDatabase(c.databaseFile()); err != nil {
			return err
		}
	}
	if err := c.checkReach(&log, db, acked); err != nil {
		return err
	}
	if !log.Torn {
		return nil
	}
	last := log.Files[len(log.Files)-1]
	c.Log.Info("the store's log ends with a record that was being written, and acknowledged by nobody: it is removed",
		"file", last, "at", log.End)
	return zeroTail(last, log.End, log.Size)
}

// checkUnused verifies that no other process has the database open, since etcd would wait for it.
// That happens if the acknowledgement file was deleted, and its lock with it.
func (c *Config) checkUnused() error {
	f, err := os.Open(c.databaseFile())
	if err != nil {
		return nil // reported elsewhere
	}
	defer f.Close()
	if errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK) {
		return inUse(c.Dir)
	}
	return nil
}

func inUse(dir string) error {
	return fmt.Errorf("%s is in use by another process: stop it, or choose another with --data-dir", dir)
}

// checkReach verifies that the log continues where the database ends, and reaches the mark. Of several members one may have
// applied what others had on disk, and its own log has not yet; and one that is sent the whole database when it is killed
// has parts of two.
func (c *Config) checkReach(log *verify.Log, db verify.Database, acked ackMark) error {
	if len(log.Files) == 0 {
		if acked.index == 0 && db.Index == 0 && !c.MustExist {
			return nil
		}
		return &verify.Damage{File: c.logDir(), What: "the log is not there"}
	}
	last := log.Files[len(log.Files)-1]
	wrong := func(file, format string, args ...any) error {
		return &verify.Damage{File: file, What: fmt.Sprintf(format, args...)}
	}
	several := c.several() // then others have what is missing, and send it
	switch {
	case log.Last < acked.index:
		return wrong(last, "its last whole entry is %d, and entries up to %d were acknowledged", log.Last, acked.index)
	case log.Last < db.Index && !several:
		return wrong(last, "its last whole entry is %d, and the database %s has those up to %d", log.Last,
			c.databaseFile(), db.Index)
	case log.Oldest > db.Index+1 && !several:
		return wrong(c.logDir(),
			"its oldest file begins with entry %d, and the database %s has those up to %d: older files are missing",
			log.Oldest, c.databaseFile(), db.Index)
	case log.Size < verify.SegmentBytes && acked.index > 0:
		return wrong(last, "it has been cut: it has %d bytes, and was made with %d", log.Size, verify.SegmentBytes)
	}
	return nil
}

// zeroTail zeroes a file from an offset on.
func zeroTail(path string, from, size int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = f.Truncate(from)
	if err == nil {
		err = errors.Join(f.Truncate(size), f.Sync())
	}
	return errors.Join(err, f.Close())
}
