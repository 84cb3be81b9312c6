package etcd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/weirnet/weir/store/etcd/verify"
)

// logDir and databaseFile are where a member has its files.
func (c *Config) logDir() string       { return filepath.Join(c.Dir, "member", "wal") }
func (c *Config) databaseFile() string { return filepath.Join(c.Dir, "member", "snap", "db") }

// damaged is an error that names the database.
func (m *member) damaged(format string, args ...any) error {
	return &verify.Damage{File: m.cfg.databaseFile(), What: fmt.Sprintf(format, args...)}
}

// whole sees that all that was acknowledged is in a member's files, and zeroes a tail of the log that never was. A member that has never
// run has none.
func (c *Config) whole(acked mark) error {
	log, err := verify.ReadLog(c.logDir())
	if err != nil {
		return err
	}
	_, err = os.Stat(c.databaseFile())
	fresh := errors.Is(err, os.ErrNotExist)
	if err := c.unused(); err != nil {
		return err
	}
	if len(log.Files) == 0 && fresh && acked.index == 0 && !c.Known {
		return nil
	}
	var db verify.Database
	if info, err := os.Stat(c.databaseFile()); len(log.Files) > 0 || err == nil && info.Size() > 0 {
		if db, err = verify.ReadDatabase(c.databaseFile()); err != nil {
			return err
		}
	}
	if err := c.reaches(&log, db, acked); err != nil {
		return err
	}
	if !log.Torn {
		return nil
	}
	last := log.Files[len(log.Files)-1]
	c.Log.Info("the store's log ends with a record that was being written, and acknowledged by nobody: it is removed",
		"file", last, "at", log.End)
	return cutTail(last, log.End, log.Size)
}

// unused sees that no other process has the database open: etcd would wait for its end. That is so where the mark was deleted, and its lock with it.
func (c *Config) unused() error {
	f, err := os.Open(c.databaseFile())
	if err != nil {
		return nil // that is said elsewhere
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

// reaches sees that the log goes on where the database ends, and as far as the mark.
func (c *Config) reaches(log *verify.Log, db verify.Database, acked mark) error {
	if len(log.Files) == 0 {
		if acked.index == 0 && db.Index == 0 && !c.Known {
			return nil
		}
		return &verify.Damage{File: c.logDir(), What: "the log is not there"}
	}
	last := log.Files[len(log.Files)-1]
	wrong := func(file, format string, args ...any) error {
		return &verify.Damage{File: file, What: fmt.Sprintf(format, args...)}
	}
	switch {
	case log.Last < acked.index:
		return wrong(last, "its last whole entry is %d, and entries up to %d were acknowledged", log.Last, acked.index)
	case log.Last < db.Index:
		return wrong(last, "its last whole entry is %d, and the database %s has those up to %d", log.Last, c.databaseFile(), db.Index)
	case log.Oldest > db.Index+1:
		return wrong(c.logDir(), "its oldest file begins with entry %d, and the database %s has those up to %d: older files are missing",
			log.Oldest, c.databaseFile(), db.Index)
	case log.Size < verify.SegmentBytes && acked.index > 0:
		return wrong(last, "it has been cut: it has %d bytes, and was made with %d", log.Size, verify.SegmentBytes)
	}
	return nil
}

// cutTail zeroes a file from some place on.
func cutTail(path string, from, size int64) error {
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
